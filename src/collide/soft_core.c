#include "collide/soft_core.h"

#include "collide/core_surface.h"
#include "collide/core_work.h"
#include "collide/soft_vertex.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/convex.h"

enum { RANKS = 32 };

void tn_core_to_world(const tn_core_work *work, const double local[3], double out[3])
{
    tn_mat3_vec(out, work->placed.rotation, local);
    tn_vec3_add(out, out, work->placed.position);
}

bool tn_core_take(tn_core_work *work, tn_soft_hit *hit)
{
    const tn_collide_view *view = work->view;
    const tn_model *model = view->model;
    double on_soft[3] = {0.0, 0.0, 0.0}, below[3], velocity[3], nearest[3], meet;
    if (tn_soft_point_attached(model, &hit->b, work->body) ||
        (!tn_soft_point_moves(model, &hit->b) && model->bodies[work->body].n_blocks == 0)) {
        return true;
    }
    for (int i = 0; i < hit->b.n; ++i) {
        tn_vec3_madd(on_soft, on_soft, hit->b.weight[i], view->state->x + 3 * (size_t)hit->b.node[i]);
    }
    tn_vec3_madd(nearest, on_soft, -hit->gap, hit->normal);
    tn_vec3_madd(hit->point, on_soft, -0.5 * hit->gap, hit->normal);
    tn_motion_velocity_at(below, view->motion + work->body, nearest);
    tn_soft_point_velocity(velocity, view, &hit->b);
    double way = tn_soft_way(view, velocity, below, hit->normal, &meet);
    return hit->gap > model->margin + way || tn_hit_add(&work->hits, hit);
}

// Is the box (at low to high) within reach of the body's?
static bool near_body(const tn_core_work *work, const double low[3], const double high[3])
{
    const tn_collide_view *view = work->view;
    const tn_bounds *bounds = view->bounds + work->pair->b; // grown by its own way
    double by = view->way[work->pair->a] + 0.5 * view->model->margin + work->core.radius;
    for (int k = 0; k < 3; ++k) {
        if (!(low[k] - by <= bounds->high[k] && bounds->low[k] <= high[k] + by)) {
            return false;
        }
    }
    return true;
}

static bool hit_point(tn_core_work *work, int i)
{
    tn_skin_point points[RANKS];
    double local[3], x[3], radius = work->core.radius;
    tn_core_point(work->shape, i, local);
    tn_core_to_world(work, local, x);
    if (!near_body(work, x, x)) {
        return true;
    }
    tn_skin_search search = {
        .reach = work->reach + radius, .depth = INFINITY, .touch = 0.01 * work->view->model->margin};
    int capacity = work->core.n > 2 || tn_core_is_surface(work->shape) ? 4 : RANKS,
        n = tn_skin_near(work->skin, &search, x, capacity, points);
    for (int k = 0; k < n; ++k) {
        tn_soft_hit hit = {.feature = TN_FEATURE_CORE | (uint32_t)i << 5 | (uint32_t)k,
                           .gap = points[k].distance - radius};
        if (points[k].n == 1 && tn_class_of(work->shape)->distance) {
            continue;
        }
        tn_vec3_scale(hit.normal, -1.0, points[k].normal);
        tn_soft_point_of(&hit.b, work->soft, points + k);
        if (tn_core_point_open(&work->placed, i, hit.normal) && !tn_core_take(work, &hit)) {
            return false;
        }
    }
    return true;
}

// Ranks of the edges of the shape that cross the same edge of the body. Returns the number of hits: those beyond the
// last rank are left out.
static int rank_edges(int n, tn_soft_hit *hits)
{
    uint32_t edge = 0, rank = 0;
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        bool crossing = (hits[i].feature & TN_FEATURE_EDGE) == TN_FEATURE_EDGE;
        rank = crossing && hits[i].feature == edge ? rank + 1 : 0;
        edge = hits[i].feature;
        if (rank >> TN_EDGE_RANK_BITS == 0) {
            hits[kept] = hits[i];
            hits[kept++].feature |= rank;
        }
    }
    return kept;
}

// Corners and ridges of a mesh or of heights.
typedef struct surface_visit {
    tn_core_work *work;
    bool seek; // only whether there is one within reach
    bool enough;
} surface_visit;

static bool visit_corner(void *user, int node, const double local[3])
{
    surface_visit *visit = user;
    double x[3];
    tn_core_to_world(visit->work, local, x);
    if (node >= TN_CORE_POINTS_MAX || !near_body(visit->work, x, x)) {
        return true;
    }
    visit->enough = visit->seek || hit_point(visit->work, node);
    return !visit->seek && visit->enough;
}

static bool visit_ridge(void *user, int number)
{
    surface_visit *visit = user;
    tn_edge_work edge;
    tn_core_set_edge(visit->work, number, &edge);
    if (!near_body(visit->work, edge.box.low, edge.box.high)) {
        return true;
    }
    visit->enough = visit->seek || tn_core_hit_edge(visit->work, &edge);
    return !visit->seek && visit->enough;
}

// With seek: is there any? Else: whether memory was enough.
static bool visit_surface(tn_core_work *work, bool seek)
{
    const tn_bounds *bounds = work->view->bounds + work->pair->b;
    double by = work->view->way[work->pair->a] + 0.5 * work->view->model->margin;
    double middle[3], half[3], low[3], high[3], centre[3];
    for (int k = 0; k < 3; ++k) {
        middle[k] = 0.5 * (bounds->low[k] + bounds->high[k]) - work->placed.position[k];
        half[k] = 0.5 * (bounds->high[k] - bounds->low[k]) + by;
    }
    tn_mat3_tvec(centre, work->placed.rotation, middle);
    for (int k = 0; k < 3; ++k) { // the world box in the shape's frame
        double size = 0.0;
        for (int i = 0; i < 3; ++i) {
            size += fabs(work->placed.rotation[3 * i + k]) * half[i];
        }
        low[k] = centre[k] - size;
        high[k] = centre[k] + size;
    }
    surface_visit visit = {.work = work, .seek = seek, .enough = true};
    tn_core_visitor visitor = {.corner = visit_corner, .ridge = visit_ridge, .user = &visit};
    bool all = tn_core_visit_surface(work->shape, low, high, &visitor);
    return seek ? !all : visit.enough;
}

// Is any point or edge of the shape within reach of the body's box?
static bool any_near(tn_core_work *work)
{
    if (tn_core_is_surface(work->shape)) {
        return visit_surface(work, true);
    }
    for (int i = 0; i < work->core.n; ++i) {
        double local[3], x[3];
        tn_core_point(work->shape, i, local);
        tn_core_to_world(work, local, x);
        if (near_body(work, x, x)) {
            return true;
        }
    }
    for (int i = 0; i < work->core.n_edges; ++i) {
        tn_edge_work edge;
        tn_core_set_edge(work, i, &edge);
        if (near_body(work, edge.box.low, edge.box.high)) {
            return true;
        }
    }
    return tn_core_round_parts(work->shape) > 0; // in their boxes' reach already
}

// Vertices alone hold a ball so well that between them it sinks in by less than the margin: by r - sqrt(r^2 - c^2), c
// the circumradius of a face. At rest, so that motion does not switch it.
static bool vertices_suffice(const tn_core_work *work, const tn_skin *skin)
{
    double edge = skin->edge_max, r = work->core.radius, square = edge * edge / 3.0;
    const tn_convex_class *core = tn_class_of(work->shape)->core;
    if (core && core->form == TN_CORE_SMOOTH) { // its least radius of curvature
        const double *h = work->shape->size;
        double least = fmin(h[0], fmin(h[1], h[2]));
        r = least * least / fmax(h[0], fmax(h[1], h[2]));
    }
    if (!tn_class_of(work->shape)->distance || r * r <= square) {
        return false;
    }
    return r - sqrt(r * r - square) <= work->view->model->margin;
}

tn_status tn_collide_core(tn_collide_view *view, const tn_shape_pair *pair, tn_contact_buffer *buffer, tn_error *error)
{
    const tn_model *model = view->model;
    const tn_model_shape *shape = model->shapes + pair->a;
    int s = pair->b - model->n_shapes;
    tn_core_work work = {.view = view,
                         .pair = pair,
                         .soft = model->softs + s,
                         .shape = &shape->shape,
                         .core = tn_core_points_of(&shape->shape),
                         .body = shape->body,
                         .reach = model->margin + view->way[pair->a] + view->way[pair->b],
                         .hits = {.view = view}};
    bool surface = tn_core_is_surface(work.shape);
    if ((work.core.n == 0 && !surface && tn_core_round_parts(work.shape) == 0) ||
        !tn_placed_set(&work.placed, &shape->shape, view->pose + pair->a)) {
        return TN_OK;
    }
    const tn_skin *skin = tn_collide_skin(view, s);
    if (skin && vertices_suffice(&work, skin)) {
        return TN_OK;
    }
    if (skin && !any_near(&work)) {
        return TN_OK;
    }
    work.skin = skin ? tn_collide_view_skin(view, s) : NULL;
    bool enough = work.skin != NULL && (!surface || visit_surface(&work, false));
    for (int i = 0; enough && i < work.core.n; ++i) {
        enough = hit_point(&work, i);
    }
    enough = enough && tn_core_hit_round(&work);
    for (int i = 0; enough && i < work.core.n_edges; ++i) {
        tn_edge_work edge;
        tn_core_set_edge(&work, i, &edge);
        enough = tn_core_hit_edge(&work, &edge);
    }
    if (!enough) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for contacts of the faces of a soft body");
    }
    tn_hits_sort(work.hits.n, work.hits.hits);
    return tn_hits_fill(view, pair, rank_edges(work.hits.n, work.hits.hits), work.hits.hits, buffer, error);
}
