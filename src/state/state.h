// Everything that influences the next step: configuration, velocity, contact memory, time.
#pragma once

#include "model/model.h"
#include "tenon/sim.h"

#include <stdint.h>

// Contact of the last step, for the warm start; key orders and identifies (bodies, shapes, feature).
typedef struct tn_contact_memory {
    uint64_t key_shapes; // shape a << 32 | shape b
    uint32_t key_feature;
    double force[3]; // lambda in world axes [N], on body b
} tn_contact_memory;

struct tn_state {
    const tn_model *model;
    double time; // [s] = start + step_count * h, recomputed to avoid drift
    long step_count;
    tn_pose *pose; // (n_bodies) principal frames in the world
    double *v;     // (3 n_blocks) velocity v_k
    double *v_hat; // (3 n_blocks) last representative velocity: warm start of the next step
    int n_memory, memory_capacity;
    tn_contact_memory *memory; // sorted by key
};

uint64_t tn_state_hash(const tn_state *state); // of all of the above
