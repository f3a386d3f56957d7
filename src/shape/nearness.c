// Signed distance of two cores. Where they overlap, the least translation that parts them is along a face normal
// of one or across an edge of each (the faces of the Minkowski difference), so the largest separation over these axes
// is exact. Where they are apart it is a lower bound only, and closest.c finds the true one.
#include "math/vec3.h"
#include "shape/core.h"
#include "shape/segment.h"

typedef struct axis_search {
    const tn_core *a, *b;
    double between[3]; // from a's centre to b's
    double best;       // largest separation yet [m]
    double normal[3];  // its axis, from a to b
    int of_a, of_b;    // which axis of a, of b; -1: a face of the other alone
} axis_search;

static double extent(const tn_core *core, const double n[3])
{
    double sum = 0.0;
    for (int i = core->first; i < 3; ++i) {
        sum += core->half[i] * fabs(tn_vec3_dot(n, core->axis[i]));
    }
    return sum;
}

// Separation along the unit vector n; it must beat the best by handicap.
static void try_axis(axis_search *search, const double n[3], int of_a, int of_b, double handicap)
{
    double along = tn_vec3_dot(n, search->between);
    double separation = fabs(along) - extent(search->a, n) - extent(search->b, n);
    if (separation > search->best + handicap) {
        search->best = separation;
        tn_vec3_scale(search->normal, along < 0.0 ? -1.0 : 1.0, n);
        search->of_a = of_a;
        search->of_b = of_b;
    }
}

// Faces first: rounding alone never lets an edge pair win over a face.
static void search_axes(axis_search *search, double handicap)
{
    for (int i = 0; search->a->first == 0 && i < 3; ++i) {
        try_axis(search, search->a->axis[i], i, -1, 0.0);
    }
    for (int j = 0; search->b->first == 0 && j < 3; ++j) {
        try_axis(search, search->b->axis[j], -1, j, handicap);
    }
    for (int i = search->a->first; i < 3; ++i) {
        for (int j = search->b->first; j < 3; ++j) {
            double n[3];
            tn_vec3_cross(n, search->a->axis[i], search->b->axis[j]);
            double length = tn_vec3_norm(n);
            if (length > 1e-10) { // else parallel edges: faces speak for them
                tn_vec3_set(n, n[0] / length, n[1] / length, n[2] / length);
                try_axis(search, n, i, j, handicap);
            }
        }
    }
}

// Overlap along a face normal: the deepest vertex of the other and its foot.
static void touch_face(const axis_search *search, tn_nearness *out)
{
    double back[3];
    tn_vec3_scale(back, -1.0, search->normal);
    if (search->of_b < 0) {
        unsigned vertex = tn_core_support(search->b, back);
        tn_core_vertex(out->point_b, search->b, vertex);
        tn_vec3_madd(out->point_a, out->point_b, -search->best, search->normal);
        out->feature = tn_touch_key(TN_TOUCH_VERTEX_B, 0, vertex);
    } else {
        unsigned vertex = tn_core_support(search->a, search->normal);
        tn_core_vertex(out->point_a, search->a, vertex);
        tn_vec3_madd(out->point_b, out->point_a, search->best, search->normal);
        out->feature = tn_touch_key(TN_TOUCH_VERTEX_A, vertex, 0);
    }
}

static void touch_edges(const axis_search *search, tn_nearness *out)
{
    double back[3], ma[3], ha[3], mb[3], hb[3], s, t;
    tn_vec3_scale(back, -1.0, search->normal);
    unsigned i = (unsigned)search->of_a, j = (unsigned)search->of_b;
    unsigned edge_a = 8 * i + (tn_core_support(search->a, search->normal) & ~(1u << i));
    unsigned edge_b = 8 * j + (tn_core_support(search->b, back) & ~(1u << j));
    tn_core_edge(ma, ha, search->a, edge_a);
    tn_core_edge(mb, hb, search->b, edge_b);
    tn_segment_closest(ma, ha, mb, hb, &s, &t);
    tn_vec3_madd(out->point_a, ma, s, ha);
    tn_vec3_madd(out->point_b, mb, t, hb);
    out->feature = tn_touch_key(TN_TOUCH_EDGES, edge_a, edge_b);
}

bool tn_core_nearness(const tn_core *a, const tn_core *b, double reach, tn_nearness *out)
{
    axis_search search = {.a = a, .b = b, .best = -INFINITY};
    double scale = tn_vec3_norm(a->half) + tn_vec3_norm(b->half);
    tn_vec3_sub(search.between, b->centre, a->centre);
    if (tn_vec3_norm(search.between) - scale > reach) {
        return false;
    }
    search_axes(&search, 1e-14 * scale);
    if (!(search.best <= reach)) {
        return false;
    }
    out->distance = search.best;
    tn_vec3_copy(out->normal, search.normal);
    if (search.of_a < 0 || search.of_b < 0) {
        touch_face(&search, out);
    } else {
        touch_edges(&search, out);
    }
    if (search.best > 0.0) {
        tn_nearness closest;
        tn_core_closest(a, b, search.normal, search.best, &closest);
        // Where the axis tells the whole distance it is also the more accurate normal.
        if (closest.distance <= search.best + 1e-9 * scale) {
            tn_vec3_copy(closest.normal, search.normal);
        }
        *out = closest;
    }
    return out->distance <= reach;
}
