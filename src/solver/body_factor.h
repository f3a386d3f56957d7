// Cholesky factor of a matrix of bodies, A + J^T C J: in an envelope of 6x6 blocks in the caller's arena where the
// bodies hang together in a slender way (towers, walls, chains, few bodies), else CHOLMOD's, which makes its own
// memory.
//
// Block rows are taken in pairs, a body's velocity and spin, ordered by the reverse Cuthill-McKee method.
#pragma once

#include "base/arena.h"
#include "kernels/skyline/envelope.h"
#include "math/cholesky.h"

typedef struct tn_body_factor {
    tn_envelope envelope;
    const int *place;      // (block rows) where its three numbers lie among the (envelope.n, 8)
    double *x;             // (envelope.n, 8)
    int n_rows;            // block rows
    double flops, entries; // of one factorisation; numbers in the factor
    tn_cholesky *cholesky; // instead; NULL: the envelope
} tn_body_factor;

// Of K's pattern. Destroy also after a failure.
tn_status tn_body_factor_create(tn_body_factor *factor, const tn_blocks *K, tn_arena *arena, tn_error *error);
void tn_body_factor_destroy(tn_body_factor *factor);
tn_status tn_body_factor_values(tn_body_factor *factor, const tn_blocks *K,
                                tn_error *error); // TN_NUMERICS: not positive definite
tn_status tn_body_factor_solve(tn_body_factor *factor, const double *b, double *x, tn_error *error); // x may alias b
