// What a scene prescribes by expressions of time: motions, forces, motors' targets. Constants are checked once, by the
// reader; these in every step, so that nothing that is no number gets into the balance or the recording.
#pragma once

#include "base/arena.h"
#include "model/model.h"
#include "tenon/sim.h"

typedef struct tn_prescribed {
    const tn_value *value;
    const char *owner, *name; // "body", "joint" or "soft body", and which
    const char *key;          // in the scene: "motion.position[2]"
    bool moves;               // a position: its rate counts, too
    bool sweeps;              // a position whose jumps are gone through within a step
    bool turns;               // an angle
    const tn_place *place;    // of the owner
} tn_prescribed;

// model->prescribed. After bodies, soft bodies and joints.
tn_status tn_model_compile_prescribed(tn_model *model, tn_arena *arena, tn_error *error);

// Values and rates at the start: TN_BAD_INPUT with the owner's place.
tn_status tn_model_check_start(const tn_model *model, tn_error *error);

// Jumps within (t, end]: into *out, else n = 0. A body's three coordinates are one way.
void tn_model_find_jumps(const tn_model *model, double t, double end, tn_step_jump *out);

// All that a step from time t [s] may ask for, until its end: TN_NUMERICS names owner, expression and time.
tn_status tn_model_check_prescribed(const tn_model *model, double t, double end, tn_error *error);
