#include "math/band_lu.h"

#include "math/blas.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

static size_t stride(const tn_band_lu *band)
{
    return 3 * (size_t)band->width + 1;
}

bool tn_band_lu_create(tn_band_lu *band, int n, int width, tn_arena *arena)
{
    *band = (tn_band_lu){.n = n, .width = width < n ? width : n - 1};
    band->value = TN_PUSH(arena, double, (size_t)n *stride(band));
    band->pivot = TN_PUSH(arena, int, n);
    return band->value && band->pivot;
}

void tn_band_lu_clear(tn_band_lu *band)
{
    memset(band->value, 0, (size_t)band->n * stride(band) * sizeof *band->value);
}

int tn_band_lu_factor(tn_band_lu *band)
{
    int w = band->width, columns = (int)stride(band), sign = 1;
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)band->n * stride(band); ++i) {
        sum += band->value[i] * 0.0; // not a number and infinity leave their mark
    }
    tn_blas_single_thread();
    if (sum != 0.0 || isnan(sum) ||
        LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, band->n, band->n, w, w, band->value, columns, band->pivot) != 0) {
        return 0;
    }
    for (int i = 0; i < band->n; ++i) {
        sign = (*tn_band_lu_at(band, i, i) < 0.0) == (band->pivot[i] != i + 1) ? sign : -sign;
    }
    return sign;
}

void tn_band_lu_solve(const tn_band_lu *band, double *x)
{
    LAPACKE_dgbtrs_work(LAPACK_COL_MAJOR, 'N', band->n, band->width, band->width, 1, band->value, (int)stride(band),
                        band->pivot, x, band->n);
}
