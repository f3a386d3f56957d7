// Acceleration of a fixed point iteration x <- F(x): what comes between one V-FPI step and the next.
#pragma once

#include "base/arena.h"
#include "solver/cond.h"

typedef struct tn_cond_accelerator {
    tn_cond_options options;
    tn_cond_acceleration kind; // in use; PLAIN while it is switched off
    int n;                     // numbers in x
    int n_velocities;          // the first of them: theta and (39) look at these
    const double *weight;      // (n) metric of Anderson's least squares
    int step;                  // steps since the last restart

    // Chebyshev
    double *previous; // (n) x of one iteration ago
    double nu;        // nu_l
    double last;      // |v^l - v^{l-1}| of one iteration ago [m/s]

    // Anderson: ring buffers of differences, newest at slot (count - 1) % depth
    int count;
    double *f, *g;   // (n) last residual F(x) - x and last F(x)
    double *df, *dg; // (depth, n)
    double *gram;    // (depth, depth) df . df in the metric
    double best;     // smallest residual norm since the restart
    double *safe;    // (n) F(x) of that residual: where a step that made it worse goes back to
} tn_cond_accelerator;

// False: no memory.
bool tn_cond_accelerator_create(const tn_cond_options *options, int n, int n_velocities, const double *weight,
                                tn_arena *arena, tn_cond_accelerator *out);

// Forget the past; the next steps use `kind`.
void tn_cond_accelerator_restart(tn_cond_accelerator *a, tn_cond_acceleration kind);

// x (n) of this iteration and Fx = F(x); x becomes the next iteration's. Returns theta = |v^{l+1} - v^l| [m/s].
double tn_cond_accelerator_advance(tn_cond_accelerator *a, double *x, const double *Fx);
