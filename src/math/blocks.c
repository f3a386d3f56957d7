#include "math/blocks.h"

#include "base/assert.h"
#include "base/order.h"
#include "math/mat3.h"
#include "math/sets.h"

#include <math.h>
#include <string.h>

static int entry_key(const tn_blocks_entry *entry, bool by_row)
{
    return by_row ? entry->row : entry->column;
}

// Stable counting sort of the entry numbers `from` by row or by column. count (n_keys + 1) is scratch.
static void sort_by(bool by_row, int n_keys, int n_entries, const tn_blocks_entry *entries, const int *from, int *to,
                    int *count)
{
    memset(count, 0, ((size_t)n_keys + 1) * sizeof *count);
    for (int e = 0; e < n_entries; e++) {
        TN_ASSERT(entry_key(&entries[e], by_row) >= 0 && entry_key(&entries[e], by_row) < n_keys);
        count[entry_key(&entries[e], by_row) + 1]++;
    }
    for (int k = 0; k < n_keys; k++) {
        count[k + 1] += count[k];
    }
    for (int i = 0; i < n_entries; i++) {
        int e = from ? from[i] : i;
        to[count[entry_key(&entries[e], by_row)]++] = e;
    }
}

static bool same_place(const tn_blocks_entry *a, const tn_blocks_entry *b)
{
    return a->row == b->row && a->column == b->column;
}

static tn_blocks *blocks_create(int n_rows, int n_cols, int n_blocks, tn_arena *arena)
{
    tn_blocks *A = TN_PUSH(arena, tn_blocks, 1);
    int *start = TN_PUSH(arena, int, n_rows + 1);
    int *column = TN_PUSH(arena, int, n_blocks);
    double *value = TN_PUSH(arena, double, 9 * (size_t)n_blocks);
    if (!A || !start || !column || !value) {
        return NULL;
    }
    *A = (tn_blocks){.n_rows = n_rows, .n_cols = n_cols, .start = start, .column = column, .value = value};
    return A;
}

// The order of the entries by row, then column, then as given; NULL: no memory. Stays in the arena.
static int *entries_order(int n_rows, int n_cols, int n_entries, const tn_blocks_entry *entries, tn_arena *arena)
{
    int *order = TN_PUSH(arena, int, n_entries);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    int *by_column = TN_PUSH(arena, int, n_entries);
    int *count = TN_PUSH(arena, int, (n_rows > n_cols ? n_rows : n_cols) + 1);
    if (!order || !by_column || !count) {
        return NULL;
    }
    sort_by(false, n_cols, n_entries, entries, NULL, by_column, count);
    sort_by(true, n_rows, n_entries, entries, by_column, order, count);
    tn_arena_release(arena, mark);
    return order;
}

tn_blocks *tn_blocks_from_entries(int n_rows, int n_cols, int n_entries, const tn_blocks_entry *entries,
                                  tn_arena *arena)
{
    int *order = entries_order(n_rows, n_cols, n_entries, entries, arena);
    if (!order) {
        return NULL;
    }
    int n_blocks = 0;
    for (int i = 0; i < n_entries; i++) {
        n_blocks += i == 0 || !same_place(&entries[order[i]], &entries[order[i - 1]]);
    }
    tn_blocks *A = blocks_create(n_rows, n_cols, n_blocks, arena);
    if (!A) {
        return NULL;
    }
    int k = -1;
    for (int i = 0; i < n_entries; i++) {
        const tn_blocks_entry *entry = &entries[order[i]];
        if (i == 0 || !same_place(entry, &entries[order[i - 1]])) {
            k++;
            A->column[k] = entry->column;
            A->start[entry->row + 1]++;
        }
        for (int j = 0; j < 9; j++) {
            A->value[9 * (size_t)k + j] += entry->value[j];
        }
    }
    for (int i = 0; i < n_rows; i++) {
        A->start[i + 1] += A->start[i];
    }
    return A;
}

tn_blocks *tn_blocks_from_diagonal(int n, const double *diagonal, tn_arena *arena)
{
    tn_blocks *A = blocks_create(n, n, n, arena);
    if (!A) {
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        A->start[i + 1] = i + 1;
        A->column[i] = i;
    }
    memcpy(A->value, diagonal, 9 * (size_t)n * sizeof *diagonal);
    return A;
}

// y_i = sum over the row's blocks, always from left to right: the sum's bits depend on nothing else.
static inline void row_mul(const tn_blocks *A, int row, const double *x, double *y)
{
    double s[3] = {0.0, 0.0, 0.0};
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
        tn_mat3_add_vec(s, A->value + 9 * (size_t)k, x + 3 * (size_t)A->column[k]);
    }
    tn_vec3_copy(y, s);
}

void tn_blocks_mul(const tn_blocks *A, const double *x, double *y)
{
    for (int i = 0; i < A->n_rows; i++) {
        row_mul(A, i, x, y + 3 * (size_t)i);
    }
}

double *tn_blocks_find(const tn_blocks *A, int row, int column)
{
    TN_ASSERT(row >= 0 && row < A->n_rows);
    int end = A->start[row + 1], at = tn_order_first(A->column, A->start[row], end, column);
    return at < end && A->column[at] == column ? A->value + 9 * (size_t)at : NULL;
}

// |a - b^T| <= bound in every number; a missing b counts as zero. False where one is NaN.
static bool transpose_is_near(const double a[9], const double *b, double bound)
{
    for (int i = 0; i < 9; i++) {
        if (!(fabs(a[i] - (b ? b[3 * (i % 3) + i / 3] : 0.0)) <= bound)) {
            return false;
        }
    }
    return true;
}

bool tn_blocks_is_symmetric(const tn_blocks *A, double relative)
{
    if (A->n_rows != A->n_cols) {
        return false;
    }
    double largest = 0.0;
    for (size_t k = 0; k < 9 * (size_t)A->start[A->n_rows]; k++) {
        largest = fmax(largest, fabs(A->value[k])); // passes a NaN over: the comparison below finds it
    }
    for (int i = 0; i < A->n_rows; i++) {
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            const double *mirror = tn_blocks_find(A, A->column[k], i);
            if (!transpose_is_near(A->value + 9 * (size_t)k, mirror, relative * largest)) {
                return false;
            }
        }
    }
    return true;
}

int tn_blocks_components(const tn_blocks *A, int *component, tn_arena *arena)
{
    tn_arena_mark mark = tn_arena_get_mark(arena);
    int *parent = TN_PUSH(arena, int, A->n_rows);
    if (!parent) {
        return -1;
    }
    for (int i = 0; i < A->n_rows; i++) {
        parent[i] = i;
    }
    for (int i = 0; i < A->n_rows; i++) {
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            tn_sets_join(parent, i, A->column[k]);
        }
    }
    int n = 0;
    for (int i = 0; i < A->n_rows; i++) {
        int root = tn_set_of(parent, i); // its first row
        component[i] = root == i ? n++ : component[root];
    }
    tn_arena_release(arena, mark);
    return n;
}
