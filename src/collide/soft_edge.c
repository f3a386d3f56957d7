#include "collide/soft_edge.h"

#include "collide/soft_vertex.h"
#include "math/vec3.h"

enum { RANKS = 8 }; // crossings of one edge

typedef struct edge_work {
    const tn_collide_view *view;
    const tn_model_soft *soft_a, *soft_b;
    const tn_skin_view *skin_a, *skin_b;
    double reach; // no gap above it counts [m]
} edge_work;

// An edge of a.
typedef struct sharp_edge {
    int number;
    double middle[3], half[3];
    tn_skin_box box; // grown by the reach
} sharp_edge;

static tn_soft_point edge_point(const tn_model_soft *soft, const tn_skin *skin, int edge, double s)
{
    const int *ends = skin->edges + 2 * (size_t)edge;
    return (tn_soft_point){.n = 2,
                           .node = {soft->first_node + ends[0], soft->first_node + ends[1]},
                           .weight = {0.5 - 0.5 * s, 0.5 + 0.5 * s}};
}

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

// False: they do not cross, or cannot meet within the step.
static bool set_hit(const edge_work *work, const sharp_edge *edge, int of_b, tn_soft_hit *hit)
{
    const tn_collide_view *view = work->view;
    tn_skin_crossing crossing;
    double back[3], va[3], vb[3], meet;
    double depth = 0.25 * work->skin_b->skin->edge_max; // beyond, the crossing is not the way out
    if (!tn_skin_cross(work->skin_b, of_b, edge->middle, edge->half, work->reach, depth, &crossing)) {
        return false;
    }
    tn_vec3_scale(back, -1.0, crossing.normal);
    *hit = (tn_soft_hit){.gap = crossing.distance,
                         .a = edge_point(work->soft_a, work->skin_a->skin, edge->number, crossing.s),
                         .b = edge_point(work->soft_b, work->skin_b->skin, of_b, crossing.t)};
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
    tn_skin_edge(work->skin_a, number, out->middle, out->half);
    for (int k = 0; k < 3; ++k) {
        double by = fabs(out->half[k]) + work->reach;
        out->box.low[k] = out->middle[k] - by;
        out->box.high[k] = out->middle[k] + by;
    }
}

static bool meet(const tn_skin_box *a, const tn_skin_box *b)
{
    bool meets = true;
    for (int k = 0; k < 3; ++k) {
        meets &= a->low[k] <= b->high[k] && b->low[k] <= a->high[k];
    }
    return meets;
}

// Crossings of one edge of a with sharp edges of b. Returns their number.
static int cross_edge(const edge_work *work, const sharp_edge *edge, tn_soft_hit hits[RANKS])
{
    const tn_skin *skin = work->skin_b->skin;
    int n = 0;
    for (int i = 0; i < skin->n_boxes && n < RANKS;) {
        bool meets = meet(work->skin_b->box + i, &edge->box);
        for (int k = 0; meets && n < RANKS && k < 3 * skin->count[i]; ++k) {
            int face = skin->order[skin->first[i] + k / 3], of_b = skin->face_edge[3 * face + k % 3];
            if (skin->is_sharp[of_b] && skin->edge_face[2 * of_b] == face && set_hit(work, edge, of_b, hits + n)) {
                hits[n++].feature = (uint32_t)of_b; // until sorted
            }
        }
        i = meets ? i + 1 : skin->skip[i];
    }
    tn_hits_sort(n, hits);
    for (int k = 0; k < n; ++k) {
        hits[k].feature = TN_FEATURE_CORE | (uint32_t)edge->number << 3 | (uint32_t)k;
    }
    return n;
}

bool tn_collide_sharp_edges(tn_collide_view *view, const tn_shape_pair *pair, tn_hit_buffer *hits)
{
    int a = pair->a - view->model->n_shapes, b = pair->b - view->model->n_shapes;
    edge_work work = {.view = view,
                      .soft_a = view->model->softs + a,
                      .soft_b = view->model->softs + b,
                      .skin_a = tn_collide_view_skin(view, a),
                      .skin_b = tn_collide_view_skin(view, b),
                      .reach = view->model->margin + view->way[pair->a] + view->way[pair->b]};
    bool enough = work.skin_a && work.skin_b;
    for (int i = 0; enough && i < work.skin_a->skin->n_sharp; ++i) {
        tn_soft_hit found[RANKS];
        sharp_edge edge;
        set_edge(&work, work.skin_a->skin->sharp[i], &edge);
        if (!meet(work.skin_b->box, &edge.box)) {
            continue;
        }
        int n = cross_edge(&work, &edge, found);
        for (int k = 0; enough && k < n; ++k) {
            enough = tn_hit_add(hits, found + k);
        }
    }
    return enough;
}
