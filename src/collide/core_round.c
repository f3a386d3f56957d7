// Round shapes against faces and edges of soft bodies: the point of a rim or an ellipsoid that lies farthest towards a
// face, and the point of an edge that is nearest to an ellipsoid.
#include "collide/core_work.h"
#include "math/mat3.h"
#include "math/vec3.h"

enum { PLACES = 4 };

static tn_skin_box reached(const tn_core_work *work)
{
    tn_skin_box box;
    const tn_bounds *bounds = work->view->bounds + work->pair->a; // grown by its own way
    double by = work->view->way[work->pair->b] + 0.5 * work->view->model->margin;
    for (int k = 0; k < 3; ++k) {
        box.low[k] = bounds->low[k] - by;
        box.high[k] = bounds->high[k] + by;
    }
    return box;
}

// The part's farthest point towards the face, if it lies over the face.
static bool hit_face(tn_core_work *work, int part, int face)
{
    double normal[3], back[3], local[3], x[3];
    tn_skin_face_normal(work->skin, face, normal);
    tn_vec3_scale(normal, -1.0, normal);
    tn_mat3_tvec(back, work->placed.rotation, normal);
    if (!tn_core_round_point(work->shape, part, back, local)) {
        return true;
    }
    tn_skin_point places[PLACES];
    tn_skin_search search = {.reach = work->reach, .depth = INFINITY, .touch = 0.01 * work->view->model->margin};
    tn_core_to_world(work, local, x);
    int n = tn_skin_near(work->skin, &search, x, PLACES, places);
    uint32_t point = (uint32_t)work->core.n + 2 * (uint32_t)face + (uint32_t)part;
    for (int k = 0; k < n; ++k) {
        if (places[k].face == face && places[k].n == 3 && point < TN_CORE_POINTS_MAX) {
            tn_soft_hit hit = {.feature = TN_FEATURE_CORE | point << 5, .gap = places[k].distance};
            tn_vec3_scale(hit.normal, -1.0, places[k].normal);
            tn_soft_point_of(&hit.b, work->soft, places + k);
            return tn_core_take(work, &hit);
        }
    }
    return true;
}

// The signed distance from a convex shape is a convex function along the edge: where it is least its slope, the
// normal's part along the edge, turns. False: at an end.
static bool nearest_on(const tn_placed *placed, const double middle[3], const double half[3], double *t, double *gap,
                       double normal[3])
{
    enum { TRIES = 40 };
    const double near = 1e-9; // a sine
    double x[3], low = -1.0, high = 1.0, length = tn_vec3_norm(half), slope[2];
    for (int i = 0; i < 2; ++i) {
        tn_vec3_madd(x, middle, i ? high : low, half);
        tn_placed_distance(placed, x, normal);
        slope[i] = tn_vec3_dot(normal, half);
    }
    for (int i = 0; i < TRIES && slope[0] < 0.0 && slope[1] > 0.0; ++i) {
        // false position, and halving every third time, lest one end stay
        *t = i % 3 == 2 ? 0.5 * (low + high) : low - slope[0] * (high - low) / (slope[1] - slope[0]);
        tn_vec3_madd(x, middle, *t, half);
        *gap = tn_placed_distance(placed, x, normal);
        double along = tn_vec3_dot(normal, half);
        if (fabs(along) <= near * length || high - low < near) {
            return true;
        }
        low = along < 0.0 ? *t : low;
        high = along < 0.0 ? high : *t;
        slope[along < 0.0 ? 0 : 1] = along;
    }
    return false;
}

// Deep inside, the nearest side of the shape may lie across, or two may be as near: there the way out of the body
// counts, if the edge has a place for it.
static void look_outwards(const tn_core_work *work, int edge, const double middle[3], const double half[3], double *t,
                          double *gap, double normal[3])
{
    double down[3], back[3], local[3], x[3], d[3];
    tn_skin_edge_normal(work->skin, edge, down);
    tn_vec3_scale(down, -1.0, down);
    tn_mat3_tvec(back, work->placed.rotation, down);
    double farthest = -INFINITY;
    for (int part = 0; part < tn_core_round_parts(work->shape); ++part) {
        double here[3];
        if (tn_core_round_point(work->shape, part, back, here) && tn_vec3_dot(back, here) > farthest) {
            farthest = tn_vec3_dot(back, here);
            tn_vec3_copy(local, here);
        }
    }
    if (farthest == -INFINITY) {
        return;
    }
    tn_core_to_world(work, local, x);
    tn_vec3_sub(d, x, middle);
    double along = tn_vec3_dot(d, half) / tn_vec3_dot(half, half), apart = -tn_vec3_dot(d, down);
    bool across = tn_vec3_dot(normal, down) < 0.5 || fabs(tn_vec3_dot(normal, half)) > 0.01 * tn_vec3_norm(half);
    if (across && fabs(along) < 1.0 && apart < 0.0) {
        *t = along;
        *gap = apart;
        tn_vec3_copy(normal, down);
    }
}

static bool hit_edge(void *user, int edge)
{
    tn_core_work *work = user;
    double middle[3], half[3], t, gap, normal[3], away[3];
    tn_skin_edge(work->skin, edge, middle, half);
    if (tn_placed_distance(&work->placed, middle, normal) > work->reach + tn_vec3_norm(half) ||
        !nearest_on(&work->placed, middle, half, &t, &gap, normal) || gap > work->reach) {
        return true;
    }
    if (gap < 0.0) {
        look_outwards(work, edge, middle, half, &t, &gap, normal);
    }
    tn_vec3_scale(away, -1.0, normal);
    tn_soft_hit hit = {.feature = TN_FEATURE_EDGE | (uint32_t)edge << TN_EDGE_RANK_BITS,
                       .b = tn_soft_edge_point(work->soft, work->skin->skin, edge, t),
                       .gap = gap};
    tn_vec3_copy(hit.normal, normal);
    return !tn_skin_between_faces(work->skin, edge, away) || tn_core_take(work, &hit);
}

// Edges of the body meet those of a core that has some.
static bool visit_face(void *user, int face)
{
    tn_core_work *work = user;
    for (int part = 0; part < tn_core_round_parts(work->shape); ++part) {
        if (!hit_face(work, part, face)) {
            return false;
        }
    }
    return work->core.n_edges > 0 || tn_skin_edges_of(work->skin, face, hit_edge, work);
}

bool tn_core_hit_round(tn_core_work *work)
{
    tn_skin_box box = reached(work);
    return tn_core_round_parts(work->shape) == 0 || tn_skin_each_face(work->skin, &box, visit_face, work);
}
