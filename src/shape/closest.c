// Closest points of two cores that are apart: the least over vertex against core, both ways, and edge against edge.
#include "math/vec3.h"
#include "shape/core.h"
#include "shape/segment.h"

typedef struct closest_search {
    const tn_core *a, *b;
    double square; // of the least distance yet
    double point_a[3], point_b[3];
    unsigned feature;
} closest_search;

static void take(closest_search *search, double square, const double pa[3], const double pb[3], unsigned feature)
{
    search->square = square;
    tn_vec3_copy(search->point_a, pa);
    tn_vec3_copy(search->point_b, pb);
    search->feature = feature;
}

// Point of the core nearest to x; returns the squared distance.
static double nearest_point(double out[3], const tn_core *core, const double x[3])
{
    double d[3];
    tn_vec3_sub(d, x, core->centre);
    tn_vec3_copy(out, core->centre);
    for (int i = core->first; i < 3; ++i) {
        double along = fmin(core->half[i], fmax(-core->half[i], tn_vec3_dot(d, core->axis[i])));
        tn_vec3_madd(out, out, along, core->axis[i]);
    }
    tn_vec3_sub(d, x, out);
    return tn_vec3_dot(d, d);
}

// Vertices of one core against the other core; step: between vertex numbers (1 for a box, 4 for a segment).
static void try_vertices(closest_search *search, bool of_a)
{
    const tn_core *core = of_a ? search->a : search->b, *other = of_a ? search->b : search->a;
    for (unsigned vertex = 0; vertex < 8; vertex += 1u << core->first) {
        double x[3], y[3];
        tn_core_vertex(x, core, vertex);
        double square = nearest_point(y, other, x);
        if (square < search->square) {
            take(search, square, of_a ? x : y, of_a ? y : x,
                 of_a ? tn_touch_key(TN_TOUCH_VERTEX_A, vertex, 0) : tn_touch_key(TN_TOUCH_VERTEX_B, 0, vertex));
        }
    }
}

// Edges of the core that reach beyond level along the direction, and could thus hold the closest point.
static int list_edges(unsigned list[12], const tn_core *core, const double direction[3], double level)
{
    int n = 0;
    for (unsigned i = (unsigned)core->first; i < 3; ++i) {
        for (unsigned vertex = 0; vertex < 8; vertex += 1u << core->first) {
            double middle[3], half[3];
            if (vertex >> i & 1) {
                continue;
            }
            tn_core_edge(middle, half, core, 8 * i + vertex);
            if (tn_vec3_dot(direction, middle) + fabs(tn_vec3_dot(direction, half)) >= level) {
                list[n++] = 8 * i + vertex;
            }
        }
    }
    return n;
}

// A vertex keeps its claim unless an edge pair is nearer by more than rounding.
static void try_edges(closest_search *search, int n_a, const unsigned *edges_a, int n_b, const unsigned *edges_b)
{
    for (int i = 0; i < n_a; ++i) {
        double ma[3], ha[3];
        tn_core_edge(ma, ha, search->a, edges_a[i]);
        for (int j = 0; j < n_b; ++j) {
            double mb[3], hb[3], s, t, pa[3], pb[3];
            tn_core_edge(mb, hb, search->b, edges_b[j]);
            double square = tn_segment_closest(ma, ha, mb, hb, &s, &t);
            if (square < search->square * (1.0 - 1e-12)) {
                tn_vec3_madd(pa, ma, s, ha);
                tn_vec3_madd(pb, mb, t, hb);
                take(search, square, pa, pb, tn_touch_key(TN_TOUCH_EDGES, edges_a[i], edges_b[j]));
            }
        }
    }
}

static double top(const tn_core *core, const double direction[3])
{
    double x[3];
    tn_core_vertex(x, core, tn_core_support(core, direction));
    return tn_vec3_dot(direction, x);
}

void tn_core_closest(const tn_core *a, const tn_core *b, const double axis[3], double gap, tn_nearness *out)
{
    closest_search search = {.a = a, .b = b, .square = INFINITY};
    try_vertices(&search, false);
    try_vertices(&search, true);
    // The closest points lie within (least distance - gap) of the facing ends along the axis.
    double back[3];
    unsigned edges_a[12], edges_b[12];
    tn_vec3_scale(back, -1.0, axis);
    double slack = (sqrt(search.square) - gap) + 1e-9 * (tn_vec3_norm(a->half) + tn_vec3_norm(b->half));
    int n_a = list_edges(edges_a, a, axis, top(a, axis) - slack);
    int n_b = list_edges(edges_b, b, back, top(b, back) - slack);
    try_edges(&search, n_a, edges_a, n_b, edges_b);
    out->distance = sqrt(search.square);
    tn_vec3_sub(out->normal, search.point_b, search.point_a);
    double scale = out->distance > 0.0 ? 1.0 / out->distance : 0.0;
    tn_vec3_scale(out->normal, scale, out->normal);
    tn_vec3_copy(out->point_a, search.point_a);
    tn_vec3_copy(out->point_b, search.point_b);
    out->feature = search.feature;
}
