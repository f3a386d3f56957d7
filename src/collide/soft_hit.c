#include "collide/soft_hit.h"

#include "math/vec3.h"
#include "model/skins.h"

#include <string.h>

bool tn_hit_add(tn_hit_buffer *buffer, const tn_soft_hit *hit)
{
    tn_collide_view *view = buffer->view;
    if (buffer->n == buffer->capacity) {
        size_t bytes = view->scratch_bytes[TN_SCRATCH_FOUND], n = (size_t)buffer->n;
        const tn_soft_hit *old = buffer->hits;
        size_t room = bytes / sizeof *hit > n ? bytes / sizeof *hit : 2 * n + 32;
        tn_soft_hit *hits = tn_collide_scratch(view, TN_SCRATCH_FOUND, room, sizeof *hit);
        if (!hits) {
            return false;
        }
        if (n > 0 && hits != old) {
            memcpy(hits, old, n * sizeof *hits);
        }
        buffer->hits = hits;
        buffer->capacity = (int)room;
    }
    buffer->hits[buffer->n++] = *hit;
    return true;
}

static bool is_before(const tn_soft_hit *one, const tn_soft_hit *two)
{
    return one->feature != two->feature ? one->feature < two->feature : one->a.node[0] < two->a.node[0];
}

// Moves hit i down to where both below it in the heap are smaller.
static void sift(int n, tn_soft_hit *hits, int i)
{
    tn_soft_hit hit = hits[i];
    for (int child = 2 * i + 1; child < n; child = 2 * i + 1) {
        child += child + 1 < n && is_before(hits + child, hits + child + 1);
        if (!is_before(&hit, hits + child)) {
            break;
        }
        hits[i] = hits[child];
        i = child;
    }
    hits[i] = hit;
}

void tn_hits_sort(int n, tn_soft_hit *hits)
{
    for (int i = n / 2 - 1; i >= 0; --i) {
        sift(n, hits, i);
    }
    for (int end = n - 1; end > 0; --end) {
        tn_soft_hit swap = hits[0];
        hits[0] = hits[end];
        hits[end] = swap;
        sift(end, hits, 0);
    }
}

tn_status tn_hits_fill(const tn_collide_view *view, const tn_shape_pair *pair, int n, const tn_soft_hit *hits,
                       tn_contact_buffer *buffer, tn_error *error)
{
    if (!tn_contact_buffer_reserve(buffer, n)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for more than %d contacts", buffer->n);
    }
    tn_contact_maker maker;
    tn_contact_maker_set(&maker, view, pair);
    for (int i = 0; i < n; ++i) {
        const tn_soft_hit *hit = hits + i;
        tn_soft_contact *contact = buffer->contacts + buffer->n++;
        tn_contact_make(&maker, hit->feature, hit->normal, hit->point, hit->gap, contact);
        contact->a = hit->a;
        contact->b = hit->b;
    }
    return TN_OK;
}

const tn_skin *tn_collide_skin(tn_collide_view *view, int soft)
{
    if (!view->skins && tn_skins_create(view->model, view->arena, &view->skins, NULL)) {
        return NULL;
    }
    return view->skins + soft;
}

const tn_skin_view *tn_collide_view_skin(tn_collide_view *view, int soft)
{
    const tn_model *model = view->model;
    if (!tn_collide_skin(view, soft)) {
        return NULL;
    }
    if (!view->skin) {
        view->skin = TN_PUSH(view->arena, tn_skin_view, model->n_softs);
    }
    tn_skin_view *skin = view->skin ? view->skin + soft : NULL;
    const double *x = view->state->x + 3 * (size_t)model->softs[soft].first_node;
    return skin && (skin->skin || tn_skin_view_set(skin, view->skins + soft, x, view->arena)) ? skin : NULL;
}

void tn_soft_point_of(tn_soft_point *out, const tn_model_soft *soft, const tn_skin_point *point)
{
    *out = (tn_soft_point){.n = point->n};
    for (int i = 0; i < point->n; ++i) {
        out->node[i] = soft->first_node + point->node[i];
        out->weight[i] = point->weight[i];
    }
}

tn_soft_point tn_soft_edge_point(const tn_model_soft *soft, const tn_skin *skin, int edge, double s)
{
    const int *ends = skin->edges + 2 * (size_t)edge;
    return (tn_soft_point){.n = 2,
                           .node = {soft->first_node + ends[0], soft->first_node + ends[1]},
                           .weight = {0.5 - 0.5 * s, 0.5 + 0.5 * s}};
}

double tn_soft_reach(const tn_collide_view *view, int node, const tn_soft_motion *other)
{
    double v[3], u[3];
    tn_node_motion(v, view->state, view->motion, node);
    tn_vec3_sub(u, v, other->mean);
    double relative = 1.12 * (tn_vec3_norm(u) + other->deviation), alone = fmax(tn_vec3_norm(v), other->speed);
    return view->model->margin + view->fall + 2.0 * view->step * fmax(relative, alone);
}

void tn_soft_point_velocity(double velocity[3], const tn_collide_view *view, const tn_soft_point *point)
{
    tn_vec3_set(velocity, 0.0, 0.0, 0.0);
    for (int i = 0; i < point->n; ++i) {
        double v[3];
        tn_node_motion(v, view->state, view->motion, point->node[i]);
        tn_vec3_madd(velocity, velocity, point->weight[i], v);
    }
}

bool tn_soft_point_moves(const tn_model *model, const tn_soft_point *point)
{
    bool moves = false;
    for (int i = 0; i < point->n; ++i) {
        const tn_model_node *node = model->nodes + point->node[i];
        moves |= node->block >= 0 || model->bodies[node->body].n_blocks > 0;
    }
    return moves;
}

bool tn_soft_point_attached(const tn_model *model, const tn_soft_point *point, int body)
{
    bool attached = false;
    for (int i = 0; i < point->n; ++i) {
        attached |= model->nodes[point->node[i]].body == body;
    }
    return attached;
}
