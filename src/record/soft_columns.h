// What a frame says of soft bodies: nodes' velocities, strain energies, stresses.
#pragma once

#include "base/arena.h"
#include "sim/sim.h"

typedef struct tn_soft_columns {
    const double *energy; // (n_softs) [J]
    const double *stress; // (n_tets, 6) [Pa]; NULL where it is not asked for
} tn_soft_columns;

// At state, in the arena. The evaluation that sim keeps serves if it is of this state; sim may be NULL.
tn_status tn_soft_columns_at(const tn_sim *sim, const tn_state *state, bool stress, tn_arena *arena,
                             tn_soft_columns *out, tn_error *error);

// All nodes' velocities (n_nodes, 3) [m/s]: tn_state_node_velocity's up to rounding, each body's motion worked out
// once.
void tn_soft_velocities_at(const tn_state *state, double *velocities);
// Mean of a quantity of the nodes (n_nodes, 3) over soft body s, weighted by mass.
void tn_soft_mean(const tn_model *model, int s, const double *of_nodes, double mean[3]);
