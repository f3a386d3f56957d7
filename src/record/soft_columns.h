// What a frame says of the soft bodies' elements: strain energies and stresses.
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
