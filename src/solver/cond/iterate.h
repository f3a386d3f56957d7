// The V-FPI loop on a prepared system: acceleration, tolerances, divergence.
#pragma once

#include "solver/cond/system.h"

// Iterates from solution until the demanded tolerances hold or options->max_iterations; the best iterate comes out.
// Sets report's iterations, theta and converged. TN_NUMERICS: not a finite number from the first step on; solution is
// untouched then.
tn_status tn_cond_iterate(tn_cond_system *system, const tn_solve_options *options, const tn_cond_options *cond,
                          tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
