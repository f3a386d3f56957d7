// One of auto's solvers after another.
#pragma once

#include "solver/solver.h"

// One more solver from where the last one ended, with at most so many of the iterations that are left. The report has
// its name and the sum of iterations.
tn_status tn_auto_go_on(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                        int max_iterations, tn_arena *arena, tn_solution *solution, tn_solve_report *report,
                        tn_error *error);
