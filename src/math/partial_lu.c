#include "math/partial_lu.h"

#include "math/blas.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stddef.h>

int tn_partial_lu_factor(int n, int k, double *front, int *pivot)
{
    int sign = 1, m = n - k;
    double *right = front + (size_t)k * (size_t)n, *below = front + k, *rest = right + k;
    tn_blas_single_thread();
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, k, k, front, n, pivot) != 0) {
        return 0;
    }
    for (int i = 0; i < k; ++i) {
        double d = front[(size_t)i * ((size_t)n + 1)];
        if (!isfinite(d)) {
            return 0;
        }
        sign = (d < 0.0) == (pivot[i] != i + 1) ? sign : -sign;
    }
    if (m > 0) {
        LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, m, right, n, 1, k, pivot, 1);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, k, m, 1.0, front, n, right, n);
        cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, m, k, 1.0, front, n, below, n);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, m, k, -1.0, below, n, right, n, 1.0, rest, n);
    }
    return sign;
}

void tn_partial_lu_forward(int n, int k, const double *front, const int *pivot, double *y)
{
    for (int i = 0; i < k; ++i) {
        double other = y[pivot[i] - 1];
        y[pivot[i] - 1] = y[i];
        y[i] = other;
    }
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasUnit, k, front, n, y, 1);
    if (n > k) {
        cblas_dgemv(CblasColMajor, CblasNoTrans, n - k, k, -1.0, front + k, n, y, 1, 1.0, y + k, 1);
    }
}

void tn_partial_lu_backward(int n, int k, const double *front, double *y)
{
    if (n > k) {
        const double *right = front + (size_t)k * (size_t)n;
        cblas_dgemv(CblasColMajor, CblasNoTrans, k, n - k, -1.0, right, n, y + k, 1, 1.0, y, 1);
    }
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, k, front, n, y, 1);
}
