// The strict law by its exact path from a convex problem (walk.h): for piles of rigid bodies whose forces other ways
// leave at 1e-6.
#pragma once

#include "solver/check.h"
#include "solver/solver.h"

typedef struct tn_pieces_run {
    int max_steps;       // factorisations along the paths
    const double *shift; // (contacts) De Saxce's shift of the best forces known [m/s]; NULL: none known
    // out
    int steps;    // of the paths
    bool arrived; // at the strict law's solution, to rounding
    double setup; // time of factorisations [s] of the convex problems
} tn_pieces_run;

// Whether the problem is of the kind: global form, strict law, round cones, no joints, moments or compliant contacts.
bool tn_pieces_takes(const tn_problem *problem);
// lambda (contacts, 3): the solution's forces where the path arrives, else left alone. TN_OK also where it does not.
tn_status tn_pieces_solve(const tn_problem *problem, const tn_check *check, tn_pieces_run *run, tn_arena *arena,
                          double *lambda, tn_error *error);
