// Pairs of surfaces while several threads find them, and then in the order of their numbers.
//
// A sink keeps pairs apart by ranges of their lower number, parts, so that several threads can sort.
#pragma once

#include "collide/broad.h"

#include <stdint.h>

enum { TN_PAIR_PARTS = 16 }; // at most

typedef struct tn_pair_block {
    struct tn_pair_block *next;
    int n;
    tn_shape_pair pairs[];
} tn_pair_block;

// Of one thread; blocks come from the shared arena, one thread at a time.
typedef struct tn_pair_sink {
    _Alignas(64) tn_arena *arena;
    uint64_t scale; // a pair of lower number a is in part a scale / 2^32; 0: all are in the first
    tn_pair_block *top[TN_PAIR_PARTS];
    bool failed; // no memory: pairs are missing
} tn_pair_sink;

// n empty sinks for pairs of surfaces below n_surfaces; NULL: no memory.
tn_pair_sink *tn_pair_sinks_create(int n, int n_surfaces, tn_arena *arena);
// Adds the pair, lower number first.
void tn_pair_sink_add(tn_pair_sink *sink, int a, int b);
// All pairs of n sinks by (a, b): in whichever sink they were leaves no trace. Takes n threads.
tn_status tn_pair_sinks_sort(int n, const tn_pair_sink *sinks, int n_surfaces, tn_arena *arena, tn_pair_list *out,
                             tn_error *error);
