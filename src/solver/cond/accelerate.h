// What comes between one V-FPI step and the next: the factor of Chebyshev's combination, and Anderson's method.
#pragma once

#include "base/arena.h"
#include "solver/cond/cond.h"

// (39): x+ = nu (u (F(x) - x) + x - x_previous) + x_previous, with the spectral radius r estimated from the last two
// step lengths. nu = 1 is the plain step.
typedef struct tn_cond_chebyshev {
    int step;    // steps since the last restart
    double nu;   // nu_l
    double last; // |x_l - x_{l-1}|, 0: none yet [m/s]
    double rate; // r
} tn_cond_chebyshev;

void tn_cond_chebyshev_restart(tn_cond_chebyshev *c);
// nu of the next step.
double tn_cond_chebyshev_factor(tn_cond_chebyshev *c, int start);
// Tell it the length of the step taken.
void tn_cond_chebyshev_tell(tn_cond_chebyshev *c, double theta);

// Anderson's least squares over the last steps (Walker and Ni 2011, type II).
typedef struct tn_cond_anderson {
    int depth;
    int n;                // numbers in x
    const double *weight; // (n) metric of the least squares
    int step;             // steps since the last restart
    int count;            // differences remembered; the newest at slot (count - 1) % depth
    double *f, *g;        // (n) last residual F(x) - x and last F(x)
    double *df, *dg;      // (depth, n)
    double *gram;         // (depth, depth) df . df in the metric
    double best;          // smallest residual norm since the restart
    double *safe;         // (n) F(x) of that residual: where a step that made it worse goes back to
} tn_cond_anderson;

// False: no memory.
bool tn_cond_anderson_create(int depth, int n, const double *weight, tn_arena *arena, tn_cond_anderson *out);
// Forget the past.
void tn_cond_anderson_restart(tn_cond_anderson *a);
// x (n) of this iteration and Fx = F(x); x becomes the next iteration's.
void tn_cond_anderson_advance(tn_cond_anderson *a, double *x, const double *Fx);
