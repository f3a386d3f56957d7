#include "collide/pair_sink.h"

#include <string.h>

enum { BLOCK_PAIRS = 1022 }; // 8 KiB

tn_pair_sink *tn_pair_sinks_create(int n, tn_arena *arena)
{
    tn_pair_sink *sinks = TN_PUSH(arena, tn_pair_sink, n);
    for (int i = 0; sinks && i < n; ++i) {
        sinks[i].arena = arena;
    }
    return sinks;
}

// A new block on top; false: no memory.
static bool grow(tn_pair_sink *sink)
{
    tn_pair_block *block;
    size_t bytes = sizeof *block + BLOCK_PAIRS * sizeof block->pairs[0];
#pragma omp critical(tn_pair_sink_arena)
    block = tn_arena_push_raw(sink->arena, 1, bytes, "tn_pair_sink_add");
    sink->failed = sink->failed || !block;
    if (block) {
        block->next = sink->top;
        block->n = 0;
        sink->top = block;
    }
    return block != NULL;
}

void tn_pair_sink_add(tn_pair_sink *sink, int a, int b)
{
    if ((!sink->top || sink->top->n == BLOCK_PAIRS) && !grow(sink)) {
        return;
    }
    sink->top->pairs[sink->top->n++] = a < b ? (tn_shape_pair){a, b} : (tn_shape_pair){b, a};
}

// Counts into places: from how many of each number to where the first of each goes.
static void count_to_start(int n, int *start)
{
    int sum = 0;
    for (int s = 0; s < n; ++s) {
        int here = start[s];
        start[s] = sum;
        sum += here;
    }
}

// Stable counting sort by b, then by a.
static void sort_pairs(int n_sinks, const tn_pair_sink *sinks, int n_surfaces, int *by_a, int *by_b,
                       tn_shape_pair *scratch, tn_pair_list *out)
{
    for (int s = 0; s < n_sinks; ++s) {
        for (const tn_pair_block *block = sinks[s].top; block; block = block->next) {
            for (int i = 0; i < block->n; ++i) {
                by_a[block->pairs[i].a]++;
                by_b[block->pairs[i].b]++;
            }
        }
    }
    count_to_start(n_surfaces, by_a);
    count_to_start(n_surfaces, by_b);
    for (int s = 0; s < n_sinks; ++s) {
        for (const tn_pair_block *block = sinks[s].top; block; block = block->next) {
            for (int i = 0; i < block->n; ++i) {
                scratch[by_b[block->pairs[i].b]++] = block->pairs[i];
            }
        }
    }
    for (int i = 0; i < out->n; ++i) {
        out->pairs[by_a[scratch[i].a]++] = scratch[i];
    }
}

tn_status tn_pair_sinks_sort(int n, const tn_pair_sink *sinks, int n_surfaces, tn_arena *arena, tn_pair_list *out,
                             tn_error *error)
{
    bool failed = false;
    *out = (tn_pair_list){0};
    for (int s = 0; s < n; ++s) {
        failed = failed || sinks[s].failed;
        for (const tn_pair_block *block = sinks[s].top; block; block = block->next) {
            out->n += block->n;
        }
    }
    tn_shape_pair *scratch = TN_PUSH_RAW(arena, tn_shape_pair, out->n);
    int *by_a = TN_PUSH(arena, int, n_surfaces), *by_b = TN_PUSH(arena, int, n_surfaces);
    out->pairs = TN_PUSH_RAW(arena, tn_shape_pair, out->n);
    if (failed || !scratch || !by_a || !by_b || !out->pairs) {
        *out = (tn_pair_list){0};
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the pairs of %d surfaces", n_surfaces);
    }
    sort_pairs(n, sinks, n_surfaces, by_a, by_b, scratch, out);
    return TN_OK;
}
