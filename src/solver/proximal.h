// Proximal point steps on the forces: the last stage for heaps whose forces still drift.
//
// Where contacts are redundant and their velocities do not quite agree, sweeps move the forces along a direction that
// changes no velocity, at a steady small rate, until some contact slides or opens; that may take millions of sweeps. A
// step here is an implicit one of the same motion,
//
//     lambda+ = P(lambda - sigma rho u(lambda+)),
//
// solved by the Newton steps of newton/velocity.h (the method of multipliers), with sigma as large as they bear: up to
// 1e7, as many sweeps in one. R. T. Rockafellar, Monotone operators and the proximal point algorithm, SIAM J. Control
// Optim. 14 (1976), for the convex law; for the strict law nothing is guaranteed, and the error may rise on the way.
#pragma once

#include "problem/delassus.h"
#include "solver/check.h"

typedef struct tn_proximal_run {
    int max_steps;   // Newton steps, one factorisation each
    double max_work; // rough number of operations since the score last fell to 0.7 of itself
    double sigma;    // of the first step
    int steps;       // done (out)
    double score;    // of the best forces (in and out)
    double setup;    // time of factorisations [s] (out)
} tn_proximal_run;

// From lambda (n, 3) until score <= 1 or a cap; the best forces are in lambda at the end. No contact with Omega.
tn_status tn_proximal_solve(const tn_problem *problem, const tn_check *check, const tn_delassus *delassus,
                            tn_proximal_run *run, tn_arena *arena, double *lambda, tn_error *error);
