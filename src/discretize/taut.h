// Ropes, nets and chains of distances under tension, in the schemes that take forces at the step's start.
//
// A distance of length L that pulls with f turns as its ends go across it, and brings them back with f/L times that
// way. Light bodies between such distances swing faster than a step can follow: with K the sum of f/L at a body and m
// what it shows across, the sum of h^2 K/m over the two ends of a distance bounds h^2 omega^2. Where it exceeds 1, the
// part k = (1 - 1/sum) f/L of its stiffness is taken at the step's end, as a row y = u + f/(h k) = 0 for either
// direction across, u the velocity of the ends against one another: as joint_stiffness.h does for links that turn,
// which a distance has none of. It damps those swings and, by the same rate per step, slow turning of the same
// distance; it goes to zero with the step. (As an inertia, f = -k h (u - u_k), it damps nothing, but gains: ten beads
// of 20 g under 45 kg, 10 ms, end by energy from nowhere; halfway between the two as well, with bars of 2 cm.)
#pragma once

#include "discretize/balance.h"
#include "model/joint_geometry.h"

// k of all joints (n_joints) [N/m], with the forces of the last step; *out NULL: of none. at: geometry at the state;
// NULL: nothing is taut. False: no memory.
bool tn_joints_find_taut(const tn_model *model, const tn_state *state, const tn_joint_geometry *at, double h,
                         tn_arena *arena, const double **out);
