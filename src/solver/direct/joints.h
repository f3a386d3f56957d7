// Joints of rigid bodies alone, any number of them: the rows within their bounds are held by one factor
// (solver/dense/motion.h), those at a bound push; guesses of which is which until none changes.
#pragma once

#include "solver/solver.h"

// The solution's forces serve only to guess which rows are at their bounds. *done false: not a problem for this (too
// many bodies, elastic ones), or guesses that went to and fro; solution is then as before.
tn_status tn_direct_joints_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                                 tn_solution *solution, tn_solve_report *report, bool *done, tn_error *error);
