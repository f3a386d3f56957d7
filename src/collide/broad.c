// Sort and sweep along the axis on which the shapes spread most. Unbounded shapes (planes) are checked
// against all others. The pairs are sorted at the end, so the way they were found leaves no trace.
#include "collide/broad.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

bool tn_pair_wanted(const tn_model *model, int shape_a, int shape_b)
{
    const tn_model_shape *a = model->shapes + shape_a, *b = model->shapes + shape_b;
    bool moves = model->bodies[a->body].n_blocks > 0 || model->bodies[b->body].n_blocks > 0;
    return a->body != b->body && moves && tn_pair_surface(model, shape_a, shape_b)->collide;
}

const tn_surface *tn_pair_surface(const tn_model *model, int shape_a, int shape_b)
{
    int a = model->shapes[shape_a].material, b = model->shapes[shape_b].material;
    return model->surfaces + (size_t)a * (size_t)model->n_materials + b;
}

static bool bounds_overlap(const tn_bounds *a, const tn_bounds *b)
{
    for (int i = 0; i < 3; ++i) {
        if (!(a->low[i] <= b->high[i] && b->low[i] <= a->high[i])) {
            return false;
        }
    }
    return true;
}

static bool bounds_finite(const tn_bounds *b)
{
    return isfinite(b->low[0] + b->low[1] + b->low[2]) && isfinite(b->high[0] + b->high[1] + b->high[2]);
}

static tn_status add_pair(tn_pair_list *list, int a, int b, tn_arena *arena, tn_error *error)
{
    if (list->n == list->capacity) {
        int capacity = 2 * list->capacity + 64;
        tn_shape_pair *pairs = TN_PUSH(arena, tn_shape_pair, capacity);
        if (!pairs) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for %d pairs of shapes", capacity);
        }
        if (list->n > 0) {
            memcpy(pairs, list->pairs, (size_t)list->n * sizeof *pairs);
        }
        list->pairs = pairs;
        list->capacity = capacity;
    }
    list->pairs[list->n++] = a < b ? (tn_shape_pair){a, b} : (tn_shape_pair){b, a};
    return TN_OK;
}

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

// Merge sort from below, stable: by lower bound, then by shape.
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

static tn_status sweep(const tn_model *model, const tn_bounds *bounds, int n, int *ids, int *scratch, tn_arena *arena,
                       tn_pair_list *out, tn_error *error)
{
    tn_status status = TN_OK;
    int axis = n > 0 ? best_axis(bounds, n, ids) : 0;
    ids = sort_by_low(bounds, axis, n, ids, scratch);
    for (int i = 0; i < n; ++i) {
        const tn_bounds *bi = bounds + ids[i];
        for (int j = i + 1; j < n && bounds[ids[j]].low[axis] <= bi->high[axis]; ++j) {
            if (bounds_overlap(bi, bounds + ids[j]) && tn_pair_wanted(model, ids[i], ids[j])) {
                status = add_pair(out, ids[i], ids[j], arena, error);
                if (status) {
                    return status;
                }
            }
        }
    }
    return TN_OK;
}

// Each unbounded shape with every bounded one and the unbounded ones after it.
static tn_status pair_unbounded(const tn_model *model, const tn_bounds *bounds, const bool *bounded, tn_arena *arena,
                                tn_pair_list *out, tn_error *error)
{
    for (int i = 0; i < model->n_shapes; ++i) {
        for (int j = 0; !bounded[i] && j < model->n_shapes; ++j) {
            if ((bounded[j] || j > i) && bounds_overlap(bounds + i, bounds + j) && tn_pair_wanted(model, i, j)) {
                tn_status status = add_pair(out, i, j, arena, error);
                if (status) {
                    return status;
                }
            }
        }
    }
    return TN_OK;
}

// Stable counting sort of the pairs by one member.
static void sort_pass(int n_shapes, int n, const tn_shape_pair *in, bool by_a, int *start, tn_shape_pair *out)
{
    memset(start, 0, ((size_t)n_shapes + 1) * sizeof *start);
    for (int i = 0; i < n; ++i) {
        start[(by_a ? in[i].a : in[i].b) + 1]++;
    }
    for (int s = 0; s < n_shapes; ++s) {
        start[s + 1] += start[s];
    }
    for (int i = 0; i < n; ++i) {
        out[start[by_a ? in[i].a : in[i].b]++] = in[i];
    }
}

tn_status tn_broad_phase(const tn_model *model, const tn_bounds *bounds, tn_arena *arena, tn_pair_list *out,
                         tn_error *error)
{
    int n_shapes = model->n_shapes, n = 0;
    bool *bounded = TN_PUSH(arena, bool, n_shapes);
    int *ids = TN_PUSH(arena, int, n_shapes), *scratch = TN_PUSH(arena, int, n_shapes + 1);
    *out = (tn_pair_list){0};
    if (!bounded || !ids || !scratch) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the bounds of %d shapes", n_shapes);
    }
    for (int i = 0; i < n_shapes; ++i) {
        bounded[i] = bounds_finite(bounds + i);
        if (bounded[i]) {
            ids[n++] = i;
        }
    }
    tn_status status = sweep(model, bounds, n, ids, scratch, arena, out, error);
    if (!status) {
        status = pair_unbounded(model, bounds, bounded, arena, out, error);
    }
    tn_shape_pair *other = status ? NULL : TN_PUSH(arena, tn_shape_pair, out->n);
    if (!status && !other) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for %d pairs of shapes", out->n);
    }
    if (!status) {
        sort_pass(n_shapes, out->n, out->pairs, false, scratch, other);
        sort_pass(n_shapes, out->n, other, true, scratch, out->pairs);
    }
    return status;
}
