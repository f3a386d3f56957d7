// What other solvers want of dense.
#pragma once

#include "solver/solver.h"

// As tn_solver's solve; *fits false: nothing done, since bodies hang together in too many ways (problem/assembly.h).
tn_status tn_dense_try(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, bool *fits, tn_error *error);
