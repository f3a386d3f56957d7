// A solver's answer to one step's problem, judged by an over-converged solution of the same problem.
#pragma once

#include "solver/cond/cond.h"
#include "track.h"

// A solver as a bench calls it.
typedef struct contender {
    const char *label;
    const char *name;                  // of the table of solvers; NULL: left out
    bool variant;                      // cond with the acceleration below instead of its own choice
    tn_cond_acceleration acceleration; // of a variant
    tn_tolerance tolerance;
    int max_iterations;
    bool slow; // timed once, and where a table says so on fewer steps
} contender;

// What is wanted of a step: two solutions' velocities, the forces that documents measure.
typedef struct reference {
    double *v, *lambda;       // in the track's kept memory
    double momentum, natural; // its certificate
    bool converged;           // to 1e-12
    double internal;          // norm of the elastic forces at the step's end [N]
    double contact;           // norm of the sum of contact forces on the free rigid bodies [N]
} reference;

typedef struct verdict {
    bool ok, converged;
    double error;             // |v - v*| / |v*|
    double penetration;       // at the step's end, true geometry [m]
    double internal, contact; // how far the norms are from the reference's [N]
    double seconds, setup;    // time in all (one thread: processor time), and of it the Delassus operator's
    double momentum, natural; // certificate
    double *v, *lambda;       // in the track's kept memory
    int iterations;
} verdict;

// The step's problem solved far beyond any tolerance. false: no solver took it (printed).
bool judge_reference(track *t, reference *out);
// One problem, one contender; ok is false (and a line printed) when it fails. At most `repeats` times, the fastest
// counts.
verdict judge_solve(track *t, const contender *c, const reference *r, int repeats, int n_threads);
