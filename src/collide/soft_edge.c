#include "collide/soft_edge.h"

#include "collide/soft_vertex.h"
#include "math/vec3.h"
#include "shape/triangle.h"

enum { RANKS = 8 }; // crossings of one edge

typedef struct edge_work {
    const tn_collide_view *view;
    const tn_model_soft *soft_a, *soft_b;
    const tn_skin_view *skin_a, *skin_b;
    const tn_soft_motion *motion_b;
} edge_work;

// An edge of a.
typedef struct sharp_edge {
    int number;
    double middle[3], half[3];
    double reach;    // no gap above it counts [m]
    tn_skin_box box; // grown by the reach
} sharp_edge;

// Attached to one and the same body?
static bool share_body(const tn_model *model, const tn_soft_point *a, const tn_soft_point *b)
{
    bool shared = false;
    for (int i = 0; i < a->n; ++i) {
        int body = model->nodes[a->node[i]].body;
        shared |= body >= 0 && tn_soft_point_attached(model, b, body);
    }
    return shared;
}

// Of a body and itself: other layers of the material, farther apart at rest than the longest edge from end to end. Each
// pair once. far: how far apart [m].
static bool is_other_layer(const tn_skin *skin, int of_a, int of_b, double *far)
{
    double least = INFINITY;
    for (int i = 0; i < 4 && of_b > of_a; ++i) {
        double d[3];
        int p = skin->edges[2 * of_a + i / 2], q = skin->edges[2 * of_b + i % 2];
        tn_vec3_sub(d, skin->rest + 3 * (size_t)q, skin->rest + 3 * (size_t)p);
        least = fmin(least, tn_vec3_norm(d));
    }
    *far = least;
    return of_b > of_a && least > skin->edge_max;
}

// How far the edge's faces reach from it, the least of the two: of a sheet's rim its thickness.
static double breadth(const tn_skin_view *view, int edge)
{
    const tn_skin *skin = view->skin;
    double middle[3], half[3], least = INFINITY;
    tn_skin_edge(view, edge, middle, half);
    for (int k = 0; k < 2 && skin->edge_face[2 * edge + k] >= 0; ++k) {
        const int *nodes = skin->faces + 3 * (size_t)skin->edge_face[2 * edge + k];
        double area[3];
        tn_triangle_area(area, view->x + 3 * (size_t)nodes[0], view->x + 3 * (size_t)nodes[1],
                         view->x + 3 * (size_t)nodes[2]);
        least = fmin(least, tn_vec3_norm(area));
    }
    double length = 2.0 * tn_vec3_norm(half);
    return length > 0.0 ? least / length : 0.0;
}

// Overlap that is believed: deeper, the crossing is not the way out. Of one body: nor what lies beyond a thin layer.
static double depth_of(const edge_work *work, int of_a, int of_b, double far)
{
    double depth = 0.25 * work->skin_b->skin->edge_max;
    if (work->soft_a == work->soft_b) {
        depth = fmin(fmin(depth, 0.1 * far), fmin(breadth(work->skin_a, of_a), breadth(work->skin_a, of_b)));
    }
    return depth;
}

// False: they do not cross, or cannot meet within the step.
static bool set_hit(const edge_work *work, const sharp_edge *edge, int of_b, tn_soft_hit *hit)
{
    const tn_collide_view *view = work->view;
    tn_skin_crossing crossing;
    double back[3], va[3], vb[3], meet, far = INFINITY;
    if ((work->soft_a == work->soft_b && !is_other_layer(work->skin_a->skin, edge->number, of_b, &far)) ||
        !tn_skin_cross(work->skin_b, of_b, edge->middle, edge->half, edge->reach,
                       depth_of(work, edge->number, of_b, far), &crossing)) {
        return false;
    }
    tn_vec3_scale(back, -1.0, crossing.normal);
    *hit = (tn_soft_hit){.gap = crossing.distance,
                         .a = tn_soft_edge_point(work->soft_a, work->skin_a->skin, edge->number, crossing.s),
                         .b = tn_soft_edge_point(work->soft_b, work->skin_b->skin, of_b, crossing.t)};
    if (!tn_skin_within_fold(work->skin_a, edge->number, back) || share_body(view->model, &hit->a, &hit->b) ||
        (!tn_soft_point_moves(view->model, &hit->a) && !tn_soft_point_moves(view->model, &hit->b))) {
        return false;
    }
    tn_soft_point_velocity(va, view, &hit->a);
    tn_soft_point_velocity(vb, view, &hit->b);
    double way = tn_soft_way(view, va, vb, crossing.normal, &meet);
    tn_vec3_copy(hit->normal, back);
    tn_vec3_madd(hit->point, edge->middle, crossing.s, edge->half);
    tn_vec3_madd(hit->point, hit->point, 0.5 * hit->gap, back);
    return hit->gap <= view->model->margin + way;
}

static void set_edge(const edge_work *work, int number, sharp_edge *out)
{
    out->number = number;
    const int *ends = work->skin_a->skin->edges + 2 * (size_t)number;
    out->reach = fmax(tn_soft_reach(work->view, work->soft_a->first_node + ends[0], work->motion_b),
                      tn_soft_reach(work->view, work->soft_a->first_node + ends[1], work->motion_b));
    tn_skin_edge(work->skin_a, number, out->middle, out->half);
    for (int k = 0; k < 3; ++k) {
        double by = fabs(out->half[k]) + out->reach;
        out->box.low[k] = out->middle[k] - by;
        out->box.high[k] = out->middle[k] + by;
    }
}

typedef struct edge_crossings {
    const edge_work *work;
    const sharp_edge *edge;
    int n;
    tn_soft_hit *hits; // (RANKS)
} edge_crossings;

static bool visit_edge(void *user, int of_b)
{
    edge_crossings *found = user;
    if (found->work->skin_b->skin->is_sharp[of_b] && set_hit(found->work, found->edge, of_b, found->hits + found->n)) {
        found->hits[found->n++].feature = (uint32_t)of_b; // until sorted
    }
    return found->n < RANKS;
}

// Crossings of one edge of a with sharp edges of b. Returns their number.
static int cross_edge(const edge_work *work, const sharp_edge *edge, tn_soft_hit hits[RANKS])
{
    edge_crossings found = {.work = work, .edge = edge, .hits = hits};
    tn_skin_each_edge(work->skin_b, &edge->box, visit_edge, &found);
    tn_hits_sort(found.n, hits);
    for (int k = 0; k < found.n; ++k) {
        hits[k].feature = TN_FEATURE_CORE | (uint32_t)edge->number << 3 | (uint32_t)k;
    }
    return found.n;
}

bool tn_collide_sharp_edges(tn_collide_view *view, const tn_shape_pair *pair, tn_hit_buffer *hits)
{
    int a = pair->a - view->model->n_shapes, b = pair->b - view->model->n_shapes;
    edge_work work = {.view = view,
                      .soft_a = view->model->softs + a,
                      .soft_b = view->model->softs + b,
                      .skin_a = tn_collide_view_skin(view, a),
                      .skin_b = tn_collide_view_skin(view, b),
                      .motion_b = view->soft + b};
    bool enough = work.skin_a && work.skin_b;
    for (int i = 0; enough && i < work.skin_a->skin->n_sharp; ++i) {
        tn_soft_hit found[RANKS];
        sharp_edge edge;
        set_edge(&work, work.skin_a->skin->sharp[i], &edge);
        int n = cross_edge(&work, &edge, found);
        for (int k = 0; enough && k < n; ++k) {
            enough = tn_hit_add(hits, found + k);
        }
    }
    return enough;
}
