// Broad phase: which surfaces may touch, from their boxes alone. Surfaces are numbered as in the model: shapes, then
// soft bodies.
#pragma once

#include "base/arena.h"
#include "model/model.h"

#include <stdbool.h>

typedef struct tn_bounds {
    double low[3], high[3];
} tn_bounds;

typedef struct tn_shape_pair {
    int a, b; // a < b; equal: a soft body with itself
} tn_shape_pair;

typedef struct tn_pair_list {
    int n;
    tn_shape_pair *pairs;
} tn_pair_list;

// What is known of a surface without bounds: it lies where normal . x <= level.
typedef struct tn_half_space {
    int surface;
    double normal[3], level;
} tn_half_space;

// What the broad phase reads.
typedef struct tn_broad_input {
    const tn_model *model;
    const tn_bounds *bounds; // (tn_side_count) of those listed
    int n_listed;            // surfaces that bound anything
    const int *listed;       // (n_listed) ascending; NULL: all may
    const bool *sought;      // (tn_side_count) only pairs with at least one of these; NULL: all
    bool has_balls;          // the bounds of spheres are those of larger spheres: pairs of them that do not overlap are
                             // left out
    int n_half_spaces;
    const tn_half_space *half_spaces; // of some of the unbounded surfaces, ascending
    int n_threads;
} tn_broad_input;

int tn_side_count(const tn_model *model);
int tn_side_body(const tn_model *model, int surface);
int tn_side_material(const tn_model *model, int surface);

// What of a surface's motion decides which it can meet: those that move what there is, those that are driven only what
// sleeps (and wakes of it).
enum { TN_SIDE_MOVES = 1, TN_SIDE_SLEEPS = 2, TN_SIDE_DRIVEN = 4 };
int tn_side_motion(const tn_model *model, int surface); // the sum of these that are true
static inline bool tn_motions_meet(int a, int b)
{
    const int woken = TN_SIDE_SLEEPS | TN_SIDE_DRIVEN;
    return ((a | b) & TN_SIDE_MOVES) || ((a | b) & woken) == woken; // none is both
}

const tn_surface *tn_pair_surface(const tn_model *model, int shape_a, int shape_b);

bool tn_bounds_overlap(const tn_bounds *a, const tn_bounds *b);

// All wanted pairs a <= b whose bounds overlap, sorted by (a, b); without those whose box lies outside the other's
// half space, and without spheres whose larger ones are apart (has_balls). The same for any number of threads. out
// lives in the arena.
tn_status tn_broad_phase(const tn_broad_input *input, tn_arena *arena, tn_pair_list *out, tn_error *error);
