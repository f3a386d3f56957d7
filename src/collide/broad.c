// Bounded shapes are swept (sweep.c), unbounded ones (planes) checked against all others. The pairs are sorted at the
// end, so the way they were found leaves no trace.
#include "collide/broad.h"

#include "collide/sweep.h"

#include <math.h>
#include <string.h>

int tn_side_count(const tn_model *model)
{
    return model->n_shapes + model->n_softs;
}

const tn_model_soft *tn_side_soft(const tn_model *model, int surface)
{
    return surface < model->n_shapes ? NULL : model->softs + (surface - model->n_shapes);
}

int tn_side_body(const tn_model *model, int surface)
{
    return surface < model->n_shapes ? model->shapes[surface].body : model->n_bodies + (surface - model->n_shapes);
}

int tn_side_material(const tn_model *model, int surface)
{
    const tn_model_soft *soft = tn_side_soft(model, surface);
    return soft ? soft->material : model->shapes[surface].material;
}

// Soft bodies move, whatever their attachments.
static bool side_moves(const tn_model *model, int surface)
{
    return tn_side_soft(model, surface) || model->bodies[model->shapes[surface].body].n_blocks > 0;
}

static bool side_collides(const tn_model *model, int surface)
{
    const tn_model_soft *soft = tn_side_soft(model, surface);
    return !soft || soft->collides;
}

bool tn_pair_wanted(const tn_model *model, int shape_a, int shape_b)
{
    if (!side_collides(model, shape_a) || !side_collides(model, shape_b) ||
        !tn_pair_surface(model, shape_a, shape_b)->collide) {
        return false;
    }
    if (shape_a == shape_b) {
        const tn_model_soft *soft = tn_side_soft(model, shape_a);
        return soft && soft->self_contact;
    }
    bool moves = side_moves(model, shape_a) || side_moves(model, shape_b);
    return moves && tn_side_body(model, shape_a) != tn_side_body(model, shape_b);
}

const tn_surface *tn_pair_surface(const tn_model *model, int shape_a, int shape_b)
{
    int a = tn_side_material(model, shape_a), b = tn_side_material(model, shape_b);
    return model->surfaces + (size_t)a * (size_t)model->n_materials + b;
}

bool tn_bounds_overlap(const tn_bounds *a, const tn_bounds *b)
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

tn_status tn_pair_list_add(tn_pair_list *list, int a, int b, tn_arena *arena, tn_error *error)
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

// Each unbounded shape with every bounded one and the unbounded ones after it.
static tn_status pair_unbounded(const tn_model *model, const tn_bounds *bounds, const bool *bounded, tn_arena *arena,
                                tn_pair_list *out, tn_error *error)
{
    int n = tn_side_count(model);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; !bounded[i] && j < n; ++j) {
            if ((bounded[j] || j > i) && tn_bounds_overlap(bounds + i, bounds + j) && tn_pair_wanted(model, i, j)) {
                tn_status status = tn_pair_list_add(out, i, j, arena, error);
                if (status) {
                    return status;
                }
            }
        }
    }
    return TN_OK;
}

static tn_status pair_selves(const tn_model *model, const bool *bounded, tn_arena *arena, tn_pair_list *out,
                             tn_error *error)
{
    tn_status status = TN_OK;
    for (int i = model->n_shapes; !status && i < tn_side_count(model); ++i) {
        if (bounded[i] && tn_pair_wanted(model, i, i)) {
            status = tn_pair_list_add(out, i, i, arena, error);
        }
    }
    return status;
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
    int n_shapes = tn_side_count(model), n = 0;
    bool *bounded = TN_PUSH(arena, bool, n_shapes);
    int *ids = TN_PUSH(arena, int, n_shapes), *start = TN_PUSH(arena, int, n_shapes + 1);
    *out = (tn_pair_list){0};
    if (!bounded || !ids || !start) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the bounds of %d shapes", n_shapes);
    }
    for (int i = 0; i < n_shapes; ++i) {
        bounded[i] = bounds_finite(bounds + i);
        if (bounded[i]) {
            ids[n++] = i;
        }
    }
    tn_status status = tn_sweep(model, bounds, n, ids, arena, out, error);
    if (!status) {
        status = pair_unbounded(model, bounds, bounded, arena, out, error);
    }
    if (!status) {
        status = pair_selves(model, bounded, arena, out, error);
    }
    tn_shape_pair *other = status ? NULL : TN_PUSH(arena, tn_shape_pair, out->n);
    if (!status && !other) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for %d pairs of shapes", out->n);
    }
    if (!status) {
        sort_pass(n_shapes, out->n, out->pairs, false, start, other);
        sort_pass(n_shapes, out->n, other, true, start, out->pairs);
    }
    return status;
}
