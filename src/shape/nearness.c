// Signed distance of two cores. Where they overlap, the least translation that parts them is along a face normal
// of one or across an edge of each (the faces of the Minkowski difference), so the largest separation over these axes
// is exact. Where they are apart it is a lower bound only.
#include "math/vec3.h"
#include "shape/core.h"
#include "shape/segment.h"

typedef struct axis_search {
    const tn_core *a, *b;
    double between[3]; // from a's centre to b's
    double in_a[3];    // the same along a's axes
    double r[3][3];    // cosines of a's axes (first index) and b's
    double size[3][3]; // their absolute values
    double best;       // largest separation yet [m]
    double sign;       // of its axis, for it to point from a to b
    int of_a, of_b;    // which axis of a, of b; -1: a face of the other alone
} axis_search;

// What is seen along axis i of a.
static void look_along(axis_search *search, int i)
{
    search->in_a[i] = tn_vec3_dot(search->between, search->a->axis[i]);
    for (int j = 0; j < 3; ++j) {
        search->r[i][j] = tn_vec3_dot(search->a->axis[i], search->b->axis[j]);
        search->size[i][j] = fabs(search->r[i][j]);
    }
}

// along: the centres' distance along the axis, with sign. reach: of both cores. It must beat the best by handicap.
static void try_axis(axis_search *search, double along, double reach, int of_a, int of_b, double handicap)
{
    double separation = fabs(along) - reach;
    if (separation > search->best + handicap) {
        search->best = separation;
        search->sign = along < 0.0 ? -1.0 : 1.0;
        search->of_a = of_a;
        search->of_b = of_b;
    }
}

// Stops once reach is passed.
static void try_faces(axis_search *search, double reach, double handicap)
{
    const double *ha = search->a->half, *hb = search->b->half;
    for (int i = 0; i < 3 && search->best <= reach; ++i) {
        const double *c = search->size[i];
        look_along(search, i);
        if (search->a->first == 0) {
            try_axis(search, search->in_a[i], ha[i] + (hb[0] * c[0] + hb[1] * c[1] + hb[2] * c[2]), i, -1, 0.0);
        }
    }
    for (int j = 0; search->b->first == 0 && j < 3 && search->best <= reach; ++j) {
        double along = tn_vec3_dot(search->between, search->b->axis[j]);
        double both = hb[j] + (ha[0] * search->size[0][j] + ha[1] * search->size[1][j] + ha[2] * search->size[2][j]);
        try_axis(search, along, both, -1, j, handicap);
    }
}

// Across axis i of a and j of b; parallel ones are left to the faces.
static void try_edge(axis_search *search, int i, int j, double handicap)
{
    const double *ha = search->a->half, *hb = search->b->half;
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    double u = search->r[i1][j], v = search->r[i2][j];
    double square = u * u + v * v; // of the sine between the two
    if (!(square > 1e-20)) {
        return;
    }
    double length = sqrt(square);
    double along = (search->in_a[i2] * u - search->in_a[i1] * v) / length;
    double reach = (ha[i1] * search->size[i2][j] + ha[i2] * search->size[i1][j] + hb[j1] * search->size[i][j2] +
                    hb[j2] * search->size[i][j1]) /
                   length;
    try_axis(search, along, reach, i, j, handicap);
}

// Faces first: rounding alone never lets an edge pair win over a face. Stops once reach is passed.
static void search_axes(axis_search *search, double reach, double handicap)
{
    try_faces(search, reach, handicap);
    for (int i = search->a->first; i < 3 && search->best <= reach; ++i) {
        for (int j = search->b->first; j < 3; ++j) {
            try_edge(search, i, j, handicap);
        }
    }
}

// The best axis in the world, from a to b.
static void set_normal(const axis_search *search, double n[3])
{
    if (search->of_b < 0) {
        tn_vec3_scale(n, search->sign, search->a->axis[search->of_a]);
    } else if (search->of_a < 0) {
        tn_vec3_scale(n, search->sign, search->b->axis[search->of_b]);
    } else {
        tn_vec3_cross(n, search->a->axis[search->of_a], search->b->axis[search->of_b]);
        tn_vec3_scale(n, search->sign / tn_vec3_norm(n), n);
    }
}

// Overlap along a face normal: the deepest vertex of the other and its foot.
static void touch_face(const axis_search *search, tn_nearness *out)
{
    double back[3];
    tn_vec3_scale(back, -1.0, out->normal);
    if (search->of_b < 0) {
        unsigned vertex = tn_core_support(search->b, back);
        tn_core_vertex(out->point_b, search->b, vertex);
        tn_vec3_madd(out->point_a, out->point_b, -search->best, out->normal);
        out->feature = tn_feature(TN_FEATURE_VERTEX_B, 0, vertex);
    } else {
        unsigned vertex = tn_core_support(search->a, out->normal);
        tn_core_vertex(out->point_a, search->a, vertex);
        tn_vec3_madd(out->point_b, out->point_a, search->best, out->normal);
        out->feature = tn_feature(TN_FEATURE_VERTEX_A, vertex, 0);
    }
}

static void touch_edges(const axis_search *search, tn_nearness *out)
{
    double back[3], ma[3], ha[3], mb[3], hb[3], s, t;
    tn_vec3_scale(back, -1.0, out->normal);
    unsigned i = (unsigned)search->of_a, j = (unsigned)search->of_b;
    unsigned edge_a = 8 * i + (tn_core_support(search->a, out->normal) & ~(1u << i));
    unsigned edge_b = 8 * j + (tn_core_support(search->b, back) & ~(1u << j));
    tn_core_edge(ma, ha, search->a, edge_a);
    tn_core_edge(mb, hb, search->b, edge_b);
    tn_segment_closest(ma, ha, mb, hb, &s, &t);
    tn_vec3_madd(out->point_a, ma, s, ha);
    tn_vec3_madd(out->point_b, mb, t, hb);
    out->feature = tn_feature(TN_FEATURE_EDGES, edge_a, edge_b);
}

bool tn_core_nearness(const tn_core *a, const tn_core *b, double reach, tn_nearness *out)
{
    axis_search search = {.a = a, .b = b, .best = -INFINITY};
    double scale = tn_vec3_norm(a->half) + tn_vec3_norm(b->half);
    tn_vec3_sub(search.between, b->centre, a->centre);
    if (tn_vec3_norm(search.between) - scale > reach) {
        return false;
    }
    search_axes(&search, reach, 1e-14 * scale);
    if (!(search.best <= reach)) {
        return false;
    }
    out->distance = search.best;
    out->proved = search.best <= 0.0;
    set_normal(&search, out->normal);
    if (search.of_a < 0 || search.of_b < 0) {
        touch_face(&search, out);
    } else {
        touch_edges(&search, out);
    }
    return true;
}
