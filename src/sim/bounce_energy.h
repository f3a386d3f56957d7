// What islands with bounces gain from nowhere in a step, by either law of restitution (schemes euler, implicit). With v
// the solution and v_k the start,
//
//     energy gained = h sum lambda . u - 1/2 |v - v_k|_M^2 - h/2 v . (A - M/h) v
//
// counts what elastic forces store and the scheme dissipates.
#pragma once

#include "problem/islands.h"
#include "sim/sim.h"

// Of what an island loses: gaining less is left to the solver's accuracy.
#define TN_BOUNCE_SEEN 1e-3

typedef struct tn_bounce_energy {
    tn_islands islands;
    double *asked;   // (n_triples) speed that contacts may leave with by a bounce [m/s]; 0: no bounce. The caller's
    double *excused; // (n_triples) of it what is counted elsewhere or none [m/s]. The caller's
    double *Av;      // (3 n_blocks) of the solution that is looked at
} tn_bounce_energy;

// Without bounces; then the islands, once there are some. False: no memory.
bool tn_bounce_energy_create(const tn_step_setup *setup, int n_triples, tn_bounce_energy *out);
bool tn_bounce_energy_divide(const tn_step_setup *setup, const tn_problem *problem, tn_bounce_energy *energy);
// Of island k with answer->solution, after tn_bounce_energy_look [J]; *lost: what all but its contacts take.
void tn_bounce_energy_look(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                           tn_bounce_energy *energy);
double tn_bounce_energy_gain(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                             const tn_state *state, const tn_bounce_energy *energy, int k, double *lost);
