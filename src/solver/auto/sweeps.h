// Rigid bodies in auto: sweeps, and when they have been enough.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

// pgs on what is left of the iterations. It ends after stall_sweeps sweeps without progress by a factor 0.7 (0: never),
// and with options->enough once a large problem has had its share of work. may_stack: ipm goes on after a while where
// most contacts share their bodies with the one before (boxes on boxes) and the bodies' graph is so slender that it
// costs less than the sweeps that are left.
tn_status tn_auto_sweep(const tn_problem *problem, const tn_solve_options *options, int stall_sweeps, bool may_stack,
                        tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
