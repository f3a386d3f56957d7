#include "solver/contact_matrix.h"

#include "base/assert.h"
#include "kernels/contact_terms.h"
#include "math/blocks.h"
#include "math/vec3.h"
#include "problem/rows.h"

#include <string.h>

// Those of the pairs of n terms' entries that A lacks.
static int find_missing(const tn_blocks *A, int n, const int *start, const int *block, long long *extra)
{
    int found = 0;
    for (int m = 0; m < n; ++m) {
        for (int e = start[m]; e < start[m + 1]; ++e) {
            for (int f = start[m]; f < start[m + 1]; ++f) {
                if (!tn_blocks_find(A, block[e], block[f])) {
                    extra[found++] = (long long)block[e] * A->n_rows + block[f];
                }
            }
        }
    }
    return found;
}

// One pass of a radix sort: positions by row, or by column, equal ones in the order they had. count: (n_rows + 1)
// zeros.
static void sort_pass(int n, const long long *from, int n_rows, bool by_row, int *count, long long *to)
{
    for (int i = 0; i < n; ++i) {
        count[(by_row ? from[i] / n_rows : from[i] % n_rows) + 1]++;
    }
    for (int r = 0; r < n_rows; ++r) {
        count[r + 1] += count[r];
    }
    for (int i = 0; i < n; ++i) {
        to[count[by_row ? from[i] / n_rows : from[i] % n_rows]++] = from[i];
    }
}

// Ascending; no qsort, which may allocate. False: no memory.
static bool sort_positions(int n, int n_rows, long long *position, tn_arena *arena)
{
    tn_arena_mark mark = tn_arena_get_mark(arena);
    long long *scratch = TN_PUSH_RAW(arena, long long, n);
    int *counts = TN_PUSH(arena, int, 2 * ((size_t)n_rows + 1));
    bool ok = scratch && counts;
    if (ok) {
        sort_pass(n, position, n_rows, false, counts, scratch);
        sort_pass(n, scratch, n_rows, true, counts + n_rows + 1, position);
    }
    tn_arena_release(arena, mark);
    return ok;
}

// Block positions row * n_rows + column that contacts and joints couple and A does not, ascending, without repetition.
// Returns their number, -1 without memory.
static int find_extra(const tn_problem *p, long long *extra, tn_arena *arena)
{
    const tn_rows *c = p->rows;
    const tn_rows singles = tn_rows_singles(p->rows), *j = &singles;
    int n = find_missing(p->A, c->n_triples, c->start, c->block, extra);
    n += j ? find_missing(p->A, j->n_singles, j->start, j->block, extra + n) : 0;
    if (!sort_positions(n, p->A->n_rows, extra, arena)) {
        return -1;
    }
    int unique = 0;
    for (int i = 0; i < n; ++i) {
        if (unique == 0 || extra[unique - 1] != extra[i]) {
            extra[unique++] = extra[i];
        }
    }
    return unique;
}

// Rows of A and the extra positions merged into K; place follows A's blocks.
static void merge(const tn_blocks *A, int n_extra, const long long *extra, tn_contact_matrix *s)
{
    int used = 0, next = 0;
    for (int row = 0; row < A->n_rows; ++row) {
        s->K.start[row] = used;
        int k = A->start[row];
        while (k < A->start[row + 1] || (next < n_extra && extra[next] / A->n_rows == row)) {
            bool is_extra = next < n_extra && extra[next] / A->n_rows == row &&
                            (k == A->start[row + 1] || extra[next] % A->n_rows < A->column[k]);
            if (is_extra) {
                s->K.column[used++] = (int)(extra[next++] % A->n_rows);
            } else {
                s->place[k] = used;
                s->K.column[used++] = A->column[k++];
            }
        }
    }
    s->K.start[A->n_rows] = used;
}

static bool make_pattern(tn_contact_matrix *s, int n_pairs, tn_arena *arena)
{
    const tn_blocks *A = s->problem->A;
    int n_blocks = A->start[A->n_rows];
    s->K = (tn_blocks){.n_rows = A->n_rows, .n_cols = A->n_cols, .start = A->start, .column = A->column};
    tn_arena_mark mark = tn_arena_get_mark(arena);
    long long *extra = TN_PUSH(arena, long long, n_pairs);
    int n_extra = extra ? find_extra(s->problem, extra, arena) : -1;
    if (n_extra < 0) {
        return false;
    }
    if (n_extra == 0) {
        tn_arena_release(arena, mark);
    }
    if (n_extra > 0) {
        s->K.start = TN_PUSH(arena, int, A->n_rows + 1);
        s->K.column = TN_PUSH(arena, int, n_blocks + n_extra);
        s->place = TN_PUSH(arena, int, n_blocks);
        if (!s->K.start || !s->K.column || !s->place) {
            return false;
        }
        merge(A, n_extra, extra, s);
    }
    s->K.value = TN_PUSH(arena, double, 9 * (size_t)(n_blocks + n_extra));
    return s->K.value != NULL;
}

static int count_pairs(int n, const int *start)
{
    int pairs = 0;
    for (int i = 0; i < n; ++i) {
        pairs += (start[i + 1] - start[i]) * (start[i + 1] - start[i]);
    }
    return pairs;
}

static void find_pairs(const tn_blocks *K, int n, const int *start, const int *block, int *pair)
{
    for (int m = 0; m < n; ++m) {
        for (int e = start[m]; e < start[m + 1]; ++e) {
            for (int f = start[m]; f < start[m + 1]; ++f) {
                const double *found = tn_blocks_find(K, block[e], block[f]);
                TN_ASSERT(found);
                *pair++ = (int)((found - K->value) / 9);
            }
        }
    }
}

bool tn_contact_matrix_create(tn_contact_matrix *s, const tn_problem *problem, tn_arena *arena)
{
    const tn_rows *c = problem->rows;
    const tn_rows singles = tn_rows_singles(problem->rows), *joints = &singles;
    int n_rows = tn_joint_row_count(problem), row_pairs = n_rows > 0 ? count_pairs(n_rows, joints->start) : 0;
    int pairs = count_pairs(c->n_triples, c->start);
    *s = (tn_contact_matrix){.problem = problem, .pair = TN_PUSH(arena, int, pairs)};
    s->row_pair = n_rows > 0 ? TN_PUSH(arena, int, row_pairs) : NULL;
    if (!s->pair || (n_rows > 0 && !s->row_pair) || !make_pattern(s, pairs + row_pairs, arena)) {
        return false;
    }
    find_pairs(&s->K, c->n_triples, c->start, c->block, s->pair);
    if (n_rows > 0) {
        find_pairs(&s->K, n_rows, joints->start, joints->block, s->row_pair);
    }
    return true;
}

void tn_contact_matrix_add_singles(tn_contact_matrix *s, const double *weight)
{
    const tn_rows singles = tn_rows_singles(s->problem->rows), *joints = &singles;
    const int *pair = s->row_pair;
    for (int i = 0; i < tn_joint_row_count(s->problem); ++i) {
        for (int e = joints->start[i]; e < joints->start[i + 1]; ++e) {
            double left[3];
            tn_vec3_scale(left, weight[i], &joints->jacobian[3 * (size_t)e]);
            for (int f = joints->start[i]; f < joints->start[i + 1]; ++f) {
                const double *right = &joints->jacobian[3 * (size_t)f];
                double *block = s->K.value + 9 * (size_t)*pair++;
                for (int k = 0; k < 9; ++k) {
                    block[k] += left[k / 3] * right[k % 3];
                }
            }
        }
    }
}

void tn_contact_matrix_fill(tn_contact_matrix *s, const double *C)
{
    const tn_blocks *A = s->problem->A;
    int n_blocks = A->start[A->n_rows];
    if (!s->place) {
        memcpy(s->K.value, A->value, 9 * (size_t)n_blocks * sizeof *A->value);
    } else {
        memset(s->K.value, 0, 9 * (size_t)s->K.start[A->n_rows] * sizeof *s->K.value);
        for (int k = 0; k < n_blocks; ++k) {
            memcpy(s->K.value + 9 * (size_t)s->place[k], A->value + 9 * (size_t)k, 9 * sizeof *A->value);
        }
    }
    tn_contact_terms_add(s->problem->rows, C, s->pair, s->K.value);
}
