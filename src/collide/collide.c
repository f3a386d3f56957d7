// Broad phase, narrow phase, surfaces and frames, and the match with the last step's forces: one list.
#include "collide/collide.h"

#include "collide/broad.h"
#include "collide/frame.h"
#include "collide/motion.h"
#include "math/vec3.h"

#include <string.h>

// What the narrow phase reads of every body and shape.
typedef struct scene_view {
    const tn_model *model;
    const tn_state *state;
    tn_body_motion *motion; // (n_bodies)
    tn_pose *pose;          // (n_shapes) world
    double *way;            // (n_shapes) tn_shape_way [m]
    tn_bounds *bounds;      // (n_shapes) grown by the way and half the margin
} scene_view;

typedef struct contact_buffer {
    int n, capacity;
    tn_contact *contacts;
} contact_buffer;

static tn_status view_scene(const tn_model *model, const tn_state *state, tn_arena *arena, scene_view *view,
                            tn_error *error)
{
    *view = (scene_view){.model = model, .state = state};
    view->motion = TN_PUSH(arena, tn_body_motion, model->n_bodies);
    view->pose = TN_PUSH(arena, tn_pose, model->n_shapes);
    view->way = TN_PUSH(arena, double, model->n_shapes);
    view->bounds = TN_PUSH(arena, tn_bounds, model->n_shapes);
    if (!view->motion || !view->pose || !view->way || !view->bounds) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the poses of %d shapes", model->n_shapes);
    }
    for (int b = 0; b < model->n_bodies; ++b) {
        tn_body_motion_of(view->motion + b, state, b);
    }
    for (int s = 0; s < model->n_shapes; ++s) {
        const tn_model_shape *shape = model->shapes + s;
        tn_shape_world_pose(view->pose + s, state, s);
        view->way[s] = tn_shape_way(state, view->motion, s);
        tn_shape_bounds(&shape->shape, view->pose + s, view->way[s] + 0.5 * model->margin, view->bounds[s].low,
                        view->bounds[s].high);
    }
    return TN_OK;
}

// Room for one more manifold; false: no memory.
static bool reserve(contact_buffer *buffer, tn_arena *arena)
{
    if (buffer->n + TN_MANIFOLD_MAX <= buffer->capacity) {
        return true;
    }
    int capacity = 2 * buffer->capacity + 8 * TN_MANIFOLD_MAX;
    tn_contact *contacts = TN_PUSH(arena, tn_contact, capacity);
    if (!contacts) {
        return false;
    }
    if (buffer->n > 0) {
        memcpy(contacts, buffer->contacts, (size_t)buffer->n * sizeof *contacts);
    }
    buffer->contacts = contacts;
    buffer->capacity = capacity;
    return true;
}

static void fill_contact(tn_contact *out, const scene_view *view, const tn_shape_pair *pair,
                         const tn_contact_point *point)
{
    const tn_surface *surface = tn_pair_surface(view->model, pair->a, pair->b);
    *out = (tn_contact){
        .body_a = view->model->shapes[pair->a].body,
        .body_b = view->model->shapes[pair->b].body,
        .shape_a = pair->a,
        .shape_b = pair->b,
        .feature = point->feature,
        .gap = point->gap,
        .mu1 = surface->mu1,
        .mu2 = surface->mu2,
        .restitution = surface->restitution,
    };
    tn_vec3_copy(out->point, point->point);
    tn_contact_frame(out->frame, view->state, surface, out->body_a, out->body_b, point->normal);
}

// A pair counts if its nearest points may meet within the step. Then it brings all points that would meet if a third
// body stopped one of the two: boxes that fall as one and land on an edge close the far edge in the same step.
static void collide_pair(const scene_view *view, const tn_shape_pair *pair, contact_buffer *buffer)
{
    const tn_model_shape *a = view->model->shapes + pair->a, *b = view->model->shapes + pair->b;
    tn_contact_point points[TN_MANIFOLD_MAX];
    double margin = view->model->margin, least = INFINITY;
    double meet = margin + tn_pair_way(view->state, view->motion, view->pose, pair->a, pair->b);
    double reach = fmax(meet, margin + view->way[pair->a] + view->way[pair->b]);
    int n = tn_shape_contact(&a->shape, view->pose + pair->a, &b->shape, view->pose + pair->b, reach, points);
    for (int i = 0; i < n; ++i) {
        least = fmin(least, points[i].gap);
    }
    for (int i = 0; i < n && least <= meet; ++i) {
        fill_contact(buffer->contacts + buffer->n++, view, pair, points + i);
    }
}

static int compare_key(const tn_contact *contact, const tn_contact_memory *memory)
{
    uint64_t shapes = (uint64_t)(uint32_t)contact->shape_a << 32 | (uint32_t)contact->shape_b;
    if (shapes != memory->key_shapes) {
        return shapes < memory->key_shapes ? -1 : 1;
    }
    return contact->feature < memory->key_feature ? -1 : contact->feature > memory->key_feature;
}

// Both lists are sorted by key: one walk.
static void match_memory(const tn_state *state, int n, tn_contact *contacts)
{
    int m = 0;
    for (int i = 0; i < n; ++i) {
        while (m < state->n_memory && compare_key(contacts + i, state->memory + m) > 0) {
            m++;
        }
        if (m < state->n_memory && compare_key(contacts + i, state->memory + m) == 0) {
            tn_vec3_copy(contacts[i].warm, state->memory[m].force);
        }
    }
}

tn_status tn_collide(const tn_model *model, const tn_state *state, int n_threads, tn_arena *arena, tn_contact_list *out,
                     tn_error *error)
{
    (void)n_threads; // one thread does it all; the list would not depend on it
    scene_view view;
    tn_pair_list pairs;
    contact_buffer buffer = {0};
    *out = (tn_contact_list){0};
    tn_status status = view_scene(model, state, arena, &view, error);
    if (!status) {
        status = tn_broad_phase(model, view.bounds, arena, &pairs, error);
    }
    for (int i = 0; !status && i < pairs.n; ++i) {
        if (reserve(&buffer, arena)) {
            collide_pair(&view, pairs.pairs + i, &buffer);
        } else {
            status = tn_error_set(error, TN_NO_MEMORY, "no memory for more than %d contacts", buffer.n);
        }
    }
    if (!status) {
        match_memory(state, buffer.n, buffer.contacts);
        *out = (tn_contact_list){.n = buffer.n, .contacts = buffer.contacts};
    }
    return status;
}
