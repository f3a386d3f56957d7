// Sparse Cholesky factor of a symmetric positive definite block matrix; CHOLMOD (SuiteSparse) behind it.
#pragma once

#include "tenon/error.h"
#include "tenon/problem.h"

typedef struct tn_cholesky tn_cholesky;

// Analyse the pattern of A once; tn_cholesky_factor then takes any A of the same pattern.
// CHOLMOD allocates by itself: tn_cholesky_bytes reports it apart from our arenas.
tn_cholesky *tn_cholesky_create(const tn_blocks *A, tn_error *error);
void tn_cholesky_destroy(tn_cholesky *factor);
tn_status tn_cholesky_factor(tn_cholesky *factor, const tn_blocks *A,
                             tn_error *error); // TN_NUMERICS: not positive definite
// x = A^-1 b for n_rhs columns stored one after the other, each 3 A->n_rows long. x may alias b.
tn_status tn_cholesky_solve(tn_cholesky *factor, int n_rhs, const double *b, double *x, tn_error *error);
size_t tn_cholesky_bytes(const tn_cholesky *factor);
