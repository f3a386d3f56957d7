// Newton's method on the velocities for crowds: soft contacts, far more than bodies can move.
#pragma once

#include "solver/solver.h"

// Round friction on a few rigid bodies, judged by the natural map.
bool tn_newton_crowd_takes(const tn_problem *problem, const tn_tolerance *tolerance);
// As tn_solver's solve, to both tolerances (momentum, natural); iterations counts Newton steps.
tn_status tn_newton_crowd_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                                tn_solution *solution, tn_solve_report *report, tn_error *error);
