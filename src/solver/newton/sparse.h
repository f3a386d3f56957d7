// Newton's method for a coupled A (elastic bodies): sparse Cholesky, any number of contacts.
#pragma once

#include "solver/solver.h"

// As tn_solver's solve. iterations counts Newton steps (one factorisation each).
tn_status tn_newton_sparse_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                                 tn_solution *solution, tn_solve_report *report, tn_error *error);
