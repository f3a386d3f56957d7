// Rigid bodies in auto: sweeps, and when they have been enough.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

// When others take over from sweeps that are slow.
typedef enum tn_auto_hand_over {
    TN_AUTO_NEVER,
    TN_AUTO_TO_CALLER, // it ends, unconverged
    TN_AUTO_TO_IPM,    // where most contacts share their bodies with the one before (boxes on boxes) and the bodies'
                       // graph is so slender that ipm costs less than the sweeps that are left
} tn_auto_hand_over;

// pgs on what is left of the iterations. It ends after stall_sweeps sweeps without progress by a factor 0.7 (0: never),
// and with options->enough once a large problem has had its share of work.
tn_status tn_auto_sweep(const tn_problem *problem, const tn_solve_options *options, int stall_sweeps,
                        tn_auto_hand_over to, tn_arena *arena, tn_solution *solution, tn_solve_report *report,
                        tn_error *error);
