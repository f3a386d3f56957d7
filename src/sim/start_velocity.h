// Whether the velocities at the start are such as rigid joints allow, and the nearest that are.
#pragma once

#include "model/model.h"
#include "tenon/sim.h"

typedef struct tn_start_velocity {
    double mismatch; // largest velocity across what a rigid joint holds [m/s, rad/s]
    int joint;       // which; -1: none
    double kinetic;  // of the given velocities, and of what to complete them takes: 1/2 dv M dv [J]
    double change;
    double consistent; // kinetic energy of the completed ones [J]
} tn_start_velocity;

// v (3 n_blocks, or NULL): the velocities nearest to the state's, in terms of the mass, that all rigid joints allow.
// Limits, motors and contacts take part in the first step only: what they stop is an impact.
tn_status tn_start_velocity_find(const tn_model *model, const tn_state *state, double *v, tn_start_velocity *out,
                                 tn_error *error);

// Worth a word: more than a thousandth of the kinetic energy is at stake.
bool tn_start_velocity_matters(const tn_start_velocity *start);

// Those velocities into a state at the start of its run, if the scene says `initial: {velocities: project}`.
tn_status tn_start_velocity_complete(tn_state *state, tn_error *error);
