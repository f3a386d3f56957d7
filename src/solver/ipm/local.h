// ipm on problems in local form whose W is symmetric.
#pragma once

#include "solver/solver.h"

// As tn_solver's solve.
tn_status tn_ipm_local_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                             tn_solution *solution, tn_solve_report *report, tn_error *error);
// Why not; NULL: it takes the problem.
const char *tn_ipm_local_refuses(const tn_problem *problem);
