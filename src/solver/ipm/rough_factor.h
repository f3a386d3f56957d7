// Solves with K = A + J^T C J in a large heap by conjugate gradients and a factor that is cheaper than K's own.
//
// While an interior point method is far from its solution the contacts' C differ little, and an incomplete factor in
// K's own pattern does in 5 to 30 products. Near the solution nearly half of the contacts weigh next to nothing, and
// a factor without them does in two to six. In between neither pays.
#pragma once

#include "math/incomplete.h"
#include "solver/ipm/thin_factor.h"

typedef enum tn_rough_kind { TN_ROUGH_NONE, TN_ROUGH_INCOMPLETE, TN_ROUGH_THIN, TN_ROUGH_SINGLE } tn_rough_kind;

typedef struct tn_rough_factor {
    tn_rough_kind kind; // of the last factor
    tn_incomplete incomplete;
    bool far; // from the solution: the incomplete factor is still worth trying
    int most; // products with it that pay
    tn_thin_factor thin;
    tn_body_factor *own;    // K's
    bool single;            // factors in single precision still do
    bool begun;             // a solve went before with the present factor: b, and r = b - K x of its x
    double *b;              // (velocities)
    double *r, *z, *p, *Kp; // (velocities) of a solve
    int products;           // so far
} tn_rough_factor;

// Of K's pattern; rho (contacts) as in thin_factor.h; own: K's factor by fronts, which is made in single precision.
// Destroy also after a failure. False: no memory.
bool tn_rough_factor_create(tn_rough_factor *rough, const tn_contact_matrix *K, const double *rho, tn_body_factor *own,
                            tn_arena *arena);
void tn_rough_factor_destroy(tn_rough_factor *rough);
// kind NONE after this: K's own factor is to be made.
tn_status tn_rough_factor_values(tn_rough_factor *rough, const tn_blocks *K, const double *C, tn_error *error);
// x with |b - K x| <= goal. On entry the x of the solve before, if one with the same K and factor went before: the next
// right-hand side is often near the last. False: that took too many products, and x is of no use.
bool tn_rough_factor_solve(tn_rough_factor *rough, const tn_blocks *K, const double *b, double goal, double *x);
