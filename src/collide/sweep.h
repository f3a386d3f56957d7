// Overlapping pairs of finite boxes in near linear time.
#pragma once

#include "collide/broad.h"

// Appends to the list; for members of the room.
tn_status tn_pair_list_add(tn_pair_list *list, int a, int b, tn_arena *arena, tn_error *error);
bool tn_bounds_overlap(const tn_bounds *a, const tn_bounds *b);

// Adds every wanted pair of the n shapes in ids (finite bounds, ascending) whose bounds overlap, each once, in no
// particular order.
tn_status tn_sweep(const tn_model *model, const tn_bounds *bounds, int n, const int *ids, tn_arena *arena,
                   tn_pair_list *out, tn_error *error);
