#include "math/cholesky.h"

#include "base/assert.h"
#include "base/memory.h"
#include "math/blas.h"
#include "math/cholesky_data.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <string.h>

static void settings(cholmod_common *common)
{
    common->error_handler = NULL;
    common->print = 0;
    common->try_catch = 1;
    common->supernodal = CHOLMOD_AUTO;
    common->final_ll = 1; // L L^T and never L D L^T, which would accept an indefinite matrix
    common->quick_return_if_not_posdef = 1;
    common->nmethods = 1; // the order is ours (cholesky_order.c)
    common->method[0].ordering = CHOLMOD_GIVEN;
    common->postorder = 1;
}

// CHOLMOD 5.12 starts four OpenMP threads of its own for every small supernode, which doubles to quadruples the time
// of a factorisation of a few thousand rows. Returns what end needs to know.
static int begin_serial(void)
{
    int before = omp_get_max_active_levels();
    omp_set_max_active_levels(0); // of the calling thread's tasks only
    return before;
}

static void end_serial(int before)
{
    omp_set_max_active_levels(before);
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

// Order and symbolic factor. The order of the last rows must survive: no postordering of ours then (CAMD has done its).
static bool analyze(tn_cholesky *factor, const tn_blocks *A)
{
    cholmod_common *common = &factor->common;
    size_t n = (size_t)A->n_rows;
    int *order = tn_calloc(4 * n + 1, sizeof *order);
    if (!order) {
        return false;
    }
    int *is_last = order + 3 * n;
    for (int i = 0; i < factor->n_last; i++) {
        is_last[factor->last[i]] = 1;
    }
    bool ok = n == 0 || tn_cholesky_order(A, factor->n_last > 0 ? is_last : NULL, order);
    if (ok) {
        common->postorder = factor->n_last == 0;
        factor->L = cholmod_analyze_p(factor->A, order, NULL, 0, common);
    }
    tn_free(order);
    return factor->L != NULL;
}

tn_cholesky *tn_cholesky_create_last(const tn_blocks *A, int n_last, const int *last, tn_error *error)
{
    TN_ASSERT(A->n_rows == A->n_cols && n_last <= A->n_rows);
    size_t n = 3 * (size_t)A->n_rows, nonzeros = lower_count(A);
    if (n > INT_MAX || nonzeros > INT_MAX) {
        tn_error_set(error, TN_BAD_INPUT, "matrix too large for the sparse factorisation: %zu rows", n);
        return NULL;
    }
    tn_cholesky *factor = tn_calloc(1, sizeof *factor);
    int *copy = tn_calloc((size_t)n_last + 1, sizeof *copy);
    if (!factor || !copy) {
        tn_free(factor);
        tn_free(copy);
        tn_error_set(error, TN_NO_MEMORY, "no memory for a sparse factorisation");
        return NULL;
    }
    for (int i = 0; i < n_last; i++) {
        copy[i] = last[i];
    }
    tn_blas_single_thread();
    cholmod_common *common = &factor->common;
    cholmod_start(common);
    settings(common);
    factor->n_blocks = A->start[A->n_rows];
    factor->n_last = n_last;
    factor->last = copy;
    factor->A = cholmod_allocate_sparse(n, n, nonzeros, 1, 1, -1, CHOLMOD_REAL, common);
    if (factor->A) {
        fill(A, factor->A);
    }
    if (!factor->A || !analyze(factor, A)) {
        tn_error_set(error, TN_NO_MEMORY, "no memory to analyse a sparse matrix of %zu rows", n);
        tn_cholesky_destroy(factor);
        return NULL;
    }
    return factor;
}

tn_cholesky *tn_cholesky_create(const tn_blocks *A, tn_error *error)
{
    return tn_cholesky_create_last(A, 0, NULL, error);
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
    tn_free(factor->last);
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
    int levels = begin_serial();
    cholmod_factorize(factor->A, factor->L, &factor->common);
    end_serial(levels);
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
    tn_blas_single_thread();
    int levels = begin_serial();
    int solved =
        cholmod_solve2(CHOLMOD_A, factor->L, &B, NULL, &factor->X, NULL, &factor->Y, &factor->E, &factor->common);
    end_serial(levels);
    if (!solved) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to solve with %d right-hand sides", n_rhs);
    }
    memcpy(x, factor->X->x, n * (size_t)n_rhs * sizeof *x);
    return TN_OK;
}

double tn_cholesky_flops(const tn_cholesky *factor)
{
    const int *count = factor->L->ColCount;
    double sum = 0.0;
    for (size_t i = 0; i < factor->L->n; i++) {
        sum += (double)count[i] * (double)count[i];
    }
    return sum;
}

double tn_cholesky_entries(const tn_cholesky *factor)
{
    const int *count = factor->L->ColCount;
    double sum = 0.0;
    for (size_t i = 0; i < factor->L->n; i++) {
        sum += count[i];
    }
    return sum;
}

size_t tn_cholesky_bytes(const tn_cholesky *factor)
{
    return factor->common.memory_inuse;
}
