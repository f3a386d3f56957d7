// Tiles, then sort and sweep in each: boxes are sorted along the axis on which they spread most and listed in the
// square tiles that they cover across it. In a tile only boxes near along the axis meet. A pair that shares several
// tiles counts in the one that holds the low corner of its overlap. Boxes that cover many tiles are swept against
// all instead. Tiles have no bounds: their numbers are hashed, so a body that has flown far away costs nothing.
#include "collide/sweep.h"

#include <math.h>
#include <string.h>

enum { TILES_MAX = 16 };               // of one box, else it is large
static const double number_max = 1e15; // of a tile: exact in a double

// One box in one tile.
typedef struct entry {
    int id;
    int64_t u, v; // the tile
} entry;

typedef struct sweeper {
    const tn_model *model;
    const tn_bounds *bounds;
    int axis, across_u, across_v;
    double tile; // side [m]
    int n, n_large;
    int *ids;   // (n) sorted by lower bound
    int *large; // (n_large) of them
    tn_arena *arena;
    tn_pair_list *out;
    tn_error *error;
} sweeper;

// The tiles of one box: u from low[0] to high[0], v from low[1] to high[1].
typedef struct cover {
    int64_t low[2], high[2];
    bool large;
} cover;

// The axis with the largest variance of the centres.
static int best_axis(const tn_bounds *bounds, int n, const int *ids)
{
    double sum[3] = {0}, square[3] = {0};
    int axis = 0;
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < 3; ++i) {
            // relative to the first, against cancellation far from the origin
            double x = bounds[ids[k]].low[i] + bounds[ids[k]].high[i] - bounds[ids[0]].low[i] - bounds[ids[0]].high[i];
            sum[i] += x;
            square[i] += x * x;
        }
    }
    for (int i = 1; i < 3; ++i) {
        double here = square[i] - sum[i] * sum[i] / n, best = square[axis] - sum[axis] * sum[axis] / n;
        axis = here > best ? i : axis;
    }
    return axis;
}

// Merge sort from below, stable: by lower bound, then by shape. Returns the array that holds the result.
static int *sort_by_low(const tn_bounds *bounds, int axis, int n, int *ids, int *scratch)
{
    for (int width = 1; width < n; width *= 2) {
        for (int start = 0; start < n; start += 2 * width) {
            int middle = start + width < n ? start + width : n;
            int end = start + 2 * width < n ? start + 2 * width : n;
            for (int i = start, j = middle, k = start; k < end; ++k) {
                bool left = i < middle && (j >= end || bounds[ids[i]].low[axis] <= bounds[ids[j]].low[axis]);
                scratch[k] = left ? ids[i++] : ids[j++];
            }
        }
        int *swap = ids;
        ids = scratch;
        scratch = swap;
    }
    return ids;
}

static double width_across(const sweeper *s, int id)
{
    const tn_bounds *b = s->bounds + id;
    return fmax(b->high[s->across_u] - b->low[s->across_u], b->high[s->across_v] - b->low[s->across_v]);
}

// Twice the mean width of the boxes that are not wider than the mean: a few giants do not count.
static double choose_tile(const sweeper *s)
{
    double sum = 0.0, small = 0.0;
    int n_small = 0;
    for (int k = 0; k < s->n; ++k) {
        sum += width_across(s, s->ids[k]);
    }
    for (int k = 0; k < s->n; ++k) {
        double width = width_across(s, s->ids[k]);
        if (width <= sum / s->n) {
            small += width;
            n_small++;
        }
    }
    return n_small > 0 && small > 0.0 ? 2.0 * small / n_small : 1.0;
}

static cover cover_of(const sweeper *s, int id)
{
    cover c = {.large = false};
    double tiles = 1.0;
    for (int k = 0; k < 2; ++k) {
        int axis = k ? s->across_v : s->across_u;
        double low = floor(s->bounds[id].low[axis] / s->tile), high = floor(s->bounds[id].high[axis] / s->tile);
        tiles *= high - low + 1.0;
        if (!(fabs(low) < number_max && fabs(high) < number_max && tiles <= TILES_MAX)) {
            c.large = true;
            return c;
        }
        c.low[k] = (int64_t)low;
        c.high[k] = (int64_t)high;
    }
    return c;
}

static tn_status meet(const sweeper *s, int a, int b)
{
    if (tn_bounds_overlap(s->bounds + a, s->bounds + b) && tn_pair_wanted(s->model, a, b)) {
        return tn_pair_list_add(s->out, a, b, s->arena, s->error);
    }
    return TN_OK;
}

// Large boxes against all that begin after them along the axis, and the others against large ones after them.
static tn_status sweep_large(const sweeper *s)
{
    int next = 0; // first large box not before i
    for (int i = 0; i < s->n && s->n_large > 0; ++i) {
        bool large = next < s->n_large && s->large[next] == s->ids[i];
        next += large;
        const int *after = large ? s->ids + i + 1 : s->large + next;
        int n_after = large ? s->n - i - 1 : s->n_large - next;
        double high = s->bounds[s->ids[i]].high[s->axis];
        for (int j = 0; j < n_after && s->bounds[after[j]].low[s->axis] <= high; ++j) {
            tn_status status = meet(s, s->ids[i], after[j]);
            if (status) {
                return status;
            }
        }
    }
    return TN_OK;
}

// Does the pair count in this tile: the one of the low corner of its overlap?
static bool counts_here(const sweeper *s, const entry *e, int other)
{
    const tn_bounds *a = s->bounds + e->id, *b = s->bounds + other;
    double u = fmax(a->low[s->across_u], b->low[s->across_u]), v = fmax(a->low[s->across_v], b->low[s->across_v]);
    return (int64_t)floor(u / s->tile) == e->u && (int64_t)floor(v / s->tile) == e->v;
}

// Entries of one bucket, sorted along the axis; other tiles may share the bucket.
static tn_status sweep_bucket(const sweeper *s, int n, const entry *entries)
{
    for (int i = 0; i < n; ++i) {
        const entry *e = entries + i;
        double high = s->bounds[e->id].high[s->axis];
        for (int j = i + 1; j < n && s->bounds[entries[j].id].low[s->axis] <= high; ++j) {
            if (entries[j].u == e->u && entries[j].v == e->v && counts_here(s, e, entries[j].id)) {
                tn_status status = meet(s, e->id, entries[j].id);
                if (status) {
                    return status;
                }
            }
        }
    }
    return TN_OK;
}

static uint64_t bucket_of(int64_t u, int64_t v, uint64_t n_buckets)
{
    uint64_t x = (uint64_t)u * 0x9E3779B97F4A7C15u + (uint64_t)v * 0xC2B2AE3D27D4EB4Fu;
    return (x ^ x >> 29) & (n_buckets - 1); // n_buckets: a power of two
}

// Two passes over the tiles of all boxes that are not large: with entries NULL count them into start[bucket + 1], else
// put them at start[bucket]++. In the order of ids, so that each bucket is sorted.
static void list_tiles(const sweeper *s, uint64_t n_buckets, int *start, entry *entries)
{
    for (int k = 0; k < s->n; ++k) {
        cover c = cover_of(s, s->ids[k]);
        for (int64_t u = c.low[0]; !c.large && u <= c.high[0]; ++u) {
            for (int64_t v = c.low[1]; v <= c.high[1]; ++v) {
                uint64_t bucket = bucket_of(u, v, n_buckets);
                if (entries) {
                    entries[start[bucket]++] = (entry){s->ids[k], u, v};
                } else {
                    start[bucket + 1]++;
                }
            }
        }
    }
}

static tn_status sweep_tiles(const sweeper *s)
{
    uint64_t n_buckets = 16;
    while (n_buckets < (uint64_t)s->n) {
        n_buckets *= 2;
    }
    int *start = TN_PUSH(s->arena, int, n_buckets + 1);
    if (!start) {
        return tn_error_set(s->error, TN_NO_MEMORY, "no memory for the tiles of %d shapes", s->n);
    }
    list_tiles(s, n_buckets, start, NULL);
    for (uint64_t b = 0; b < n_buckets; ++b) {
        start[b + 1] += start[b];
    }
    int n_entries = start[n_buckets];
    entry *entries = TN_PUSH(s->arena, entry, n_entries);
    if (!entries) {
        return tn_error_set(s->error, TN_NO_MEMORY, "no memory for the tiles of %d shapes", s->n);
    }
    list_tiles(s, n_buckets, start, entries); // start[b] is now the end of bucket b
    tn_status status = TN_OK;
    for (uint64_t b = 0; !status && b < n_buckets; ++b) {
        int first = b > 0 ? start[b - 1] : 0;
        status = sweep_bucket(s, start[b] - first, entries + first);
    }
    return status;
}

tn_status tn_sweep(const tn_model *model, const tn_bounds *bounds, int n, const int *ids, tn_arena *arena,
                   tn_pair_list *out, tn_error *error)
{
    sweeper s = {.model = model, .bounds = bounds, .n = n, .arena = arena, .out = out, .error = error};
    int *copy = TN_PUSH(arena, int, n), *scratch = TN_PUSH(arena, int, n);
    s.large = TN_PUSH(arena, int, n);
    if (!copy || !scratch || !s.large) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to sort %d shapes", n);
    }
    if (n == 0) {
        return TN_OK;
    }
    memcpy(copy, ids, (size_t)n * sizeof *ids);
    s.axis = best_axis(bounds, n, ids);
    s.across_u = (s.axis + 1) % 3;
    s.across_v = (s.axis + 2) % 3;
    s.ids = sort_by_low(bounds, s.axis, n, copy, scratch);
    s.tile = choose_tile(&s);
    for (int k = 0; k < n; ++k) {
        if (cover_of(&s, s.ids[k]).large) {
            s.large[s.n_large++] = s.ids[k];
        }
    }
    tn_status status = sweep_large(&s);
    return status ? status : sweep_tiles(&s);
}
