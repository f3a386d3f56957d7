#include "collide/soft_core.h"

#include "collide/core_surface.h"
#include "collide/soft_vertex.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/class.h"

enum { RANKS = 32 };
enum { SURFACE_NODES = 1 << 25 }; // that features can number

typedef struct core_work {
    const tn_collide_view *view;
    const tn_shape_pair *pair;
    const tn_model_soft *soft;
    const tn_shape *shape;
    const tn_skin_view *skin;
    tn_placed placed;
    tn_core_points core;
    int body;
    double reach; // no gap above it counts [m]
    tn_hit_buffer hits;
} core_work;

static void to_world(const core_work *work, const double local[3], double out[3])
{
    tn_mat3_vec(out, work->placed.rotation, local);
    tn_vec3_add(out, out, work->placed.position);
}

// Completes and takes the hit, whose a is rigid and whose soft point, gap and normal are set, if it may close.
// Returns false only without memory.
static bool take(core_work *work, tn_soft_hit *hit)
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
static bool near_body(const core_work *work, const double low[3], const double high[3])
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

// Where the point of the shape is, or of a rim the lowest place near it, as the body's face nearest to it lies.
static double place_point(const core_work *work, int i, double x[3])
{
    double local[3], outward[3], at = 0.0;
    tn_core_point(work->shape, i, at, local);
    to_world(work, local, x);
    if (work->shape->kind == TN_SHAPE_CYLINDER) {
        tn_skin_point nearest;
        tn_skin_search search = {.reach = work->reach + work->shape->size[0], .depth = INFINITY};
        if (tn_skin_near(work->skin, &search, x, 1, &nearest) > 0) {
            tn_mat3_tvec(outward, work->placed.rotation, nearest.normal);
            tn_vec3_scale(outward, -1.0, outward);
            at = tn_core_point_slide(work->shape, i, outward);
            tn_core_point(work->shape, i, at, local);
            to_world(work, local, x);
        }
    }
    return at;
}

static bool hit_point(core_work *work, int i)
{
    tn_skin_point points[RANKS];
    double x[3], radius = work->core.radius, at = place_point(work, i, x);
    if (!near_body(work, x, x)) {
        return true;
    }
    tn_skin_search search = {
        .reach = work->reach + radius, .depth = INFINITY, .touch = 0.01 * work->view->model->margin};
    int capacity = work->core.n > 2 || tn_core_is_surface(work->shape) ? 4 : RANKS,
        n = tn_skin_near(work->skin, &search, x, capacity, points);
    for (int k = 0; k < n; ++k) {
        tn_soft_hit hit = {.feature = TN_FEATURE_CORE | (uint32_t)i << 5 | (uint32_t)k,
                           .a.weight = {at},
                           .gap = points[k].distance - radius};
        if (points[k].n == 1 && work->shape->kind != TN_SHAPE_POINTS) {
            continue;
        }
        tn_vec3_scale(hit.normal, -1.0, points[k].normal);
        tn_soft_point_of(&hit.b, work->soft, points + k);
        if (tn_core_point_open(&work->placed, i, hit.normal) && !take(work, &hit)) {
            return false;
        }
    }
    return true;
}

// An edge of the shape; a curved one by its tangent in the middle.
typedef struct core_edge {
    int number;
    double middle[3], half[3];
    double radius;
    double turn, sag; // of a curved edge: tn_core_edge_turn, and how far it lies from its tangent [m]
    int stands_out;   // 1: yes, 0: no, -1: not asked yet
    tn_skin_box box;  // grown by the reach
} core_edge;

static void place_edge(const core_work *work, int i, double at, double middle[3], double half[3])
{
    double local_middle[3], local_half[3];
    tn_core_points_edge(work->shape, i, at, local_middle, local_half);
    to_world(work, local_middle, middle);
    tn_mat3_vec(half, work->placed.rotation, local_half);
}

static void set_edge(const core_work *work, int i, core_edge *out)
{
    *out = (core_edge){.number = i, .stands_out = -1, .radius = tn_core_edge_radius(work->shape, i)};
    place_edge(work, i, 0.0, out->middle, out->half);
    out->turn = tn_core_edge_turn(work->shape, i);
    out->sag = out->turn > 0.0 ? (1.0 - cos(out->turn)) * tn_vec3_norm(out->half) : 0.0;
    double part = out->turn > 0.0 ? sin(out->turn) : 1.0;
    for (int k = 0; k < 3; ++k) {
        double by = part * fabs(out->half[k]) + out->sag + work->reach + out->radius;
        out->box.low[k] = out->middle[k] - by;
        out->box.high[k] = out->middle[k] + by;
    }
}

// On a curved edge Newton's method seeks the tangent that crosses where it touches.
static bool cross_edge(const core_work *work, const core_edge *edge, int of_soft, double *at, tn_skin_crossing *out)
{
    enum { TRIES = 6 };
    const double near = 1e-6; // of the radius
    double reach = work->reach + edge->radius, middle[3], half[3];
    double depth = edge->radius > 0.0 ? 0.1 * edge->radius : 0.25 * work->skin->skin->edge_max; // edges tell sides
    *at = 0.0;
    if (!(edge->turn > 0.0)) {
        return tn_skin_cross(work->skin, of_soft, edge->middle, edge->half, reach, depth, out);
    }
    for (int i = 0; i < TRIES; ++i) {
        place_edge(work, edge->number, *at, middle, half);
        if (!tn_skin_cross(work->skin, of_soft, middle, half, reach + edge->sag, depth + edge->sag, out)) {
            return false;
        }
        if (fabs(out->s) < near) {
            return -edge->turn <= *at && *at < edge->turn;
        }
        *at += atan(out->s);
    }
    return false;
}

// See the header. In the shape's own frame nothing depends on motion, so that motion does not switch it.
static bool stands_out(const core_work *work, int number)
{
    double normal[3], middle[3], half[3], across[3];
    if (!tn_core_edge_normal(work->shape, number, normal)) {
        return true;
    }
    const tn_placed still = {.shape = work->shape, .rotation = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    tn_core_points_edge(work->shape, number, 0.0, middle, half);
    tn_vec3_cross(across, half, normal);
    double length = tn_vec3_norm(across), size = work->skin->skin->edge_max, sink = 0.0;
    for (int i = 0; i < 3 && length > 0.0 && sink <= work->view->model->margin; ++i, size *= 0.5) {
        double gap[2];
        for (int k = 0; k < 2; ++k) {
            double x[3], ignored[3];
            tn_vec3_madd(x, middle, (k ? 0.5 : -0.5) * size / length, across);
            gap[k] = tn_placed_distance(&still, x, ignored);
        }
        sink = 0.5 * (gap[0] + gap[1]);
    }
    return sink > work->view->model->margin;
}

// The shape's edge across an edge of the body.
static bool hit_edges(core_work *work, core_edge *edge, int of_soft)
{
    const int *ends = work->skin->skin->edges + 2 * (size_t)of_soft;
    tn_skin_crossing crossing;
    double at;
    if (!cross_edge(work, edge, of_soft, &at, &crossing)) {
        return true;
    }
    tn_soft_hit hit = {.feature = TN_FEATURE_EDGE | (uint32_t)of_soft << TN_EDGE_RANK_BITS,
                       .a = {.node = {edge->number}, .weight = {at}},
                       .b = {.n = 2,
                             .node = {work->soft->first_node + ends[0], work->soft->first_node + ends[1]},
                             .weight = {0.5 - 0.5 * crossing.t, 0.5 + 0.5 * crossing.t}},
                       .gap = crossing.distance - edge->radius};
    tn_vec3_scale(hit.normal, -1.0, crossing.normal);
    if (!tn_core_edge_open(&work->placed, edge->number, at, hit.normal)) {
        return true;
    }
    edge->stands_out = edge->stands_out < 0 ? stands_out(work, edge->number) : edge->stands_out;
    return !edge->stands_out || take(work, &hit);
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

static bool hit_edge(core_work *work, core_edge *edge)
{
    const tn_skin *skin = work->skin->skin;
    for (int b = 0; b < skin->n_boxes;) {
        const tn_skin_box *box = work->skin->box + b;
        bool meets = true;
        for (int k = 0; k < 3; ++k) {
            meets &= box->low[k] <= edge->box.high[k] && edge->box.low[k] <= box->high[k];
        }
        for (int k = 0; meets && k < 3 * skin->count[b]; ++k) {
            int face = skin->order[skin->first[b] + k / 3], of_soft = skin->face_edge[3 * face + k % 3];
            if (skin->edge_face[2 * of_soft] == face && !hit_edges(work, edge, of_soft)) {
                return false;
            }
        }
        b = meets ? b + 1 : skin->skip[b];
    }
    return true;
}

// Corners and ridges of a mesh or of heights.
typedef struct surface_visit {
    core_work *work;
    bool seek; // only whether there is one within reach
    bool enough;
} surface_visit;

static bool visit_corner(void *user, int node, const double local[3])
{
    surface_visit *visit = user;
    double x[3];
    to_world(visit->work, local, x);
    if (node >= SURFACE_NODES || !near_body(visit->work, x, x)) {
        return true;
    }
    visit->enough = visit->seek || hit_point(visit->work, node);
    return !visit->seek && visit->enough;
}

static bool visit_ridge(void *user, int number)
{
    surface_visit *visit = user;
    core_edge edge;
    set_edge(visit->work, number, &edge);
    if (!near_body(visit->work, edge.box.low, edge.box.high)) {
        return true;
    }
    visit->enough = visit->seek || hit_edge(visit->work, &edge);
    return !visit->seek && visit->enough;
}

// With seek: is there any? Else: whether memory was enough.
static bool visit_surface(core_work *work, bool seek)
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
static bool any_near(core_work *work)
{
    if (tn_core_is_surface(work->shape)) {
        return visit_surface(work, true);
    }
    for (int i = 0; i < work->core.n; ++i) {
        double local[3], x[3];
        tn_core_point(work->shape, i, 0.0, local);
        to_world(work, local, x);
        if (near_body(work, x, x)) {
            return true;
        }
    }
    for (int i = 0; i < work->core.n_edges; ++i) {
        core_edge edge;
        set_edge(work, i, &edge);
        if (near_body(work, edge.box.low, edge.box.high)) {
            return true;
        }
    }
    return false;
}

// Vertices alone hold a ball so well that between them it sinks in by less than the margin: by r - sqrt(r^2 - c^2), c
// the circumradius of a face. At rest, so that motion does not switch it.
static bool vertices_suffice(const core_work *work, const tn_skin *skin)
{
    double edge = skin->edge_max, r = work->core.radius, square = edge * edge / 3.0;
    if (work->shape->kind == TN_SHAPE_ELLIPSOID) { // its least radius of curvature
        const double *h = work->shape->size;
        double least = fmin(h[0], fmin(h[1], h[2]));
        r = least * least / fmax(h[0], fmax(h[1], h[2]));
    }
    if (work->shape->kind == TN_SHAPE_POINTS || r * r <= square) {
        return false;
    }
    return r - sqrt(r * r - square) <= work->view->model->margin;
}

tn_status tn_collide_core(tn_collide_view *view, const tn_shape_pair *pair, tn_contact_buffer *buffer, tn_error *error)
{
    const tn_model *model = view->model;
    const tn_model_shape *shape = model->shapes + pair->a;
    int s = pair->b - model->n_shapes;
    core_work work = {.view = view,
                      .pair = pair,
                      .soft = model->softs + s,
                      .shape = &shape->shape,
                      .core = tn_core_points_of(&shape->shape),
                      .body = shape->body,
                      .reach = model->margin + view->way[pair->a] + view->way[pair->b],
                      .hits = {.view = view}};
    bool surface = tn_core_is_surface(work.shape);
    if ((work.core.n == 0 && !surface) || !tn_placed_set(&work.placed, &shape->shape, view->pose + pair->a)) {
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
    for (int i = 0; enough && i < work.core.n_edges; ++i) {
        core_edge edge;
        set_edge(&work, i, &edge);
        enough = hit_edge(&work, &edge);
    }
    if (!enough) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for contacts of the faces of a soft body");
    }
    tn_hits_sort(work.hits.n, work.hits.hits);
    return tn_hits_fill(view, pair, rank_edges(work.hits.n, work.hits.hits), work.hits.hits, buffer, error);
}
