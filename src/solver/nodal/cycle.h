// One correction by the coarse level and what it needs to remember: when to build anew, when to search the line.
#pragma once

#include "solver/nodal/coarse.h"

typedef struct tn_nodal_cycle {
    tn_nodal_coarse coarse;
    float *d, *Ad; // packed: the correction, A times it
    double last;   // |f| of the last step
    double rate;   // by which it fell
    double least;  // smallest |f|
    int search;    // steps for which the line search stays on
    bool secant;   // friction's kinks stopped a step, and sliding contacts have been turning since
    bool hindered; // they shortened the last step too much for the matrix there
    bool changed;  // the last correction was by a new truncation that differs much from the one before
} tn_nodal_cycle;

tn_status tn_nodal_cycle_create(tn_nodal_system *system, int group_size, tn_arena *arena, tn_nodal_cycle *out);
// x (packed) and lambda (general.n, 3) after the sweeps are corrected; r = A x - f there, overwritten. TN_NO_MEMORY
// only.
tn_status tn_nodal_cycle_correct(tn_nodal_cycle *cycle, float *x, double *lambda, float *r);
// The step had this length |f|.
void tn_nodal_cycle_note(tn_nodal_cycle *cycle, double length);
// Forget what was learnt; the next correction builds anew.
void tn_nodal_cycle_restart(tn_nodal_cycle *cycle);
