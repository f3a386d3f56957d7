// Cholesky factor of a matrix of bodies, A + J^T C J, by fronts in the caller's arena. A body's velocity and spin, two
// block rows that name the same others, are one node of the elimination tree.
#pragma once

#include "base/arena.h"
#include "kernels/fronts/fronts.h"
#include "tenon/error.h"

typedef struct tn_body_factor {
    double flops, entries; // of one factorisation; numbers in the factor
    tn_fronts fronts;
} tn_body_factor;

// Of K's pattern; all memory is the arena's.
tn_status tn_body_factor_create(tn_body_factor *factor, const tn_blocks *K, tn_arena *arena, tn_error *error);
// Of those of K's blocks that are kept (tree.h), in the memory of lender's values where that is as large.
tn_status tn_body_factor_create_thin(tn_body_factor *factor, const tn_blocks *K, const bool *kept,
                                     const tn_body_factor *lender, tn_arena *arena, tn_error *error);
// TN_NUMERICS: not positive definite.
tn_status tn_body_factor_values(tn_body_factor *factor, const tn_blocks *K, tn_error *error);
// The same in single precision, for an iteration that makes up for it. False: not positive definite.
bool tn_body_factor_values_rough(tn_body_factor *factor, const tn_blocks *K);
void tn_body_factor_solve(tn_body_factor *factor, const double *b, double *x); // x may alias b
