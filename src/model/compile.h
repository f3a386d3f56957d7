// The parts of tn_model_create; private to this room.
#pragma once

#include "base/arena.h"
#include "model/model.h"

// One body of the scene into *out (block numbers left to the caller); checks what the reader cannot see.
tn_status tn_model_compile_body(const tn_scene_body *from, tn_model_body *out, tn_error *error);

// Contact parameters of every ordered pair of materials into surfaces (n_materials, n_materials).
void tn_model_compile_surfaces(const tn_scene *scene, tn_surface *surfaces);

// Automatic values: margin [m], restitution threshold [m/s].
double tn_model_margin(const tn_model *model);
double tn_model_restitution_threshold(const tn_model *model);
tn_tolerance tn_model_aim(const tn_tolerance *demanded); // what solvers aim at, given what every step must reach

// Of all that influences results; names, places, duration and recording do not. Expressions of time enter by their
// values at a few times: a guard against mixing up checkpoints, not a proof.
uint64_t tn_model_hash(const tn_model *model);
