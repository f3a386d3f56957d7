// Pairs of surfaces while several threads find them, and then in the order of their numbers.
#pragma once

#include "collide/broad.h"

typedef struct tn_pair_block {
    struct tn_pair_block *next;
    int n;
    tn_shape_pair pairs[];
} tn_pair_block;

// Of one thread; blocks come from the shared arena, one thread at a time.
typedef struct tn_pair_sink {
    _Alignas(64) tn_arena *arena;
    tn_pair_block *top;
    bool failed; // no memory: pairs are missing
} tn_pair_sink;

// n empty sinks; NULL: no memory.
tn_pair_sink *tn_pair_sinks_create(int n, tn_arena *arena);
// Adds the pair, lower number first.
void tn_pair_sink_add(tn_pair_sink *sink, int a, int b);
// All sinks' pairs of surfaces below n_surfaces by (a, b): in whichever sink they were leaves no trace.
tn_status tn_pair_sinks_sort(int n, const tn_pair_sink *sinks, int n_surfaces, tn_arena *arena, tn_pair_list *out,
                             tn_error *error);
