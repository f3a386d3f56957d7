// Problems solved island by island (problem/islands.h).
#pragma once

#include "solver/solver.h"

// Of one problem that is an island, or taken for one.
typedef tn_status tn_island_solve(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                                  tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);

// Islands that are due, where the solver takes them by themselves; otherwise all of the problem. The report has the
// solver of the island with most rows, the most iterations of any, and is converged where all are.
tn_status tn_islands_solve(tn_island_solve *solve, const tn_solver *solver, const tn_problem *problem,
                           const tn_solve_options *options, const tn_aims *aims, tn_arena *arena, tn_solution *solution,
                           tn_solve_report *report, tn_error *error);
