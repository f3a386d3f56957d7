// auto on elastic bodies in contact.
#pragma once

#include "solver/solver.h"

// A is elastic and nodal takes the problem. Where the report is not converged more may be tried.
tn_status tn_auto_elastic_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                                tn_solution *solution, tn_solve_report *report, tn_error *error);
