// A scene played step by step; the problem of the last step stays for other solvers to try, from the same warm start.
#pragma once

#include "bench.h"
#include "sim/sim.h"

typedef struct track {
    tn_model *model;
    tn_state *state, *before; // after and before the last step
    tn_sim *sim;
    tn_arena *kept;   // what belongs to the last step
    tn_arena *solver; // scratch of solvers: warm from one step to the next, as in a simulation
    tn_step_report report;
    double *warm_v, *warm_lambda; // (3 n_blocks), (contacts, 3) in kept
} track;

// false: the error is printed. Close also after a failure.
bool track_open(track *t, const bench_options *options, const char *scene, int n_set, const char *const *set);
bool track_step(track *t);
void track_close(track *t);
// Wall time of everything but solver and certificate: collision, elements, assembly, rows [s].
double track_dynamics(const track *t);
