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

// How it is computed, and which of its products the caller wants to have: each NULL or room for it.
typedef struct tn_certificate_options {
    bool with_fclib;
    int n_threads;      // no influence on the figures
    const double *held; // (3 A->n_rows) forces beside those of the rows [N, N m]; NULL: none
    double *product;    // (3 A->n_rows) A v
    double *push;       // (3 A->n_rows) J^T lambda + G^T f, and what is held
    double *u;          // (contacts->n, 3) J v + w + Omega lambda
    double *scale;      // (contacts->n) largest diagonal of J blockdiag(A)^-1 J^T, 1 where nothing answers [s/kg]
} tn_certificate_options;

// The same with options; products are of the global form.
tn_status tn_certificate_compute_with(const tn_problem *problem, const tn_solution *solution,
                                      const tn_certificate_options *options, tn_arena *arena,
                                      tn_certificate *certificate);
// The momentum figure alone, of product and push as above and joint (joints->n; NULL: none) forces.
double tn_certificate_momentum(const tn_problem *problem, const double *product, const double *push,
                               const double *joint);
