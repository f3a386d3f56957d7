// ipm with joint rows: the interior point method takes them along; no sweeps.
#pragma once

#include "solver/solver.h"

// As tn_solver's solve; global form with joint rows, contacts or none.
tn_status tn_ipm_joints_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                              tn_solution *solution, tn_solve_report *report, tn_error *error);
