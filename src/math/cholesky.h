// Sparse Cholesky factor of a symmetric positive definite block matrix; CHOLMOD (SuiteSparse) behind it.
#pragma once

#include "tenon/error.h"
#include "tenon/problem.h"

typedef struct tn_cholesky tn_cholesky;

// Analyse the pattern of A once; tn_cholesky_factor then takes any A of the same pattern.
// CHOLMOD allocates by itself: tn_cholesky_bytes reports it apart from our arenas.
tn_cholesky *tn_cholesky_create(const tn_blocks *A, tn_error *error);
// The same with n_last block rows (last: which) ordered after all others, for tn_cholesky_corner_inverse. Fills in more
// than a free order: worth it where A^-1 is wanted between these rows only.
tn_cholesky *tn_cholesky_create_last(const tn_blocks *A, int n_last, const int *last, tn_error *error);
void tn_cholesky_destroy(tn_cholesky *factor);
tn_status tn_cholesky_factor(tn_cholesky *factor, const tn_blocks *A,
                             tn_error *error); // TN_NUMERICS: not positive definite
// x = A^-1 b for n_rhs columns stored one after the other, each 3 A->n_rows long. x may alias b.
tn_status tn_cholesky_solve(tn_cholesky *factor, int n_rhs, const double *b, double *x, tn_error *error);
// out (3 n_last square, row-major) = the blocks of A^-1 between the rows ordered last, in the order given to create.
tn_status tn_cholesky_corner_inverse(const tn_cholesky *factor, double *out, tn_error *error);
double tn_cholesky_flops(const tn_cholesky *factor);   // multiplications and additions of one factorisation
double tn_cholesky_entries(const tn_cholesky *factor); // numbers in the factor, without its zeros
size_t tn_cholesky_bytes(const tn_cholesky *factor);
