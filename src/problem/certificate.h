// The certificate: distances to cones and products, no projection code of law/ or solver/.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

// All figures (tn_certificate in tenon/problem.h). with_fclib: also the fclib figure in global form, which needs
// A^-1: cheap when A's components have at most 4 blocks (rigid bodies), NaN when it would need a factorisation.
// In local form fclib is always computed. It is of the strict law whatever the problem's law, as Siconos reports it
// (for a relaxed law it is a price, not an error), with u = N lambda + q from lambda alone.
// Figures of the velocity use u = J v + w + Omega lambda with the given v. A NaN in v or lambda makes the figures NaN.
// penetration stays NaN: geometry is the simulation's. TN_NO_MEMORY only.
tn_status tn_certificate_compute(const tn_problem *problem, const tn_solution *solution, bool with_fclib,
                                 tn_arena *arena, tn_certificate *certificate);

// Products that a caller has already, of problem/problem.h and kernels/block_product.h; NULL: computed here.
typedef struct tn_certificate_given {
    const double *product; // (3 A->n_rows) A v
    const double *push;    // (3 A->n_rows) J^T lambda
    const double *u;       // (contacts->n, 3) J v + w + Omega lambda
} tn_certificate_given;

// The same for the global form with them.
tn_status tn_certificate_compute_given(const tn_problem *problem, const tn_solution *solution,
                                       const tn_certificate_given *given, bool with_fclib, tn_arena *arena,
                                       tn_certificate *certificate);
// The momentum figure alone; product and push are there.
double tn_certificate_momentum(const tn_problem *problem, const tn_certificate_given *given);
