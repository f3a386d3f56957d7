// Inertia of coordinates (armature): in a step a row
//
//     f = -(I/h) (u - u_k),   R = h/I,
//
// u = G v + w the coordinate's rate, with G where the step starts. u_k is that of the step before, with the G that it
// had: found from where the bodies were, which their velocities tell. A rate of the same v with the new G would leave
// out how G has changed, which is part of the acceleration.
#pragma once

#include "discretize/joints.h"

// u_k of the coordinates of joints that have inertia, into out (n_joint_coordinates). TN_NO_MEMORY only.
tn_status tn_joint_rates_before(const tn_model *model, const tn_state *state, double h, tn_arena *arena, double *out);
// Kinetic energy of coordinates at sides and v (3 n_blocks), time t [s] [J].
double tn_joint_armature_energy(const tn_model *model, const tn_joint_sides *sides, const double *v, double t);
