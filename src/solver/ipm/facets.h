// ipm on the convex law with a polyhedral friction cone: one convex quadratic program with a row a facet.
//
// A contact's force is lambda = sum over directions i of gamma_i (1, mu d_i), gamma_i >= 0, and the convex law asks
// n . u + mu d_i . u_t >= 0 of each: rows of joints with bounds [0, infinity). So the contacts are put in as such rows.
#pragma once

#include "solver/solver.h"

// As tn_solver's solve; problem in global form without Omega, convex or frictionless law, facets > 0.
tn_status tn_ipm_facets_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                              tn_solution *solution, tn_solve_report *report, tn_error *error);
// Why not; NULL: it takes the problem.
const char *tn_ipm_facets_refuses(const tn_problem *problem);
