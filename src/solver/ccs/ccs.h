// ADMM (alternating direction method of multipliers) on the velocity problem, for solver "ccs" and its tests.
//
// A copy z of the contact velocities J v + w obeys the law, and forces lambda tie the two:
//
//     (A + J^T rho J) v = b + J^T (lambda + rho (z - w))             one factor while rho stays
//     u  = a (J v + w) + (1 - a) z                                   over-relaxation
//     lambda+ = P(lambda - rho u),  z+ = u + (lambda+ - lambda)/rho  contact by contact
//
// rho_m is a factor times the inverse of the contact's own mobility; where Omega is present the second line is the
// exact one-contact solve. Source: G. Daviet, Simple and scalable frictional contacts for thin nodal objects, ACM
// Trans. Graphics 39 (2020); S. Boyd et al., Distributed optimization ... via ADMM (2011), 3.4.1 and 3.4.3.
#pragma once

#include "solver/solver.h"

typedef struct tn_ccs_options {
    double rho;        // first factor of rho, > 0, default 0.1
    double relaxation; // a, 1 to 1.9, default 1.6
    int balance_first; // iteration after which rho is balanced and refactored if that pays; then at four times it, and
                       // so on; 0: rho stays; default 8
} tn_ccs_options;

tn_ccs_options tn_ccs_options_default(void);

// As tn_solver's solve.
tn_status tn_ccs_solve(const tn_problem *problem, const tn_solve_options *options, const tn_ccs_options *ccs,
                       tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
