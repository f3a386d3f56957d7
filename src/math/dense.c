#include "math/dense.h"

#include "base/memory.h"
#include "math/blas.h"
#include "math/sums.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

// LAPACK works by columns: our row-major a is its a^T. All calls below use that instead of copying,
// and the _work entries, which do not allocate.

static bool all_finite(size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

// Up to this size loops of our own are faster than the library's calls: 6 x 6 three times, 27 x 27 (a humanoid) twice.
enum { SMALL = 32 };

static double dot(int n, const double *x, const double *y)
{
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        s += x[i] * y[i];
    }
    return s;
}

static bool small_cholesky(int n, double *a)
{
    for (int i = 0; i < n; i++) {
        double *row = a + i * n;
        for (int j = 0; j < i; j++) {
            row[j] = (row[j] - dot(j, row, a + j * n)) / a[j * n + j];
        }
        double pivot = row[i] - dot(i, row, row);
        if (!(pivot > 0.0 && isfinite(pivot))) {
            return false;
        }
        row[i] = sqrt(pivot);
    }
    return true;
}

static void small_cholesky_solve(int n, const double *factor, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] = (x[i] - dot(i, factor + i * n, x)) / factor[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= factor[i * n + i];
        for (int j = 0; j < i; j++) {
            x[j] -= factor[i * n + j] * x[i];
        }
    }
}

bool tn_dense_cholesky(int n, double *a)
{
    if (n <= SMALL) {
        return small_cholesky(n, a);
    }
    if (!all_finite((size_t)n * (size_t)n, a)) {
        return false;
    }
    tn_blas_single_thread();
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, a, n) == 0;
}

void tn_dense_cholesky_solve(int n, const double *factor, double *x)
{
    if (n <= SMALL) {
        small_cholesky_solve(n, factor, x);
        return;
    }
    tn_blas_single_thread();
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', n, 1, factor, n, x, n);
}

bool tn_dense_tree_factor(int n, double *a)
{
    for (int k = n - 1; k >= 0; k--) {
        double *row = a + (size_t)k * (size_t)n;
        if (!(row[k] > 0.0 && isfinite(row[k]))) {
            return false;
        }
        row[k] = 1.0 / row[k];
        for (int i = k - 1; i >= 0; i--) { // row[j], j < i, are not scaled yet
            if (row[i] != 0.0) {
                double l = row[i] * row[k];
                tn_add_scaled((size_t)i + 1, -l, row, a + (size_t)i * (size_t)n);
                row[i] = l;
            }
        }
    }
    return true;
}

void tn_dense_tree_half_solve(int n, const double *factor, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        const double *row = factor + (size_t)i * (size_t)n;
        if (x[i] != 0.0) {
            tn_add_scaled((size_t)i, -x[i], row, x);
            x[i] *= sqrt(row[i]);
        }
    }
}

void tn_dense_tree_solve(int n, const double *factor, double *x)
{
    for (int i = n - 1; i > 0; i--) {
        tn_add_scaled((size_t)i, -x[i], factor + (size_t)i * (size_t)n, x);
    }
    for (int i = 0; i < n; i++) {
        const double *row = factor + (size_t)i * (size_t)n;
        x[i] = x[i] * row[i] - tn_dot((size_t)i, row, x);
    }
}

bool tn_dense_lu(int n, double *a, int *pivot)
{
    if (n == 0) {
        return true;
    }
    if (!all_finite((size_t)n * (size_t)n, a)) {
        return false;
    }
    tn_blas_single_thread();
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivot) == 0;
}

void tn_dense_lu_solve(int n, const double *factor, const int *pivot, double *x)
{
    if (n > 0) {
        tn_blas_single_thread();
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, 1, factor, n, pivot, x, n);
    }
}

bool tn_dense_solve(int n, double *a, double *x, int *pivot)
{
    if (!tn_dense_lu(n, a, pivot)) {
        return false;
    }
    tn_dense_lu_solve(n, a, pivot, x);
    return true;
}

// dgelsy on the column-major copy c; the caller frees pivot and work.
static int least_squares(int m, int n, double *c, double *b, double rcond, int *pivot, double *work, int n_work)
{
    int rank = 0;
    int rows = m > n ? m : n;
    memset(pivot, 0, (size_t)n * sizeof *pivot);
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, 1, c, m, b, rows, pivot, rcond, &rank, work, n_work);
    return rank;
}

int tn_dense_least_squares(int m, int n, double *a, double *b, double rcond)
{
    if (m == 0 || n == 0) {
        for (int j = 0; j < n; j++) {
            b[j] = 0.0;
        }
        return 0;
    }
    if (!all_finite((size_t)m * (size_t)n, a)) {
        for (int j = 0; j < n; j++) {
            b[j] = (double)NAN;
        }
        return 0;
    }
    int rank = 0, no_pivot = 0;
    double size = 0.0;
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, 1, a, m, b, m > n ? m : n, &no_pivot, rcond, &rank, &size, -1);
    double *copy = tn_malloc((size_t)m * (size_t)n * sizeof *copy);
    double *work = tn_malloc((size_t)size * sizeof *work);
    int *pivot = tn_malloc((size_t)n * sizeof *pivot);
    rank = -1;
    if (copy && work && pivot) {
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                copy[(size_t)j * (size_t)m + (size_t)i] = a[(size_t)i * (size_t)n + (size_t)j];
            }
        }
        tn_blas_single_thread();
        rank = least_squares(m, n, copy, b, rcond, pivot, work, (int)size);
    }
    tn_free(copy);
    tn_free(work);
    tn_free(pivot);
    return rank;
}

bool tn_dense_eigen(int n, double *a, double *values)
{
    if (n == 0) {
        return true;
    }
    double size = 0.0;
    if (!all_finite((size_t)n * (size_t)n, a) ||
        LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values, &size, -1) != 0) {
        return false;
    }
    double *work = tn_malloc((size_t)size * sizeof *work);
    if (!work) {
        return false;
    }
    tn_blas_single_thread();
    int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values, work, (int)size);
    tn_free(work);
    return info == 0;
}
