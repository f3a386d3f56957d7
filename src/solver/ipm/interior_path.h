// The path of the strict law's interior point iteration (interior_strict.h), from its analytic centre to the end:
// Newton's steps while they are long; at a fold steps of the shift in time until they get long again.
#pragma once

#include "solver/ipm/interior_strict.h"

typedef struct tn_interior_path {
    double below;    // share of a fold's gap that is held while it is crossed
    double max_work; // rough number of operations
    int max_steps;
    double (*judge)(void *user); // of the forces in interior->lambda: at most 1 ends it
    void *user;
    // out
    int steps;
    bool converged;
} tn_interior_path;

// Operations of one step, about.
double tn_interior_path_work(const tn_interior *interior);
// From a start of interior (tn_interior_start) on. TN_OK also where it does not get to the end.
tn_status tn_interior_path_solve(tn_interior *interior, tn_interior_path *path, tn_arena *arena, tn_error *error);
