// Broad phase: which shapes may touch, from their boxes alone.
#pragma once

#include "base/arena.h"
#include "model/model.h"

#include <stdbool.h>

typedef struct tn_bounds {
    double low[3], high[3];
} tn_bounds;

typedef struct tn_shape_pair {
    int a, b; // a < b
} tn_shape_pair;

typedef struct tn_pair_list {
    int n, capacity;
    tn_shape_pair *pairs;
} tn_pair_list;

// True where two shapes could matter: different bodies, one of them moves, their materials collide.
bool tn_pair_wanted(const tn_model *model, int shape_a, int shape_b);
const tn_surface *tn_pair_surface(const tn_model *model, int shape_a, int shape_b);

// All wanted pairs a < b whose bounds overlap, sorted by (a, b). bounds: (model->n_shapes).
tn_status tn_broad_phase(const tn_model *model, const tn_bounds *bounds, tn_arena *arena, tn_pair_list *out,
                         tn_error *error);
