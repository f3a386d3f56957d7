// The iterating solvers' own stopping check: natural map and fclib figures by their definitions in tenon/problem.h,
// from a force and a velocity that the solver has at hand. The certificate recomputes them independently.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_check {
    const tn_problem *problem;
    tn_tolerance tolerance;
    const double *rho; // (n) inverse of the largest diagonal of J blockdiag(A)^-1 J^T, or of W's own block [kg/s]
    double q_norm;     // |q|_2 [m/s]
} tn_check;

// q (n, 3): free contact velocity. False: no memory.
bool tn_check_create(tn_check *check, const tn_problem *problem, const double *q, const tn_tolerance *tolerance,
                     tn_arena *arena);

// The largest ratio of a demanded figure to its tolerance (<= 1: all hold; without any demand natural against 1e-8).
// lambda, u (n, 3), u with Omega lambda.
double tn_check_score(const tn_check *check, const double *lambda, const double *u);
