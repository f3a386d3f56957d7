// Overlapping pairs of finite boxes in near linear time.
#pragma once

#include "collide/pair_sink.h"

// The boxes that the grid has no place for: much larger or much farther away than all others.
typedef struct tn_grid_rest {
    int n;
    int *ids; // (n) ascending
} tn_grid_rest;

// Adds every wanted pair of the n surfaces in ids (finite bounds, low <= high) whose bounds overlap to the sinks (one
// a thread), each once. Those in rest are left to the caller, with all their pairs.
tn_status tn_grid_pairs(const tn_broad_input *input, int n, const int *ids, tn_pair_sink *sinks, tn_arena *arena,
                        tn_grid_rest *rest, tn_error *error);
