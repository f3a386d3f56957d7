// Broad phase, narrow phase, surfaces and frames, and the match with the last step's forces: one list.
#include "collide/collide.h"

#include "collide/soft_core.h"
#include "collide/soft_pair.h"
#include "collide/soft_vertex.h"
#include "collide/view.h"
#include "math/vec3.h"

// A pair counts if its nearest points may meet within the step. Then it brings all points that would meet if a third
// body stopped one of the two: boxes that fall as one and land on an edge close the far edge in the same step.
static tn_status collide_shapes(const tn_collide_view *view, const tn_shape_pair *pair, tn_contact_buffer *buffer,
                                tn_error *error)
{
    if (!tn_contact_buffer_reserve(buffer, TN_MANIFOLD_MAX)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for more than %d contacts", buffer->n);
    }
    const tn_model_shape *a = view->model->shapes + pair->a, *b = view->model->shapes + pair->b;
    tn_contact_point points[TN_MANIFOLD_MAX];
    double margin = view->model->margin, least = INFINITY;
    double meet = margin + tn_pair_way(view->state, view->motion, view->pose, pair->a, pair->b);
    double reach = fmax(meet, margin + view->way[pair->a] + view->way[pair->b]);
    int n = tn_shape_contact(&a->shape, view->pose + pair->a, &b->shape, view->pose + pair->b, reach, points);
    for (int i = 0; i < n; ++i) {
        least = fmin(least, points[i].gap);
    }
    if (!(least <= meet)) {
        return TN_OK;
    }
    tn_contact_maker maker;
    tn_contact_maker_set(&maker, view, pair);
    for (int i = 0; i < n; ++i) {
        tn_contact_make(&maker, points[i].feature, points[i].normal, points[i].point, points[i].gap,
                        buffer->contacts + buffer->n++);
    }
    return TN_OK;
}

static tn_status collide_pair(tn_collide_view *view, const tn_shape_pair *pair, tn_contact_buffer *buffer,
                              tn_error *error)
{
    int n_shapes = view->model->n_shapes;
    if (pair->b < n_shapes) {
        return collide_shapes(view, pair, buffer, error);
    }
    if (pair->a < n_shapes) {
        tn_status status = tn_collide_vertices(view, pair, buffer, error);
        return status ? status : tn_collide_core(view, pair, buffer, error);
    }
    return tn_collide_softs(view, pair, buffer, error);
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
    tn_collide_view view;
    tn_pair_list pairs;
    tn_contact_buffer buffer = {.arena = arena};
    *out = (tn_contact_list){0};
    tn_status status = tn_collide_view_set(&view, model, state, n_threads, arena, error);
    if (!status) {
        status = tn_broad_phase(model, view.bounds, arena, &pairs, error);
    }
    for (int i = 0; !status && i < pairs.n; ++i) {
        status = collide_pair(&view, pairs.pairs + i, &buffer, error);
    }
    if (!status) {
        match_memory(state, buffer.n, buffer.contacts);
        *out = (tn_contact_list){.n = buffer.n, .contacts = buffer.contacts};
    }
    return status;
}
