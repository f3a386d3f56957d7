// Parts by union-find over A's pattern and a counting sort; their dense factors.
#include "math/parts.h"

#include "base/assert.h"
#include "base/team.h"
#include "math/blocks.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

static void sort_blocks(int n_rows, const int *of_block, int n, int *start, int *blocks, int *place)
{
    for (int i = 0; i < n_rows; ++i) {
        start[of_block[i] + 1]++;
    }
    for (int c = 0; c < n; ++c) {
        start[c + 1] += start[c];
    }
    for (int i = 0; i < n_rows; ++i) {
        int c = of_block[i];
        blocks[start[c]++] = i;
    }
    for (int c = n; c > 0; --c) {
        start[c] = start[c - 1];
    }
    start[0] = 0;
    for (int c = 0; c < n; ++c) {
        for (int k = start[c]; k < start[c + 1]; ++k) {
            place[blocks[k]] = k - start[c];
        }
    }
}

tn_status tn_parts_sort(int n_rows, int n, const int *of_block, const bool *full, tn_arena *arena, tn_parts *out)
{
    int *start = TN_PUSH(arena, int, (size_t)n + 1);
    int *blocks = TN_PUSH(arena, int, n_rows);
    int *place = TN_PUSH(arena, int, n_rows);
    if (!start || !blocks || !place) {
        return TN_NO_MEMORY;
    }
    sort_blocks(n_rows, of_block, n, start, blocks, place);
    *out = (tn_parts){.n = n, .full = full, .of_block = of_block, .start = start, .blocks = blocks, .place = place};
    for (int c = 0; c < n; ++c) {
        int size = start[c + 1] - start[c];
        bool sparse = tn_part_form_of(out, c) == TN_PART_SPARSE;
        out->largest = size > out->largest ? size : out->largest;
        out->largest_sparse = sparse && size > out->largest_sparse ? size : out->largest_sparse;
    }
    return TN_OK;
}

static bool is_block_diagonal(const tn_blocks *A)
{
    bool diagonal = A->n_rows == 0 || A->start[A->n_rows] == A->n_rows;
    for (int i = 0; i < A->n_rows && diagonal; ++i) {
        diagonal = A->start[i] == i && A->column[i] == i;
    }
    return diagonal;
}

// Each block row is a component: rigid bodies that no springs join.
static tn_status take_rows(int n_rows, tn_arena *arena, tn_parts *out)
{
    int *number = TN_PUSH_RAW(arena, int, (size_t)n_rows + 1);
    int *place = TN_PUSH(arena, int, n_rows);
    for (int i = 0; number && i <= n_rows; ++i) {
        number[i] = i;
    }
    *out = (tn_parts){
        .n = n_rows, .largest = n_rows > 0, .of_block = number, .start = number, .blocks = number, .place = place};
    return number && place ? TN_OK : TN_NO_MEMORY;
}

tn_status tn_parts_find(const tn_blocks *A, tn_arena *arena, tn_parts *out)
{
    if (is_block_diagonal(A)) {
        return take_rows(A->n_rows, arena, out);
    }
    int *of_block = TN_PUSH(arena, int, A->n_rows);
    int n = of_block ? tn_blocks_components(A, of_block, arena) : -1;
    return n < 0 ? TN_NO_MEMORY : tn_parts_sort(A->n_rows, n, of_block, NULL, arena, out);
}

// The part's block of A as a dense matrix of 3 size rows; a is zero before.
static void gather_dense(const tn_blocks *A, const tn_parts *p, int c, double *a)
{
    int size = tn_part_size(p, c), n = 3 * size;
    for (int k = 0; k < size; ++k) {
        int row = p->blocks[p->start[c] + k];
        for (int e = A->start[row]; e < A->start[row + 1]; ++e) {
            double *corner = &a[3 * k * n + 3 * p->place[A->column[e]]];
            for (int d = 0; d < 9; ++d) {
                corner[d / 3 * n + d % 3] = A->value[9 * (size_t)e + (size_t)d];
            }
        }
    }
}

// Lower factor in place, rows left to right.
static bool cholesky(int n, double *a)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; ++k) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (j == i && !(sum > 0.0 && isfinite(sum))) {
                return false;
            }
            a[i * n + j] = j < i ? sum / a[j * n + j] : sqrt(sum);
        }
    }
    return true;
}

// x = L^-1 x
static void cholesky_forward(int n, const double *l, double *x)
{
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            x[i] -= l[i * n + k] * x[k];
        }
        x[i] /= l[i * n + i];
    }
}

// x = (L L^T)^-1 x
static void cholesky_solve(int n, const double *l, double *x)
{
    cholesky_forward(n, l, x);
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            x[i] -= l[k * n + i] * x[k];
        }
        x[i] /= l[i * n + i];
    }
}

static void solve(int n, const double *factor, double *x)
{
    if (n > 3 * TN_PART_PAIR) {
        tn_dense_tree_solve(n, factor, x);
    } else {
        cholesky_solve(n, factor, x);
    }
}

// Lower factor of one block, a node or a body's velocity: most parts where there are thousands.
static bool cholesky_block(const double *a, double *l)
{
    l[0] = sqrt(a[0]);
    l[3] = a[3] / l[0];
    l[6] = a[6] / l[0];
    double d1 = a[4] - l[3] * l[3];
    l[4] = sqrt(d1);
    l[7] = (a[7] - l[6] * l[3]) / l[4];
    double d2 = a[8] - l[6] * l[6] - l[7] * l[7];
    l[8] = sqrt(d2);
    // Written so that a NaN is not positive either.
    return a[0] > 0.0 && d1 > 0.0 && d2 > 0.0 && isfinite(l[0]) && isfinite(l[4]) && isfinite(l[8]);
}

static bool factor_part(const tn_blocks *A, const tn_parts *p, int c, double *factor)
{
    int size = tn_part_size(p, c), row = p->blocks[p->start[c]];
    memset(factor, 0, 9 * (size_t)size * (size_t)size * sizeof *factor);
    if (size == 1 && A->start[row + 1] == A->start[row] + 1) {
        return cholesky_block(A->value + 9 * (size_t)A->start[row], factor);
    }
    gather_dense(A, p, c, factor);
    return size > TN_PART_PAIR ? tn_dense_tree_factor(3 * size, factor) : cholesky(3 * size, factor);
}

typedef struct factoring {
    const tn_blocks *A;
    const tn_parts *parts;
    const int *offset;
    double *factor;
    int *failed; // of each chunk the first part that is not positive definite, -1: none
} factoring;

enum { CHUNK = 1024 };

static void factor_chunk(const factoring *f, int k)
{
    f->failed[k] = -1;
    for (int c = k * CHUNK; c < f->parts->n && c < (k + 1) * CHUNK && f->failed[k] < 0; ++c) {
        f->failed[k] = factor_part(f->A, f->parts, c, f->factor + f->offset[c]) ? -1 : c;
    }
}

static void factor_chunks(const void *context, int first, int end, int thread)
{
    for (int k = first; k < end; ++k) {
        factor_chunk(context, k);
    }
}

tn_status tn_parts_factor(const tn_blocks *A, const tn_parts *p, int n_threads, tn_arena *arena, tn_part_factors *out,
                          tn_error *error)
{
    int n_chunks = (p->n + CHUNK - 1) / CHUNK;
    TN_ASSERT(!tn_parts_any_sparse(p));
    int *offset = TN_PUSH_RAW(arena, int, (size_t)p->n + 1), *failed = TN_PUSH_RAW(arena, int, n_chunks);
    if (offset) {
        offset[0] = 0;
    }
    for (int c = 0; offset && c < p->n; ++c) {
        int n = 3 * tn_part_size(p, c);
        offset[c + 1] = offset[c] + n * n;
    }
    double *factor = offset ? TN_PUSH_RAW(arena, double, offset[p->n]) : NULL;
    if (!factor || !failed) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the factors of A");
    }
    const factoring f = {.A = A, .parts = p, .offset = offset, .factor = factor, .failed = failed};
    tn_team_share(n_threads, n_chunks, 1, factor_chunks, &f);
    for (int k = 0; k < n_chunks; ++k) {
        if (failed[k] >= 0) {
            return tn_error_set(error, TN_NUMERICS, "A is not positive definite to rounding at block row %d",
                                p->blocks[p->start[failed[k]]]);
        }
    }
    *out = (tn_part_factors){.parts = p, .offset = offset, .value = factor};
    return TN_OK;
}

static const double *factor_of(const tn_part_factors *factors, int part)
{
    return &factors->value[factors->offset[part]];
}

void tn_part_half_solve(const tn_part_factors *factors, int part, double *x)
{
    int size = tn_part_size(factors->parts, part);
    if (size > TN_PART_PAIR) {
        tn_dense_tree_half_solve(3 * size, factor_of(factors, part), x);
    } else {
        cholesky_forward(3 * size, factor_of(factors, part), x);
    }
}

void tn_part_solve(const tn_part_factors *factors, int part, double *x)
{
    const double *l = factor_of(factors, part);
    int size = tn_part_size(factors->parts, part);
    if (size > 1) {
        solve(3 * size, l, x);
        return;
    }
    double y0 = x[0] / l[0], y1 = (x[1] - l[3] * y0) / l[4], y2 = (x[2] - l[6] * y0 - l[7] * y1) / l[8];
    x[2] = y2 / l[8];
    x[1] = (y1 - l[7] * x[2]) / l[4];
    x[0] = (y0 - l[3] * x[1] - l[6] * x[2]) / l[0];
}

void tn_parts_solve(const tn_part_factors *factors, double *x)
{
    const tn_parts *p = factors->parts;
    double local[3 * TN_PART_BLOCKS];
    for (int c = 0; c < p->n; ++c) {
        const int *rows = p->blocks + p->start[c];
        int n = 3 * tn_part_size(p, c);
        for (int i = 0; i < n; ++i) {
            local[i] = x[3 * (size_t)rows[i / 3] + (size_t)(i % 3)];
        }
        tn_part_solve(factors, c, local);
        for (int i = 0; i < n; ++i) {
            x[3 * (size_t)rows[i / 3] + (size_t)(i % 3)] = local[i];
        }
    }
}

bool tn_part_invert(const tn_blocks *A, const tn_parts *p, int part, double *inverse)
{
    enum { MOST = 3 * TN_PART_BLOCKS };
    double factor[MOST * MOST], x[MOST];
    int n = 3 * tn_part_size(p, part);
    TN_ASSERT(n <= MOST);
    if (!factor_part(A, p, part, factor)) {
        return false;
    }
    for (int c = 0; c < n; ++c) { // column by column
        memset(x, 0, sizeof x);
        x[c] = 1.0;
        solve(n, factor, x);
        for (int i = c; i < n; ++i) {
            inverse[i * n + c] = inverse[c * n + i] = x[i];
        }
    }
    return true;
}
