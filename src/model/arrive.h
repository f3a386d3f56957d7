// Velocities of mechanisms whose rates are set, as a step leaves them (arrive.c).
#pragma once

#include "model/tree_step.h"

// The rates nu (3 trees->n_blocks) of v at poses (n_bodies), where step is: of coordinates what joints themselves say.
// v may be none that joints allow; a step's end has such.
void tn_tree_read_rates(const tn_tree_step *step, const tn_pose *pose, double t, const double *v, double *nu);

// Velocities v (3 n_blocks) of the trees' bodies at time t and poses (step: there, its model the one whose settings
// count) with the rates nu, as a step that ends there leaves them. coordinate: of those poses. TN_NO_MEMORY only.
tn_status tn_tree_arrive(const tn_tree_step *step, double t, const tn_pose *pose, const double *coordinate,
                         const double *nu, tn_arena *arena, double *v);
