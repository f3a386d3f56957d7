// Bounded surfaces go into a grid (grid.h). The others - planes, boxes far too large or far away for it, and all where
// they are few - are checked against all. The pairs are sorted at the end, so the way they were found leaves no trace.
#include "collide/broad.h"

#include "base/team.h"
#include "collide/grid.h"

#include <math.h>

// So few are checked against all: a robot's 18 in a tenth of the grid's time.
enum { FEW = 32 };

int tn_side_count(const tn_model *model)
{
    return model->n_shapes + model->n_softs;
}

// The soft body of a surface; NULL: the surface is a shape.
static const tn_model_soft *side_soft(const tn_model *model, int surface)
{
    return surface < model->n_shapes ? NULL : model->softs + (surface - model->n_shapes);
}

int tn_side_body(const tn_model *model, int surface)
{
    return surface < model->n_shapes ? model->shapes[surface].body : model->n_bodies + (surface - model->n_shapes);
}

int tn_side_material(const tn_model *model, int surface)
{
    const tn_model_soft *soft = side_soft(model, surface);
    return soft ? soft->material : model->shapes[surface].material;
}

// Soft bodies move, whatever their attachments.
int tn_side_motion(const tn_model *model, int surface)
{
    if (side_soft(model, surface)) {
        return TN_SIDE_MOVES;
    }
    const tn_model_body *body = &model->bodies[model->shapes[surface].body];
    return (body->n_blocks > 0 ? TN_SIDE_MOVES : 0) + (body->asleep ? TN_SIDE_SLEEPS : 0) +
           (body->driven ? TN_SIDE_DRIVEN : 0);
}

// with anything at all
static bool side_collides(const tn_model *model, int surface)
{
    const tn_model_soft *soft = side_soft(model, surface);
    return !soft || soft->collides;
}

// True where two surfaces could matter: different bodies, their motions meet, their materials collide; a soft body with
// itself (shape_a = shape_b): where it asks for self contact.
static bool is_pair_wanted(const tn_model *model, int shape_a, int shape_b)
{
    if (!side_collides(model, shape_a) || !side_collides(model, shape_b) ||
        !tn_pair_surface(model, shape_a, shape_b)->collide) {
        return false;
    }
    if (shape_a == shape_b) {
        const tn_model_soft *soft = side_soft(model, shape_a);
        return soft && soft->self_contact;
    }
    int a = tn_side_body(model, shape_a), b = tn_side_body(model, shape_b);
    bool meet = tn_motions_meet(tn_side_motion(model, shape_a), tn_side_motion(model, shape_b));
    return meet && a != b && !tn_model_joined(model, a, b);
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

// False also for what is not a number.
static bool bounds_hold_something(const tn_bounds *b)
{
    return b->low[0] <= b->high[0] && b->low[1] <= b->high[1] && b->low[2] <= b->high[2];
}

// Surfaces that may touch anything, apart from how their pairs are found; all ascending.
typedef struct sorted_sides {
    int n_bounded, n_loose;
    int n_placed; // bounded ones that are not loose
    int *bounded, *loose;
} sorted_sides;

static tn_status sort_sides(const tn_broad_input *input, tn_arena *arena, sorted_sides *out, tn_error *error)
{
    int n = input->listed ? input->n_listed : tn_side_count(input->model);
    *out = (sorted_sides){.bounded = TN_PUSH_RAW(arena, int, n), .loose = TN_PUSH_RAW(arena, int, n)};
    if (!out->bounded || !out->loose) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the bounds of %d surfaces", n);
    }
    for (int k = 0; k < n; ++k) {
        int i = input->listed ? input->listed[k] : k;
        if (!side_collides(input->model, i) || !bounds_hold_something(input->bounds + i)) {
            continue;
        }
        if (bounds_finite(input->bounds + i)) {
            out->bounded[out->n_bounded++] = i;
        } else {
            out->loose[out->n_loose++] = i;
        }
    }
    return TN_OK;
}

// Merges the grid's rest into the loose ones. Room is there: every surface is in one of the two.
static void loosen(sorted_sides *sides, const tn_grid_rest *rest)
{
    int i = sides->n_loose - 1, k = sides->n_loose + rest->n - 1;
    for (int j = rest->n - 1; j >= 0; --k) {
        bool from_rest = i < 0 || rest->ids[j] > sides->loose[i];
        sides->loose[k] = from_rest ? rest->ids[j--] : sides->loose[i--];
    }
    sides->n_loose += rest->n;
    sides->n_placed = sides->n_bounded - rest->n;
}

// Does the box reach into the half space?
static bool reaches(const tn_half_space *space, const tn_bounds *box)
{
    double lowest = 0.0;
    for (int i = 0; i < 3; ++i) {
        lowest += space->normal[i] * (space->normal[i] > 0.0 ? box->low[i] : box->high[i]);
    }
    return !(lowest > space->level);
}

// NULL: nothing is known of the surface.
static const tn_half_space *find_half_space(const tn_broad_input *input, int surface)
{
    for (int k = 0; k < input->n_half_spaces; ++k) {
        if (input->half_spaces[k].surface == surface) {
            return input->half_spaces + k;
        }
    }
    return NULL;
}

static bool is_sought(const tn_broad_input *input, int a, int b)
{
    return !input->sought || input->sought[a] || input->sought[b];
}

// A loose surface that looks for others.
typedef struct loose_pairing {
    const tn_broad_input *input;
    const int *bounded;
    const bool *is_loose;
    int loose;
    const tn_half_space *space; // or NULL
    tn_pair_sink *sinks;
} loose_pairing;

static bool meets_loose(const loose_pairing *p, int i)
{
    const tn_bounds *bounds = p->input->bounds;
    return is_sought(p->input, p->loose, i) && (!p->space || reaches(p->space, bounds + i)) &&
           tn_bounds_overlap(bounds + p->loose, bounds + i) && is_pair_wanted(p->input->model, p->loose, i);
}

static void pair_with_bounded(const void *context, int first, int end, int thread)
{
    const loose_pairing *p = context;
    for (int k = first; k < end; ++k) {
        if (!p->is_loose[p->bounded[k]] && meets_loose(p, p->bounded[k])) {
            tn_pair_sink_add(p->sinks + thread, p->loose, p->bounded[k]);
        }
    }
}

// A loose surface with the bounded ones, and the other loose ones behind it (which are among `bounded` if the grid had
// no place for them).
static void pair_loose(const tn_broad_input *input, const sorted_sides *sides, const bool *is_loose, int loose,
                       tn_pair_sink *sinks)
{
    const loose_pairing p = {.input = input,
                             .bounded = sides->bounded,
                             .is_loose = is_loose,
                             .loose = loose,
                             .space = find_half_space(input, loose),
                             .sinks = sinks};
    tn_team_share(input->n_threads, sides->n_placed > 0 ? sides->n_bounded : 0, 512, pair_with_bounded, &p);
    for (int k = 0; k < sides->n_loose; ++k) {
        if (sides->loose[k] > loose && meets_loose(&p, sides->loose[k])) {
            tn_pair_sink_add(sinks, loose, sides->loose[k]);
        }
    }
}

// Soft bodies with themselves.
static void pair_selves(const tn_broad_input *input, const sorted_sides *sides, tn_pair_sink *sink)
{
    for (int k = 0; k < sides->n_bounded; ++k) {
        int i = sides->bounded[k];
        if (i >= input->model->n_shapes && is_sought(input, i, i) && is_pair_wanted(input->model, i, i)) {
            tn_pair_sink_add(sink, i, i);
        }
    }
}

tn_status tn_broad_phase(const tn_broad_input *input, tn_arena *arena, tn_pair_list *out, tn_error *error)
{
    int n = tn_side_count(input->model);
    sorted_sides sides;
    tn_grid_rest rest;
    *out = (tn_pair_list){0};
    tn_status status = sort_sides(input, arena, &sides, error);
    if (status) {
        return status;
    }
    tn_pair_sink *sinks = tn_pair_sinks_create(input->n_threads, n, arena);
    bool *is_loose = TN_PUSH(arena, bool, n);
    if (!sinks || !is_loose) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the pairs of %d surfaces", n);
    }
    if (sides.n_bounded <= FEW) {
        rest = (tn_grid_rest){.n = sides.n_bounded, .ids = sides.bounded};
    } else {
        status = tn_grid_pairs(input, sides.n_bounded, sides.bounded, sinks, arena, &rest, error);
        if (status) {
            return status;
        }
    }
    loosen(&sides, &rest);
    for (int k = 0; k < sides.n_loose; ++k) {
        is_loose[sides.loose[k]] = true;
    }
    for (int k = 0; k < sides.n_loose; ++k) {
        pair_loose(input, &sides, is_loose, sides.loose[k], sinks);
    }
    pair_selves(input, &sides, sinks);
    return tn_pair_sinks_sort(input->n_threads, sinks, n, arena, out, error);
}
