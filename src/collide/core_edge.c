// Edges of shapes across edges of soft bodies.
#include "collide/core_work.h"
#include "math/mat3.h"
#include "math/vec3.h"

static tn_core_edge place_edge(const tn_core_work *work, int i, double at, double middle[3], double half[3])
{
    tn_core_edge local = tn_core_points_edge(work->shape, i, at);
    tn_core_to_world(work, local.middle, middle);
    tn_mat3_vec(half, work->placed.rotation, local.half);
    return local;
}

void tn_core_set_edge(const tn_core_work *work, int i, tn_edge_work *out)
{
    *out = (tn_edge_work){.number = i, .stands_out = -1};
    tn_core_edge local = place_edge(work, i, 0.0, out->middle, out->half);
    out->radius = local.radius;
    out->turn = local.turn;
    out->sag = out->turn > 0.0 ? (1.0 - cos(out->turn)) * tn_vec3_norm(out->half) : 0.0;
    double part = out->turn > 0.0 ? sin(out->turn) : 1.0;
    for (int k = 0; k < 3; ++k) {
        double by = part * fabs(out->half[k]) + out->sag + work->reach + out->radius;
        out->box.low[k] = out->middle[k] - by;
        out->box.high[k] = out->middle[k] + by;
    }
}

// On a curved edge Newton's method seeks the tangent that crosses where it touches.
static bool cross_edge(const tn_core_work *work, const tn_edge_work *edge, int of_soft, double *at,
                       tn_skin_crossing *out)
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
static bool stands_out(const tn_core_work *work, int number)
{
    double normal[3], across[3];
    if (!tn_core_edge_normal(work->shape, number, normal)) {
        return true;
    }
    const tn_placed still = {.shape = work->shape, .rotation = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    const tn_core_edge edge = tn_core_points_edge(work->shape, number, 0.0);
    tn_vec3_cross(across, edge.half, normal);
    double length = tn_vec3_norm(across), size = work->skin->skin->edge_max, sink = 0.0;
    for (int i = 0; i < 3 && length > 0.0 && sink <= work->view->model->margin; ++i, size *= 0.5) {
        double gap[2];
        for (int k = 0; k < 2; ++k) {
            double x[3], ignored[3];
            tn_vec3_madd(x, edge.middle, (k ? 0.5 : -0.5) * size / length, across);
            gap[k] = tn_placed_distance(&still, x, ignored);
        }
        sink = 0.5 * (gap[0] + gap[1]);
    }
    return sink > work->view->model->margin;
}

// The shape's edge across an edge of the body.
static bool hit_edges(tn_core_work *work, tn_edge_work *edge, int of_soft)
{
    tn_skin_crossing crossing;
    double at;
    if (!cross_edge(work, edge, of_soft, &at, &crossing)) {
        return true;
    }
    tn_soft_hit hit = {.feature = TN_FEATURE_EDGE | (uint32_t)of_soft << TN_EDGE_RANK_BITS,
                       .a = {.node = {edge->number}, .weight = {at}},
                       .b = tn_soft_edge_point(work->soft, work->skin->skin, of_soft, crossing.t),
                       .gap = crossing.distance - edge->radius};
    tn_vec3_scale(hit.normal, -1.0, crossing.normal);
    if (!tn_core_edge_open(&work->placed, edge->number, at, hit.normal)) {
        return true;
    }
    edge->stands_out = edge->stands_out < 0 ? stands_out(work, edge->number) : edge->stands_out;
    return !edge->stands_out || tn_core_take(work, &hit);
}

typedef struct edge_pair {
    tn_core_work *work;
    tn_edge_work *edge;
} edge_pair;

static bool visit_edge(void *user, int of_soft)
{
    edge_pair *pair = user;
    return hit_edges(pair->work, pair->edge, of_soft);
}

bool tn_core_hit_edge(tn_core_work *work, tn_edge_work *edge)
{
    edge_pair pair = {work, edge};
    return tn_skin_each_edge(work->skin, &edge->box, visit_edge, &pair);
}
