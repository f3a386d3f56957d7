#include "math/cholesky.h"

#include "base/assert.h"
#include "base/memory.h"
#include "math/blas.h"

#include <cholmod.h>
#include <limits.h>
#include <math.h>
#include <string.h>

struct tn_cholesky {
    cholmod_common common;
    cholmod_sparse *A;        // lower triangle, scalar, compressed columns
    cholmod_factor *L;        // supernodal where that pays
    cholmod_dense *X, *Y, *E; // workspaces of the solve, kept between calls
    int n_blocks;             // blocks of the analysed matrix, to recognise another pattern
    bool ready;               // L holds the values of a positive definite matrix
};

static void settings(cholmod_common *common)
{
    common->error_handler = NULL;
    common->print = 0;
    common->try_catch = 1;
    common->supernodal = CHOLMOD_AUTO;
    common->final_ll = 1; // L L^T and never L D L^T, which would accept an indefinite matrix
    common->quick_return_if_not_posdef = 1;
    common->nmethods = 1; // one ordering that does not depend on optional packages
    common->method[0].ordering = CHOLMOD_AMD;
    common->postorder = 1;
}

// Write the lower triangle of A into the columns of S (row I of a symmetric A is its column I).
// With values only (start != NULL is already filled) the pattern is rewritten to the same numbers.
static void fill(const tn_blocks *A, cholmod_sparse *S)
{
    int *p = S->p, *i = S->i;
    double *x = S->x;
    int n = 0;
    for (int row = 0; row < A->n_rows; row++) {
        for (int a = 0; a < 3; a++) {
            p[3 * row + a] = n;
            for (int k = A->start[row]; k < A->start[row + 1]; k++) {
                int first = A->column[k] < row ? 3 : A->column[k] == row ? a : 0;
                for (int b = first; b < 3; b++) {
                    i[n] = 3 * A->column[k] + b;
                    x[n++] = A->value[9 * (size_t)k + (size_t)(3 * a + b)];
                }
            }
        }
    }
    p[3 * A->n_rows] = n;
}

static size_t lower_count(const tn_blocks *A)
{
    size_t n = 0;
    for (int row = 0; row < A->n_rows; row++) {
        for (int k = A->start[row]; k < A->start[row + 1]; k++) {
            n += A->column[k] > row ? 9 : A->column[k] == row ? 6 : 0;
        }
    }
    return n;
}

tn_cholesky *tn_cholesky_create(const tn_blocks *A, tn_error *error)
{
    TN_ASSERT(A->n_rows == A->n_cols);
    size_t n = 3 * (size_t)A->n_rows, nonzeros = lower_count(A);
    if (n > INT_MAX || nonzeros > INT_MAX) {
        tn_error_set(error, TN_BAD_INPUT, "matrix too large for the sparse factorisation: %zu rows", n);
        return NULL;
    }
    tn_cholesky *factor = tn_calloc(1, sizeof *factor);
    if (!factor) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for a sparse factorisation");
        return NULL;
    }
    tn_blas_single_thread();
    cholmod_common *common = &factor->common;
    cholmod_start(common);
    settings(common);
    factor->n_blocks = A->start[A->n_rows];
    factor->A = cholmod_allocate_sparse(n, n, nonzeros, 1, 1, -1, CHOLMOD_REAL, common);
    if (factor->A) {
        fill(A, factor->A);
        factor->L = cholmod_analyze(factor->A, common);
    }
    if (!factor->L) {
        tn_error_set(error, TN_NO_MEMORY, "no memory to analyse a sparse matrix of %zu rows", n);
        tn_cholesky_destroy(factor);
        return NULL;
    }
    return factor;
}

void tn_cholesky_destroy(tn_cholesky *factor)
{
    if (!factor) {
        return;
    }
    cholmod_common *common = &factor->common;
    cholmod_free_dense(&factor->X, common);
    cholmod_free_dense(&factor->Y, common);
    cholmod_free_dense(&factor->E, common);
    cholmod_free_factor(&factor->L, common);
    cholmod_free_sparse(&factor->A, common);
    cholmod_finish(common);
    tn_free(factor);
}

// The first row of A with a number that is not finite, or -1. BLAS may factor NaN without a word.
static int not_finite_row(const tn_blocks *A)
{
    for (int row = 0; row < A->n_rows; row++) {
        for (size_t k = 9 * (size_t)A->start[row]; k < 9 * (size_t)A->start[row + 1]; k++) {
            if (!isfinite(A->value[k])) {
                return row;
            }
        }
    }
    return -1;
}

tn_status tn_cholesky_factor(tn_cholesky *factor, const tn_blocks *A, tn_error *error)
{
    TN_ASSERT(3 * (size_t)A->n_rows == factor->A->nrow && A->start[A->n_rows] == factor->n_blocks);
    factor->ready = false;
    int bad = not_finite_row(A);
    if (bad >= 0) {
        return tn_error_set(error, TN_NUMERICS, "the matrix is not finite in block row %d", bad);
    }
    tn_blas_single_thread();
    fill(A, factor->A);
    cholmod_factorize(factor->A, factor->L, &factor->common);
    if (factor->common.status == CHOLMOD_OUT_OF_MEMORY) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to factor a sparse matrix of %d rows", 3 * A->n_rows);
    }
    if (factor->common.status < 0) {
        return tn_error_set(error, TN_NUMERICS, "sparse factorisation failed (CHOLMOD status %d)",
                            factor->common.status);
    }
    if (factor->L->minor < factor->L->n) {
        const int *order = factor->L->Perm;
        return tn_error_set(error, TN_NUMERICS, "the matrix is not positive definite (found at block row %d)",
                            order[factor->L->minor] / 3);
    }
    factor->ready = true;
    return TN_OK;
}

tn_status tn_cholesky_solve(tn_cholesky *factor, int n_rhs, const double *b, double *x, tn_error *error)
{
    if (!factor->ready) {
        return tn_error_set(error, TN_NUMERICS, "no factor of a positive definite matrix to solve with");
    }
    size_t n = factor->L->n;
    if (n == 0 || n_rhs == 0) {
        return TN_OK;
    }
    cholmod_dense B = {.nrow = n,
                       .ncol = (size_t)n_rhs,
                       .nzmax = n * (size_t)n_rhs,
                       .d = n,
                       .x = (void *)b,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
    if (!cholmod_solve2(CHOLMOD_A, factor->L, &B, NULL, &factor->X, NULL, &factor->Y, &factor->E, &factor->common)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to solve with %d right-hand sides", n_rhs);
    }
    memcpy(x, factor->X->x, n * (size_t)n_rhs * sizeof *x);
    return TN_OK;
}

size_t tn_cholesky_bytes(const tn_cholesky *factor)
{
    return factor->common.memory_inuse;
}
