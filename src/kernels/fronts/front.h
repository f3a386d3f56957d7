// Dense fronts of a sparse Cholesky factor, in single and in double precision: the first columns of a symmetric matrix
// are eliminated, what they take from the rest is subtracted from it.
//
// A front of n rows, the first k of them pivots: the columns of the pivots in `panel` (ld, k), the rest of the lower
// triangle in `rest` (m, m), both by columns. k is a multiple of 8, m of 16, n = k + m, ld = n rounded up to a multiple
// of 16; rows and pivots beyond the matrix are those of the unit matrix, or zero. Above the diagonal stands anything
// finite. Columns are 64-byte aligned.
//
// With fused multiply-adds where the processor has them: sums are in the same order for every instruction set, their
// rounding is not.
#pragma once

#include <stdbool.h>

enum { TN_FRONT_STRIP = 8, TN_FRONT_ROWS = 16, TN_FRONT_DEPTH = 128 };

typedef struct tn_front_kernels_single {
    const char *kind; // instruction set
    // Factor in place; the pivots' diagonal holds inverses then. packed (TN_FRONT_STRIP, TN_FRONT_DEPTH) is scratch.
    // False: a pivot is not positive, or no number.
    bool (*factor)(int n, int k, float *panel, float *rest, float *packed);
    // y (ld): L y' = y for the pivots, and y - L y' for the rest. Zeros beyond n.
    void (*forward)(int n, int k, const float *panel, float *y);
    // y (ld): L^T y' = y for the pivots, with the rest's y given. Zeros beyond n.
    void (*backward)(int n, int k, const float *panel, float *y);
} tn_front_kernels_single;

typedef struct tn_front_kernels {
    const char *kind;
    bool (*factor)(int n, int k, double *panel, double *rest, double *packed);
    void (*forward)(int n, int k, const double *panel, double *y);
    void (*backward)(int n, int k, const double *panel, double *y);
} tn_front_kernels;

// Those of this processor; kind NULL: the best, else that instruction set or NULL.
const tn_front_kernels *tn_front_kernels_find(const char *kind);
const tn_front_kernels_single *tn_front_kernels_find_single(const char *kind);

static inline int tn_front_stride(int n)
{
    return (n + TN_FRONT_ROWS - 1) / TN_FRONT_ROWS * TN_FRONT_ROWS;
}
