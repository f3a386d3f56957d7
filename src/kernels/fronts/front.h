// Dense fronts of a sparse Cholesky factor, in single and in double precision: the first columns of a symmetric matrix
// are eliminated, what they take from the rest is told apart from it.
//
// A front of n rows, the first k of them pivots: the columns of the pivots in `panel` (ld, k), the change of the rest's
// lower triangle in `rest` (m, m), both by columns. k is a multiple of 8, m of 16, n = k + m, ld = n rounded up to a
// multiple of 16; rows and pivots beyond the matrix are those of the unit matrix, or zero. Above the diagonal stands
// anything finite. Columns are 64-byte aligned.
//
// With fused multiply-adds where the processor has them: sums are in the same order for every instruction set, their
// rounding is not.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { TN_FRONT_STRIP = 8, TN_FRONT_ROWS = 16, TN_FRONT_DEPTH = 128 };

// Rows of a rest that lie side by side in it, in the parent's front and in a vector.
typedef struct tn_front_run {
    int from; // in the rest
    int to;   // in the parent's front
    int at;   // in a vector by elimination
    int size;
} tn_front_run;

// Part of a parent's front: its rows and columns from `first` on, columns to `end`.
typedef struct tn_front_part {
    int first, end;
    size_t ld; // of its columns
} tn_front_part;

typedef struct tn_front_kernels_single {
    const char *kind; // instruction set
    // Factor in place; the pivots' diagonal holds inverses then. rest is written, not read. packed (TN_FRONT_STRIP,
    // TN_FRONT_DEPTH) is scratch. False: a pivot is not positive, or no number.
    bool (*factor)(int n, int k, float *panel, float *rest, float *packed);
    // A child's rest (m, m), its lower triangle in ascending runs, onto the parent's: those columns that are in `part`.
    void (*add)(int n_runs, const tn_front_run *run, int m, const float *rest, tn_front_part part, float *to);
    // y (ld): L y' = y for the pivots, and y - L y' for the rest. Zeros beyond n.
    void (*forward)(int n, int k, const float *panel, float *y);
    // y (ld): L^T y' = y for the pivots, with the rest's y given. Zeros beyond n.
    void (*backward)(int n, int k, const float *panel, float *y);
} tn_front_kernels_single;

typedef struct tn_front_kernels {
    const char *kind;
    bool (*factor)(int n, int k, double *panel, double *rest, double *packed);
    void (*add)(int n_runs, const tn_front_run *run, int m, const double *rest, tn_front_part part, double *to);
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
