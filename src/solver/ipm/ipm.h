// The stages of solver `ipm` (ipm.c says what they do) with limits of the caller's, for solvers that hand hard problems
// on.
#pragma once

#include "solver/solver.h"

// In brackets: of ipm itself.
typedef struct tn_ipm_options {
    int first_sweeps; // of pgs before anything else [100]; 0 where the start comes from pgs
    int shifts;       // interior point solves at most [9]. One or two do for stacks and mass ratios
    int sure_shifts; // of them whatever they gain [0]: two where what the first is compared with comes from long sweeps
    int near_steps;  // proximal steps at most before the interior point method, where the start is near [0]
    double work;     // rough number of operations of all interior point and proximal steps, 1.5e10 of them a second
                     // [2.3e10]. A fifth of it at least is left to the proximal steps; 0: one interior point solve and
                     // its sweeps, nothing else
    bool path; // the strict law's path (interior_path.h) after the first interior point solve, if PATH_STEPS of it
               // (ipm.c) cost no more than work, about [true]
} tn_ipm_options;

// As tn_solver's solve; problem in global form with at least one contact.
tn_status tn_ipm_solve(const tn_problem *problem, const tn_solve_options *options, const tn_ipm_options *ipm,
                       tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
