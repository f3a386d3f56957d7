// nodal's loop on a prepared system: acceleration, tolerances, divergence.
#pragma once

#include "solver/nodal/nodal.h"
#include "solver/nodal/system.h"

// Iterates from solution until the demanded tolerances hold or options->max_iterations; the best iterate comes out.
// Sets report's iterations, theta and converged. TN_NUMERICS: not a finite number from the first step on; solution is
// untouched then.
tn_status tn_nodal_iterate(tn_nodal_system *system, const tn_solve_options *options, const tn_nodal_options *nodal,
                           tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
