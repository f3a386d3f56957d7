// Small dense systems and products, rows padded to eight numbers.
#pragma once

#include <stdbool.h>

// y (n) = A x, A (n, stride) row-major, stride a multiple of eight; x (stride), zero beyond the columns of A.
void tn_dense_product(int n, int stride, const double *A, const double *x, double *y);
// y_i (n) = sum over j of |A_ij x_j|, likewise: what rounding of the product is a part of.
void tn_dense_sizes(int n, int stride, const double *A, const double *x, double *y);
// Solves A x = b in place by Gaussian elimination with partial pivoting: A (n, stride) row-major with b in column n,
// stride a multiple of eight and above n; overwritten. x (n). False: singular.
bool tn_dense_eliminate(int n, int stride, double *A, double *x);
// A run of columns.
typedef struct tn_dense_run {
    int from, n;
} tn_dense_run;
// Products of S (9) with three rows W (3, stride) over runs of columns, one run behind the other: out (3, width).
void tn_dense_combine(int n_runs, const tn_dense_run *runs, const double S[9], int stride, const double *W, int width,
                      double *out);
// The first three by a named instruction set, for tests; false: unknown, or the processor lacks it.
bool tn_dense_solve_with(const char *kind, int n, int stride, double *A, const double *x, double *y, double *sizes,
                         double *solution, bool *regular);
