#include "problem/components.h"

#include "base/assert.h"
#include "base/team.h"
#include "kernels/sell.h"
#include "math/blocks.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static void sort_into_components(int n_rows, const int *of_block, int n, int *start, int *blocks, int *place)
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

tn_status tn_components_sort(int n_rows, int n, const int *of_block, tn_arena *arena, tn_components *out)
{
    int *start = TN_PUSH(arena, int, (size_t)n + 1);
    int *blocks = TN_PUSH(arena, int, n_rows);
    int *place = TN_PUSH(arena, int, n_rows);
    if (!start || !blocks || !place) {
        return TN_NO_MEMORY;
    }
    sort_into_components(n_rows, of_block, n, start, blocks, place);
    int largest = 0;
    for (int c = 0; c < n; ++c) {
        largest = start[c + 1] - start[c] > largest ? start[c + 1] - start[c] : largest;
    }
    *out = (tn_components){
        .n = n, .largest = largest, .of_block = of_block, .start = start, .blocks = blocks, .place = place};
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
static tn_status take_rows(int n_rows, tn_arena *arena, tn_components *out)
{
    int *number = TN_PUSH_RAW(arena, int, (size_t)n_rows + 1);
    int *place = TN_PUSH(arena, int, n_rows);
    for (int i = 0; number && i <= n_rows; ++i) {
        number[i] = i;
    }
    *out = (tn_components){
        .n = n_rows, .largest = n_rows > 0, .of_block = number, .start = number, .blocks = number, .place = place};
    return number && place ? TN_OK : TN_NO_MEMORY;
}

tn_status tn_components_find(const tn_blocks *A, tn_arena *arena, tn_components *out)
{
    if (is_block_diagonal(A)) {
        return take_rows(A->n_rows, arena, out);
    }
    int *of_block = TN_PUSH(arena, int, A->n_rows);
    int n = of_block ? tn_blocks_components(A, of_block, arena) : -1;
    return n < 0 ? TN_NO_MEMORY : tn_components_sort(A->n_rows, n, of_block, arena, out);
}

tn_status tn_components_of(const tn_problem *problem, tn_arena *arena, tn_components *out)
{
    const tn_layout *layout = problem->layout;
    return layout ? tn_components_sort(layout->n_rows, layout->n_components, layout->component, arena, out)
                  : tn_components_find(problem->A, arena, out);
}

// The component's part of A as a dense matrix of 3 size rows; a is zero before.
static void gather_dense(const tn_blocks *A, const tn_components *p, int c, double *a)
{
    int size = p->start[c + 1] - p->start[c];
    int n = 3 * size;
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

// Lower factor in place, rows left to right; false where a pivot is not positive (NaN included), *failed its row.
static bool cholesky(int n, double *a, int *failed)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; ++k) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (j < i) {
                a[i * n + j] = sum / a[j * n + j];
            } else if (sum > 0.0 && isfinite(sum)) {
                a[i * n + i] = sqrt(sum);
            } else {
                *failed = i;
                return false;
            }
        }
    }
    return true;
}

// The same for one block of A, a node or a body confined to a plane: most components where there are thousands.
static bool cholesky_block(const double *a, double *l, int *failed)
{
    double d0 = a[0], l10 = a[3], l20 = a[6];
    *failed = 0;
    if (!(d0 > 0.0) || !isfinite(d0)) {
        return false;
    }
    l[0] = sqrt(d0);
    l[3] = l10 / l[0];
    l[6] = l20 / l[0];
    double d1 = a[4] - l[3] * l[3];
    *failed = 1;
    if (!(d1 > 0.0) || !isfinite(d1)) {
        return false;
    }
    l[4] = sqrt(d1);
    l[7] = (a[7] - l[6] * l[3]) / l[4];
    double d2 = a[8] - l[6] * l[6] - l[7] * l[7];
    *failed = 2;
    if (!(d2 > 0.0) || !isfinite(d2)) {
        return false;
    }
    l[8] = sqrt(d2);
    return true;
}

static bool factor_component(const tn_blocks *A, const tn_components *p, int c, double *factor, int *failed)
{
    int size = p->start[c + 1] - p->start[c], row = p->blocks[p->start[c]];
    if (size == 1 && A->start[row + 1] == A->start[row] + 1) {
        return cholesky_block(A->value + 9 * (size_t)A->start[row], factor, failed);
    }
    gather_dense(A, p, c, factor);
    return cholesky(3 * size, factor, failed);
}

// Components first..end-1. Returns the block row where one is not positive definite, -1: none.
static int factor_range(const tn_blocks *A, const tn_components *p, int first, int end, const int *offset,
                        double *factor)
{
    for (int c = first; c < end; ++c) {
        int failed = 0;
        memset(factor + offset[c], 0, (size_t)(offset[c + 1] - offset[c]) * sizeof *factor);
        if (!factor_component(A, p, c, factor + offset[c], &failed)) {
            return p->blocks[p->start[c] + failed / 3];
        }
    }
    return -1;
}

tn_status tn_components_factor(const tn_blocks *A, tn_arena *arena, tn_components *out, tn_error *error)
{
    enum { PART = 1024 };
    int n_parts = (out->n + PART - 1) / PART;
    TN_ASSERT(out->largest <= TN_COMPONENT_BLOCKS);
    int *offset = TN_PUSH_RAW(arena, int, (size_t)out->n + 1), *failed = TN_PUSH_RAW(arena, int, n_parts);
    if (offset) {
        offset[0] = 0;
    }
    for (int c = 0; offset && c < out->n; ++c) {
        int n = 3 * (out->start[c + 1] - out->start[c]);
        offset[c + 1] = offset[c] + n * n;
    }
    double *factor = offset ? TN_PUSH_RAW(arena, double, offset[out->n]) : NULL;
    if (!factor || !failed) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the factors of A");
    }
    TN_TEAM_FOR((static), n_parts > 1 ? out->n_threads : 1, k, n_parts, {
        failed[k] = factor_range(A, out, k * PART, k + 1 < n_parts ? (k + 1) * PART : out->n, offset, factor);
    });
    for (int k = 0; k < n_parts; ++k) {
        if (failed[k] >= 0) {
            return tn_error_set(error, TN_NUMERICS, "A is not positive definite to rounding at block row %d",
                                failed[k]);
        }
    }
    out->offset = offset;
    out->factor = factor;
    return TN_OK;
}

void tn_components_solve_one(const tn_components *components, int c, double *x)
{
    int n = 3 * (components->start[c + 1] - components->start[c]);
    const double *l = &components->factor[components->offset[c]];
    if (n == 3) {
        double y0 = x[0] / l[0], y1 = (x[1] - l[3] * y0) / l[4], y2 = (x[2] - l[6] * y0 - l[7] * y1) / l[8];
        x[2] = y2 / l[8];
        x[1] = (y1 - l[7] * x[2]) / l[4];
        x[0] = (y0 - l[3] * x[1] - l[6] * x[2]) / l[0];
        return;
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            x[i] -= l[i * n + k] * x[k];
        }
        x[i] /= l[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            x[i] -= l[k * n + i] * x[k];
        }
        x[i] /= l[i * n + i];
    }
}

void tn_components_solve(const tn_components *components, double *x)
{
    double local[3 * TN_COMPONENT_BLOCKS];
    for (int c = 0; c < components->n; ++c) {
        int start = components->start[c];
        int n = 3 * (components->start[c + 1] - start);
        for (int i = 0; i < n; ++i) {
            local[i] = x[3 * (size_t)components->blocks[start + i / 3] + (size_t)(i % 3)];
        }
        tn_components_solve_one(components, c, local);
        for (int i = 0; i < n; ++i) {
            x[3 * (size_t)components->blocks[start + i / 3] + (size_t)(i % 3)] = local[i];
        }
    }
}
