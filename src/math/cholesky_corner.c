// The corner of A^-1 that belongs to the rows ordered last. With A = L L^T and these rows at the end, the lower right
// corner L_c of L is the factor of their Schur complement, and (A^-1)_cc = (L_c L_c^T)^-1.
#include "base/assert.h"
#include "base/memory.h"
#include "math/blas.h"
#include "math/cholesky_data.h"

#include <lapacke.h>
#include <string.h>

// The corner of the supernodal L, column by column (n square).
static void copy_super(const cholmod_factor *L, int first, int n, double *corner)
{
    const int *super = L->super, *pi = L->pi, *px = L->px, *s = L->s;
    const double *x = L->x;
    for (size_t k = 0; k < L->nsuper; k++) {
        int n_rows = pi[k + 1] - pi[k];
        for (int column = super[k] > first ? super[k] : first; column < super[k + 1]; column++) {
            const double *values = x + px[k] + (size_t)(column - super[k]) * (size_t)n_rows;
            for (int r = column - super[k]; r < n_rows; r++) {
                corner[(size_t)(column - first) * (size_t)n + (size_t)(s[pi[k] + r] - first)] = values[r];
            }
        }
    }
}

// The same for a simplicial L L^T.
static void copy_columns(const cholmod_factor *L, int first, int n, double *corner)
{
    const int *p = L->p, *i = L->i, *count = L->nz;
    const double *x = L->x;
    for (int column = first; column < first + n; column++) {
        for (int k = p[column]; k < p[column] + count[column]; k++) {
            corner[(size_t)(column - first) * (size_t)n + (size_t)(i[k] - first)] = x[k];
        }
    }
}

// out = P corner P^T with the lower triangle of corner; place (n_last): block position of each row in the corner.
static void permute(int n_last, const int *place, const double *corner, double *out)
{
    size_t n = 3 * (size_t)n_last;
    for (size_t row = 0; row < n; row++) {
        size_t i = 3 * (size_t)place[row / 3] + row % 3;
        for (size_t column = 0; column < n; column++) {
            size_t j = 3 * (size_t)place[column / 3] + column % 3;
            out[row * n + column] = i >= j ? corner[j * n + i] : corner[i * n + j];
        }
    }
}

// Where each of the last rows went in L's order, counted from the first row of the corner.
static void find_places(const tn_cholesky *factor, int *of_block, int *place)
{
    const int *order = factor->L->Perm;
    int n_blocks = (int)(factor->L->n / 3), first = n_blocks - factor->n_last;
    for (int i = 0; i < n_blocks; i++) {
        of_block[order[3 * i] / 3] = i - first;
    }
    for (int i = 0; i < factor->n_last; i++) {
        place[i] = of_block[factor->last[i]];
        TN_ASSERT(place[i] >= 0 && order[3 * (place[i] + first)] == 3 * factor->last[i]);
    }
}

tn_status tn_cholesky_corner_inverse(const tn_cholesky *factor, double *out, tn_error *error)
{
    const cholmod_factor *L = factor->L;
    if (!factor->ready) {
        return tn_error_set(error, TN_NUMERICS, "no factor of a positive definite matrix to invert");
    }
    int n = 3 * factor->n_last;
    double *corner = tn_calloc((size_t)n * (size_t)n + 1, sizeof *corner);
    int *places = tn_calloc(L->n / 3 + (size_t)factor->n_last + 1, sizeof *places);
    if (!corner || !places) {
        tn_free(corner);
        tn_free(places);
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a dense inverse of %d rows", n);
    }
    int *of_block = places + factor->n_last;
    tn_blas_single_thread();
    (L->is_super ? copy_super : copy_columns)(L, (int)L->n - n, n, corner);
    find_places(factor, of_block, places);
    bool ok = n == 0 || LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', n, corner, n) == 0;
    if (ok) {
        permute(factor->n_last, places, corner, out);
    }
    tn_free(corner);
    tn_free(places);
    return ok ? TN_OK : tn_error_set(error, TN_NUMERICS, "the factor is singular to rounding");
}
