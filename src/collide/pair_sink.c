#include "collide/pair_sink.h"

#include "base/team.h"

#include <string.h>

enum {
    BLOCK_PAIRS = 1022, // 8 KiB
    PARTS_A_THREAD = 4, // planes come first and have many pairs
    WORTH_PARTS = 256,  // surfaces
};

tn_pair_sink *tn_pair_sinks_create(int n, int n_surfaces, tn_arena *arena)
{
    tn_pair_sink *sinks = TN_PUSH(arena, tn_pair_sink, n);
    int n_parts = PARTS_A_THREAD * n < TN_PAIR_PARTS ? PARTS_A_THREAD * n : TN_PAIR_PARTS;
    for (int i = 0; sinks && i < n; ++i) {
        sinks[i].arena = arena;
        sinks[i].scale = n > 1 && n_surfaces >= WORTH_PARTS ? ((uint64_t)n_parts << 32) / (uint64_t)n_surfaces : 0;
    }
    return sinks;
}

static const size_t BLOCK_BYTES = sizeof(tn_pair_block) + BLOCK_PAIRS * sizeof(tn_shape_pair);

// A new block on top; false: no memory.
static bool grow(tn_pair_sink *sink, int part)
{
    tn_pair_block *block;
    tn_team_lock();
    block = tn_arena_push_raw(sink->arena, 1, BLOCK_BYTES);
    tn_team_unlock();
    sink->failed = sink->failed || !block;
    if (block) {
        block->next = sink->top[part];
        block->n = 0;
        sink->top[part] = block;
    }
    return block != NULL;
}

void tn_pair_sink_add(tn_pair_sink *sink, int a, int b)
{
    int low = a < b ? a : b, part = (int)((uint64_t)low * sink->scale >> 32);
    if ((!sink->top[part] || sink->top[part]->n == BLOCK_PAIRS) && !grow(sink, part)) {
        return;
    }
    tn_pair_block *block = sink->top[part];
    block->pairs[block->n++] = (tn_shape_pair){low, a < b ? b : a};
}

// What sorting shares.
typedef struct sorter {
    int n_sinks, n_surfaces;
    const tn_pair_sink *sinks;
    int *by_a;                      // (n_surfaces) pairs of each lower number, then places
    int *by_b;                      // (parts, n_surfaces) the same of the higher number
    tn_shape_pair *pairs, *scratch; // (all pairs)
    const int *start;               // (TN_PAIR_PARTS + 1) of the parts
} sorter;

// The smallest lower number of the part.
static int first_of(const sorter *s, int part)
{
    uint64_t scale = s->sinks->scale;
    if (scale == 0) {
        return part == 0 ? 0 : s->n_surfaces;
    }
    uint64_t first = (((uint64_t)part << 32) + scale - 1) / scale;
    return first < (uint64_t)s->n_surfaces ? (int)first : s->n_surfaces;
}

// Counts of the numbers first..end-1 into where the first of each goes, the first of all to `at`.
static void count_to_start(int first, int end, int at, int *start)
{
    for (int s = first; s < end; ++s) {
        int here = start[s];
        start[s] = at;
        at += here;
    }
}

// One part's n pairs, whose places begin at `at`: stable counting sort by b, then by a.
static void sort_part(const sorter *s, int part, int at, int n)
{
    int first = first_of(s, part), end = first_of(s, part + 1);
    int *by_a = s->by_a, *by_b = s->by_b + (size_t)part * (size_t)s->n_surfaces;
    memset(by_a + first, 0, (size_t)(end - first) * sizeof *by_a);
    memset(by_b + first, 0, (size_t)(s->n_surfaces - first) * sizeof *by_b);
    for (int k = 0; k < s->n_sinks; ++k) {
        for (const tn_pair_block *block = s->sinks[k].top[part]; block; block = block->next) {
            for (int i = 0; i < block->n; ++i) {
                by_a[block->pairs[i].a]++;
                by_b[block->pairs[i].b]++;
            }
        }
    }
    count_to_start(first, end, at, by_a);
    count_to_start(first, s->n_surfaces, at, by_b);
    for (int k = 0; k < s->n_sinks; ++k) {
        for (const tn_pair_block *block = s->sinks[k].top[part]; block; block = block->next) {
            for (int i = 0; i < block->n; ++i) {
                s->scratch[by_b[block->pairs[i].b]++] = block->pairs[i];
            }
        }
    }
    for (int i = at; i < at + n; ++i) {
        s->pairs[by_a[s->scratch[i].a]++] = s->scratch[i];
    }
}

static void sort_parts(const void *context, int first, int end, int thread)
{
    const sorter *s = context;
    for (int part = first; part < end; ++part) {
        if (s->start[part + 1] > s->start[part]) {
            sort_part(s, part, s->start[part], s->start[part + 1] - s->start[part]);
        }
    }
}

// *spare grows by the blocks that the part's pairs would take more if threads had shared them differently.
static int count_part(int n, const tn_pair_sink *sinks, int part, int *spare)
{
    int sum = 0, n_blocks = 0;
    for (int s = 0; s < n; ++s) {
        for (const tn_pair_block *block = sinks[s].top[part]; block; block = block->next) {
            sum += block->n;
            n_blocks++;
        }
    }
    *spare += sum > 0 ? (sum - 1) / BLOCK_PAIRS + n - n_blocks : 0;
    return sum;
}

tn_status tn_pair_sinks_sort(int n, const tn_pair_sink *sinks, int n_surfaces, tn_arena *arena, tn_pair_list *out,
                             tn_error *error)
{
    bool failed = false;
    int spare = 0, start[TN_PAIR_PARTS + 1] = {0};
    *out = (tn_pair_list){0};
    for (int s = 0; s < n; ++s) {
        failed = failed || sinks[s].failed;
    }
    for (int part = 0; part < TN_PAIR_PARTS; ++part) {
        start[part + 1] = start[part] + count_part(n, sinks, part, &spare);
    }
    out->n = start[TN_PAIR_PARTS];
    bool in_parts = sinks->scale > 0;
    int n_parts = in_parts ? TN_PAIR_PARTS : 1;
    sorter s = {.n_sinks = n,
                .n_surfaces = n_surfaces,
                .sinks = sinks,
                .by_a = TN_PUSH_RAW(arena, int, n_surfaces),
                .by_b = TN_PUSH_RAW(arena, int, (size_t)n_parts *(size_t)n_surfaces),
                .pairs = TN_PUSH_RAW(arena, tn_shape_pair, out->n),
                .scratch = TN_PUSH_RAW(arena, tn_shape_pair, out->n)};
    // The step takes as much memory whichever thread found what.
    failed = failed || !tn_arena_push_raw(arena, (size_t)spare, BLOCK_BYTES);
    if (failed || !s.by_a || !s.by_b || !s.pairs || !s.scratch) {
        *out = (tn_pair_list){0};
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the pairs of %d surfaces", n_surfaces);
    }
    s.start = start;
    tn_team_share(in_parts ? n : 1, n_parts, 1, sort_parts, &s);
    out->pairs = s.pairs;
    return TN_OK;
}
