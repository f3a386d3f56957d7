// Cholesky factor of a matrix of bodies, A + J^T C J: in an envelope of 6x6 blocks in the caller's arena where the
// bodies hang together in a slender way (towers, walls, chains, few bodies), else by fronts.
//
// Block rows are taken in pairs, a body's velocity and spin; those of an envelope are ordered by the reverse
// Cuthill-McKee method.
#pragma once

#include "base/arena.h"
#include "kernels/fronts/fronts.h"
#include "kernels/skyline/envelope.h"
#include "tenon/error.h"

typedef struct tn_body_factor {
    tn_envelope envelope;
    const int *place;      // (block rows) where its three numbers lie among the (envelope.n, 8)
    double *x;             // (envelope.n, 8)
    int n_rows;            // block rows
    double flops, entries; // of one factorisation; numbers in the factor
    tn_fronts *fronts;     // instead; NULL: the envelope
} tn_body_factor;

// Of K's pattern; all memory is the arena's.
tn_status tn_body_factor_create(tn_body_factor *factor, const tn_blocks *K, tn_arena *arena, tn_error *error);
// By fronts, of those of K's blocks that are kept (tree.h), in the memory of lender's values where that is as large.
tn_status tn_body_factor_create_thin(tn_body_factor *factor, const tn_blocks *K, const bool *kept,
                                     const tn_body_factor *lender, tn_arena *arena, tn_error *error);
tn_status tn_body_factor_values(tn_body_factor *factor, const tn_blocks *K,
                                tn_error *error); // TN_NUMERICS: not positive definite
// The same in single precision where that is cheaper, for an iteration that makes up for it. False: not positive
// definite.
bool tn_body_factor_values_rough(tn_body_factor *factor, const tn_blocks *K);
tn_status tn_body_factor_solve(const tn_body_factor *factor, const double *b, double *x,
                               tn_error *error); // x may alias b
