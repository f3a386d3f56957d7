// The loop around interior.h: steps until the caller's figures hold, with the strict law's shift following.
#pragma once

#include "solver/ipm/interior.h"
#include "solver/shift.h"

typedef struct tn_interior_run {
    // Judges the interior point method's present point: its score (<= 1: done), and u (contacts, 3), the contact
    // velocities that the shift follows.
    double (*judge)(void *user, const double **u);
    // Called after the shift has changed, or NULL: the interior problem itself holds it then.
    void (*shifted)(void *user);
    void *user;
    int max_steps;
    int steps;      // done (out)
    bool converged; // score <= 1 (out)
} tn_interior_run;

// From a start made by tn_interior_start. Under the strict law shift follows from step to step once the gap is below a
// tenth of the first. TN_OK also when rounding ends it.
tn_status tn_interior_follow(tn_interior *interior, tn_shift *shift, tn_interior_run *run, tn_error *error);
