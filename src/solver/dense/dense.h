// What other solvers want of dense.
#pragma once

#include "solver/solver.h"

// As tn_solver's solve; *fits false: nothing done, since bodies hang together in too many ways (problem/assembly.h).
tn_status tn_dense_try(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, bool *fits, tn_error *error);
// To rounding from forces that are nearly right: at most so many Newton steps from solution, which stays where they do
// not lessen its error. For problems that dense takes (tn_dense_refusal). TN_NO_MEMORY only.
tn_status tn_dense_finish(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                          tn_solution *solution, tn_solve_report *report);
