// What a solver returns, made exact: the last stage of every solve.
//
// A solver stops where its figures hold, at 1e-4 to 1e-8 of the largest forces of all; an interior point leaves a force
// on every open contact besides. Small islands, bodies that contacts and joints couple, are then solved to rounding by
// dense (tn_dense_finish) from the solver's forces. Open contacts then carry no force at all, bounded rows exactly
// their bound.
//
// Small scenes always, of large ones what matters (polish.c): an island of 120 rows takes as long as a loose solve of
// such a scene.
// Elastic bodies (A couples more than four blocks) stay as they are.
//
// New forces are taken where they are exact, or no residual of the certificate's is worse.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

enum { TN_POLISH_ROWS = 128 };

// island: the problem is known to be one. solution: a solver's, in and out; report: its iterations count the Newton
// steps as well, at most a tenth of max_iterations; converged becomes true where rounding is reached. TN_NO_MEMORY
// only.
tn_status tn_polish(const tn_problem *problem, bool island, const tn_solve_options *options, tn_arena *arena,
                    tn_solution *solution, tn_solve_report *report);

// Whether an island like this one is polished whatever its solver leaves.
bool tn_polish_is_certain(const tn_problem *island);
