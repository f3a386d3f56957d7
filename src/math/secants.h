// Rounds x += p(r) that drive a residual r(x) to zero but slowly, or not at all: what past rounds did to it says how to
// go on. Falls of r are made orthogonal to one another, the newest first (Anderson, Iterative procedures for nonlinear
// integral equations, 1965; of linear r generalized conjugate residuals, Eisenstat, Elman and Schultz 1983); then
//
//     r = r_0 + sum_j c_j fall_j:   c_j step_j undoes its part, and p(r_0) the rest.
//
// Groups of numbers that have nothing to do with one another go each by itself.
#pragma once

#include "base/arena.h"

// Neighbouring numbers of one group.
typedef struct tn_secant_run {
    int first, end, group;
} tn_secant_run;

typedef struct tn_secants {
    int most; // rounds that are kept
    int n_groups, n_steps, n_residuals;
    const int *group_of_step, *group_of_residual; // (n_steps), (n_residuals)
    const double *weight; // (n_residuals) of squares of the residuals; 0 in a whole group: it goes without secants
    int n_step_runs, n_residual_runs;
    const tn_secant_run *step_run, *residual_run;
    int n;                       // rounds that are known
    bool open;                   // step[0] has been taken, and its residual is not known yet
    double *step, *fall;         // (most, n_steps), (most, n_residuals) the newest first
    double *own_step, *own_fall; // the same, falls orthogonal and of length 1
    double *last;                // (n_residuals)
    double *along, *square;      // (n_groups)
} tn_secants;

// most, n_groups, n_steps, n_residuals, the groups and the weights are set; what they point to stays the caller's.
// False: no memory.
bool tn_secants_create(tn_arena *arena, tn_secants *s);
// r after the last step, or the first one, becomes r_0; step (n_steps) becomes what undoes the rest.
void tn_secants_ask(tn_secants *s, double *residual, double *step);
// The step that is taken: the one that was asked for, and p(r_0).
void tn_secants_tell(tn_secants *s, const double *step);
