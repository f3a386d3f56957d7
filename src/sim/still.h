// A model and a state as they are at rest: what tn_sim_forces hands to the stages of a step.
#pragma once

#include "state/state.h"

typedef struct tn_still {
    tn_model model; // scheme euler without gap terms; no bounces, kinematic bodies stay; without `elastic` no springs
                    // of contacts. Shares the rest with the real one
    tn_state state; // no velocities, no memory, no forces; at the time from which a step leads to the real one's
} tn_still;

// NULL: no memory.
tn_still *tn_still_of(const tn_state *state, bool elastic, tn_arena *arena);
