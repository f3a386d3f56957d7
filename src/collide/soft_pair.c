#include "collide/soft_pair.h"

#include "base/team.h"
#include "collide/broad.h"
#include "collide/graze.h"
#include "collide/soft_edge.h"
#include "collide/soft_vertex.h"
#include "math/vec3.h"
#include "shape/triangle.h"

enum { RANKS = 4 }; // contacts of one vertex: the nearest

// Vertices of one body against the skin of another, or of the same one.
typedef struct pair_work {
    const tn_collide_view *view;
    const tn_shape_pair *pair;
    int of; // soft body of the vertices
    const tn_model_soft *soft, *other;
    const tn_skin_view *own, *skin; // skin: of the other
    bool second;                    // the vertices are b's
    int n;                          // vertices near the other body
    int *vertex;                    // (n) within the body
    tn_soft_hit *hits;              // (n, RANKS)
    int *count;                     // (n) hits of each
} pair_work;

// A vertex as tn_skin_near's filter sees it.
typedef struct vertex_filter {
    const pair_work *work;
    int node;         // within the body
    const double *x;  // place of the vertex
    double normal[3]; // of the vertex: which way it faces
    double depth;     // overlap that is believed [m]
} vertex_filter;

static bool same_body(const pair_work *work)
{
    return work->pair->a == work->pair->b;
}

// Might the vertex and a point of the face face each other, the vertex not far behind the face? A little more than
// is_other_layer, and cheap.
static bool is_before(const vertex_filter *filter, int face)
{
    const tn_skin_view *skin = filter->work->skin;
    const int *nodes = skin->skin->faces + 3 * face;
    const double *corner = skin->x + 3 * (size_t)nodes[0];
    double area[3], d[3];
    tn_triangle_area(area, corner, skin->x + 3 * (size_t)nodes[1], skin->x + 3 * (size_t)nodes[2]);
    double along = tn_vec3_dot(area, filter->normal);
    tn_vec3_sub(d, filter->x, corner);
    double height = tn_vec3_dot(area, d), square = tn_vec3_dot(area, area);
    bool facing = along < 0.0 || along * along < 0.25 * square;
    return facing && (height >= 0.0 || height * height <= filter->depth * filter->depth * square);
}

// Are all corners of the face farther from the vertex at rest than the longest edge?
static bool is_far_at_rest(const void *user, int face)
{
    const vertex_filter *filter = user;
    const tn_skin *skin = filter->work->skin->skin;
    const double *x = skin->rest + 3 * (size_t)filter->node;
    if (!is_before(filter, face)) {
        return false;
    }
    double least = skin->edge_max * skin->edge_max;
    for (int k = 0; k < 3; ++k) {
        double d[3];
        tn_vec3_sub(d, skin->rest + 3 * (size_t)skin->faces[3 * face + k], x);
        if (!(tn_vec3_dot(d, d) > least)) {
            return false;
        }
    }
    return true;
}

// Does the vertex face the place? Overlap is believed up to a tenth of their distance at rest.
static bool is_other_layer(const void *user, const tn_skin_point *p)
{
    const vertex_filter *filter = user;
    const tn_skin *skin = filter->work->skin->skin;
    double d[3];
    tn_vec3_copy(d, skin->rest + 3 * (size_t)filter->node);
    for (int i = 0; i < p->n; ++i) {
        tn_vec3_madd(d, d, -p->weight[i], skin->rest + 3 * (size_t)p->node[i]);
    }
    return p->distance > -0.1 * tn_vec3_norm(d) && tn_vec3_dot(filter->normal, p->normal) < 0.0;
}

// Two surfaces meet face to face; where a corner meets a face the corner's mean normal may lie across. Inside, sides
// mix.
static bool faces(const vertex_filter *filter, const tn_skin_point *p)
{
    return p->distance < 0.0 || tn_vec3_dot(filter->normal, p->normal) < 0.5;
}

// Does the face lie nowhere before the plane through p with this normal?
static bool lies_behind(const tn_skin_view *view, int face, const double p[3], const double normal[3])
{
    double slack = 1e-6 * view->skin->edge_max;
    for (int k = 0; k < 3; ++k) {
        double d[3];
        tn_vec3_sub(d, view->x + 3 * (size_t)view->skin->faces[3 * face + k], p);
        if (tn_vec3_dot(d, normal) > slack) {
            return false;
        }
    }
    return true;
}

// The face instead of p if it is as near to x, faces the vertex more, and the edge between them is no groove.
static void prefer_face(const vertex_filter *filter, const double x[3], int face, const double start[3],
                        const double from[3], double *best, tn_skin_point *p)
{
    const tn_skin_view *view = filter->work->skin;
    const int *nodes = view->skin->faces + 3 * face;
    double n[3], weight[3], d[3], tiny = TN_LEVEL * filter->work->view->model->margin;
    tn_skin_face_normal(view, face, n);
    double here = tn_vec3_dot(n, filter->normal);
    if (!(here < *best) || !lies_behind(view, face, start, from)) {
        return;
    }
    const double *corner[3];
    for (int k = 0; k < 3; ++k) {
        corner[k] = view->x + 3 * (size_t)nodes[k];
    }
    if (tn_triangle_closest(corner[0], corner[1], corner[2], x, weight) > tiny * tiny) {
        return;
    }
    *best = here;
    tn_skin_point_at(view, face, weight, x, p);
    tn_vec3_sub(d, x, corner[0]);
    p->distance = tn_vec3_dot(n, d);
    tn_vec3_copy(p->normal, n);
}

// In touch at a hair's breadth from a rim: rounding decides on which side of it, or in which direction from an edge or
// corner. The side that the vertex faces most decides instead.
static void settle_normal(const vertex_filter *filter, const double x[3], tn_skin_point *p)
{
    const tn_skin_view *view = filter->work->skin;
    const tn_skin *skin = view->skin;
    const tn_skin_point from = *p;
    double tiny = TN_LEVEL * filter->work->view->model->margin, best = INFINITY, start[3], normal[3], least = 1.0;
    for (int i = 0; i < from.n; ++i) {
        least = fmin(least, from.weight[i]);
    }
    bool clear = from.n == 3 && tn_vec3_dot(from.normal, filter->normal) < -0.99; // no other side can be faced more
    if (clear || fabs(from.distance) > tiny || (from.n == 3 && least * skin->edge_max > 10.0 * tiny)) {
        return;
    }
    tn_vec3_madd(start, x, -from.distance, from.normal);
    tn_skin_face_normal(view, from.face, normal);
    prefer_face(filter, x, from.face, start, normal, &best, p);
    for (int k = 0; k < from.n; ++k) {
        for (int i = skin->start[from.node[k]]; i < skin->start[from.node[k] + 1]; ++i) {
            prefer_face(filter, x, skin->node_face[i], start, normal, &best, p);
        }
    }
}

// How the vertex moves within the step as seen from the place [m].
static void way_past(const vertex_filter *filter, const tn_skin_point *p, double way[3])
{
    const pair_work *work = filter->work;
    double below[3];
    tn_soft_point place;
    tn_soft_point_of(&place, work->other, p);
    tn_node_motion(way, work->view->state, work->view->motion, work->soft->first_node + filter->node);
    tn_soft_point_velocity(below, work->view, &place);
    tn_vec3_sub(way, way, below);
    tn_vec3_scale(way, work->view->step, way);
}

// Does the vertex stay before the face, which it faces more than p by far, all along its way?
static bool slides_along(const vertex_filter *filter, const double x[3], const double way[3], const tn_skin_point *p,
                         int face)
{
    const double level = 0.1; // of the margin: what comes to lie under the face so deep is pushed out there
    const tn_skin_view *view = filter->work->skin;
    double n[3], d[3], side[3], start[3];
    tn_skin_face_normal(view, face, n);
    if (!(tn_vec3_dot(n, filter->normal) < tn_vec3_dot(p->normal, filter->normal) - 0.5)) {
        return false;
    }
    tn_vec3_sub(d, x, view->x + 3 * (size_t)view->skin->faces[3 * face]);
    double now = tn_vec3_dot(n, d), then = now + tn_vec3_dot(n, way);
    tn_vec3_madd(start, x, -p->distance, p->normal);
    tn_skin_face_normal(view, p->face, side);
    return fmin(now, then) >= -level * filter->work->view->model->margin && lies_behind(view, face, start, side);
}

// A rim that slides over the vertex, level with it, is no wall: the side before the vertex closes on it, but the vertex
// passes under the other side of the rim, which it faces.
static bool passes_under(const vertex_filter *filter, const double x[3], const tn_skin_point *p)
{
    const tn_skin *skin = filter->work->skin->skin;
    double way[3], tiny = TN_LEVEL * filter->work->view->model->margin;
    if (p->distance < -tiny) {
        return false;
    }
    way_past(filter, p, way);
    bool passes = false, closes = tn_gap_closes(p->distance, tn_vec3_dot(way, p->normal), tiny);
    for (int k = 0; closes && k < p->n; ++k) {
        for (int i = skin->start[p->node[k]]; !passes && i < skin->start[p->node[k] + 1]; ++i) {
            passes = slides_along(filter, x, way, p, skin->node_face[i]);
        }
    }
    return passes;
}

// Some node of either side moves, and none is attached where the other is.
static bool may_touch(const tn_model *model, const tn_soft_point *vertex, const tn_soft_point *place)
{
    int body = model->nodes[vertex->node[0]].body;
    if (body >= 0 && tn_soft_point_attached(model, place, body)) {
        return false;
    }
    return tn_soft_point_moves(model, vertex) || tn_soft_point_moves(model, place);
}

// The contact of a vertex at x with a place on the skin. False: it cannot close within the step.
static bool set_hit(const pair_work *work, int vertex, int rank, const double x[3], const tn_skin_point *p,
                    tn_soft_hit *hit)
{
    const tn_collide_view *view = work->view;
    int node = view->model->vertices[work->soft->first_vertex + vertex];
    tn_soft_point own = {.n = 1, .node = {node}, .weight = {1.0}}, place;
    double velocity[3], below[3], meet;
    tn_soft_point_of(&place, work->other, p);
    if (!may_touch(view->model, &own, &place)) {
        return false;
    }
    tn_node_motion(velocity, view->state, view->motion, node);
    tn_soft_point_velocity(below, view, &place);
    if (!(p->distance <= view->model->margin + tn_soft_way(view, velocity, below, p->normal, &meet))) {
        return false;
    }
    *hit = (tn_soft_hit){.feature = (uint32_t)vertex << 3 | (uint32_t)rank, .gap = p->distance};
    hit->feature |= work->second ? TN_FEATURE_SECOND : 0;
    hit->a = work->second ? place : own;
    hit->b = work->second ? own : place;
    tn_vec3_scale(hit->normal, work->second ? 1.0 : -1.0, p->normal);
    tn_vec3_madd(hit->point, x, -0.5 * p->distance, p->normal);
    return true;
}

// A vertex on a vertex is found from both: one contact is enough.
static bool is_double(const pair_work *work, int node, const tn_skin_point *p)
{
    return p->n == 1 && (same_body(work) ? p->node[0] > node : work->second);
}

// Two places may settle on one face.
static bool is_repeated(const tn_skin_point *points, int k)
{
    bool repeated = false;
    for (int i = 0; i < k; ++i) {
        repeated |= points[i].face == points[k].face;
    }
    return repeated;
}

static void hit_vertex(const pair_work *work, int i)
{
    const tn_model *model = work->view->model;
    int vertex = work->vertex[i], node = model->vertices[work->soft->first_vertex + vertex];
    const double *x = work->view->state->x + 3 * (size_t)node;
    vertex_filter filter = {.work = work, .node = node - work->soft->first_node, .x = x};
    const tn_soft_motion *other = work->view->soft + (work->other - model->softs);
    tn_skin_search search = {
        .reach = tn_soft_reach(work->view, node, other), .depth = INFINITY, .touch = 0.01 * model->margin};
    tn_skin_point points[RANKS];
    tn_skin_node_facing(work->own, filter.node, filter.normal);
    if (same_body(work)) {
        search.face_wanted = is_far_at_rest;
        search.wanted = is_other_layer;
        search.user = &filter;
        search.depth = filter.depth = fmin(search.reach, 0.5 * work->skin->skin->edge_max);
    }
    work->count[i] = 0;
    int n = tn_skin_near(work->skin, &search, x, RANKS, points);
    for (int k = 0; k < n; ++k) {
        settle_normal(&filter, x, points + k);
        if (!faces(&filter, points + k) || passes_under(&filter, x, points + k) ||
            is_double(work, filter.node, points + k) || is_repeated(points, k)) {
            continue;
        }
        tn_soft_hit *hit = work->hits + (size_t)i * RANKS + (size_t)work->count[i];
        work->count[i] += set_hit(work, vertex, k, x, points + k, hit);
    }
}

static bool inside(const tn_bounds *bounds, const double x[3])
{
    return bounds->low[0] <= x[0] && x[0] <= bounds->high[0] && bounds->low[1] <= x[1] && x[1] <= bounds->high[1] &&
           bounds->low[2] <= x[2] && x[2] <= bounds->high[2];
}

// Vertices within reach of the other body's box. False: no memory.
static bool list_vertices(pair_work *work, tn_collide_view *view)
{
    int other = (int)(work->other - view->model->softs);
    tn_bounds grown = view->bounds[view->model->n_shapes + other];
    double by = view->way[view->model->n_shapes + work->of] + 0.5 * view->model->margin;
    for (int k = 0; k < 3; ++k) {
        grown.low[k] -= by;
        grown.high[k] += by;
    }
    work->vertex = tn_collide_scratch(view, TN_SCRATCH_LIST, (size_t)work->soft->n_vertices, sizeof *work->vertex);
    for (int c = view->first_chunk[work->of]; work->vertex && c < view->first_chunk[work->of + 1]; ++c) {
        int first = (c - view->first_chunk[work->of]) * TN_CHUNK, end = first + TN_CHUNK;
        end = end < work->soft->n_vertices ? end : work->soft->n_vertices;
        for (int i = first; tn_bounds_overlap(view->chunk + c, &grown) && i < end; ++i) {
            size_t node = (size_t)view->model->vertices[work->soft->first_vertex + i];
            work->vertex[work->n] = i;
            work->n += inside(&grown, view->state->x + 3 * node);
        }
    }
    return work->vertex != NULL;
}

static void hit_vertices(const void *context, int first, int end, int thread)
{
    const pair_work *work = context;
    for (int i = first; i < end; ++i) {
        hit_vertex(work, i);
    }
}

// Vertices of soft body `of` against the other. hits: where they are appended, by feature ascending.
static bool collide_vertices(tn_collide_view *view, const tn_shape_pair *pair, bool second, tn_hit_buffer *hits)
{
    const tn_model *model = view->model;
    int of = (second ? pair->b : pair->a) - model->n_shapes, other = (second ? pair->a : pair->b) - model->n_shapes;
    pair_work work = {.view = view,
                      .pair = pair,
                      .of = of,
                      .soft = model->softs + of,
                      .other = model->softs + other,
                      .own = tn_collide_view_skin(view, of),
                      .skin = tn_collide_view_skin(view, other),
                      .second = second};
    if (!work.own || !work.skin || !list_vertices(&work, view)) {
        return false;
    }
    work.hits = tn_collide_scratch(view, TN_SCRATCH_HITS, (size_t)work.n * RANKS, sizeof *work.hits);
    work.count = tn_collide_scratch(view, TN_SCRATCH_COUNTS, (size_t)work.n, sizeof *work.count);
    if (!work.hits || !work.count) {
        return false;
    }
    int n = work.n;
    tn_team_share(view->n_threads, n, 16, hit_vertices, &work);
    bool enough = true;
    for (int i = 0; enough && i < n; ++i) {
        for (int k = 0; enough && k < work.count[i]; ++k) {
            enough = tn_hit_add(hits, work.hits + (size_t)i * RANKS + (size_t)k);
        }
    }
    return enough;
}

tn_status tn_collide_softs(tn_collide_view *view, const tn_shape_pair *pair, tn_contact_buffer *buffer, tn_error *error)
{
    tn_hit_buffer hits = {.view = view};
    bool enough = true;
    if (pair->a < pair->b) {
        enough = collide_vertices(view, pair, false, &hits);
    }
    enough = enough && collide_vertices(view, pair, true, &hits);
    enough = enough && tn_collide_sharp_edges(view, pair, &hits);
    if (!enough) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for contacts of two soft bodies");
    }
    return tn_hits_fill(view, pair, hits.n, hits.hits, buffer, error);
}
