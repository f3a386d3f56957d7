// Signed distance of two cores. Where they overlap, the least translation that parts them is along a face normal
// of one or across an edge of each (the faces of the Minkowski difference), so the largest separation over these axes
// is exact. Where they are apart it is a lower bound only.
#include "math/vec3.h"
#include "shape/core.h"
#include "shape/segment.h"

// The axes' numbers are constants where these are called: no index is computed.
#define TN_INLINE static inline __attribute__((always_inline))

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
TN_INLINE void look_along(axis_search *search, int i)
{
    search->in_a[i] = tn_vec3_dot(search->between, search->a->axis[i]);
    for (int j = 0; j < 3; ++j) {
        search->r[i][j] = tn_vec3_dot(search->a->axis[i], search->b->axis[j]);
        search->size[i][j] = fabs(search->r[i][j]);
    }
}

// along: the centres' distance along the axis, with sign. reach: of both cores. It must beat the best by handicap.
TN_INLINE void try_axis(axis_search *search, double along, double reach, int of_a, int of_b, double handicap)
{
    double separation = fabs(along) - reach;
    if (separation > search->best + handicap) {
        search->best = separation;
        search->sign = along < 0.0 ? -1.0 : 1.0;
        search->of_a = of_a;
        search->of_b = of_b;
    }
}

TN_INLINE void try_face_of_a(axis_search *search, int i)
{
    const double *hb = search->b->half, *c = search->size[i];
    look_along(search, i);
    if (search->a->first == 0) {
        double both = search->a->half[i] + (hb[0] * c[0] + hb[1] * c[1] + hb[2] * c[2]);
        try_axis(search, search->in_a[i], both, i, -1, 0.0);
    }
}

TN_INLINE void try_face_of_b(axis_search *search, int j, double handicap)
{
    const double *ha = search->a->half;
    double along = tn_vec3_dot(search->between, search->b->axis[j]);
    double both =
        search->b->half[j] + (ha[0] * search->size[0][j] + ha[1] * search->size[1][j] + ha[2] * search->size[2][j]);
    try_axis(search, along, both, -1, j, handicap);
}

// False once reach is passed.
TN_INLINE bool try_faces(axis_search *search, double reach, double handicap)
{
    try_face_of_a(search, 0);
    if (search->best > reach) {
        return false;
    }
    try_face_of_a(search, 1);
    if (search->best > reach) {
        return false;
    }
    try_face_of_a(search, 2);
    if (search->best <= reach && search->b->first == 0) {
        try_face_of_b(search, 0, handicap);
        try_face_of_b(search, 1, handicap);
        try_face_of_b(search, 2, handicap);
    }
    return search->best <= reach;
}

// separation / sqrt(square) < best beyond any rounding, told without root and division: x |x| grows with x.
TN_INLINE bool clearly_worse(double separation, double square, double best)
{
    double own = separation * fabs(separation), other = best * fabs(best) * square;
    return own < other - 1e-9 * (fabs(own) + fabs(other));
}

// Across axis i of a and j of b; parallel ones are left to the faces.
TN_INLINE void try_edge(axis_search *search, int i, int j, double handicap)
{
    const double *ha = search->a->half, *hb = search->b->half;
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    double u = search->r[i1][j], v = search->r[i2][j];
    double square = u * u + v * v; // of the sine between the two
    if (!(square > 1e-20)) {
        return;
    }
    double along = search->in_a[i2] * u - search->in_a[i1] * v;
    double reach = ha[i1] * search->size[i2][j] + ha[i2] * search->size[i1][j] + hb[j1] * search->size[i][j2] +
                   hb[j2] * search->size[i][j1];
    double separation = fabs(along) - reach; // times the sine: an overlap is deeper still
    if ((separation <= 0.0 && separation < search->best) ||
        clearly_worse(separation, square, search->best + handicap)) {
        return;
    }
    double length = sqrt(square);
    try_axis(search, along / length, reach / length, i, j, handicap);
}

// The edges across axis i of a.
TN_INLINE void try_edges(axis_search *search, int i, double handicap)
{
    if (search->b->first == 0) {
        try_edge(search, i, 0, handicap);
        try_edge(search, i, 1, handicap);
    }
    if (search->b->first <= 2) {
        try_edge(search, i, 2, handicap);
    }
}

// Faces first: rounding alone never lets an edge pair win over a face. False once reach is passed.
static bool search_axes(axis_search *search, double reach, double handicap)
{
    if (!try_faces(search, reach, handicap)) {
        return false;
    }
    if (search->a->first == 0) {
        try_edges(search, 0, handicap);
    }
    if (search->a->first == 0 && search->best <= reach) {
        try_edges(search, 1, handicap);
    }
    if (search->a->first <= 2 && search->best <= reach) {
        try_edges(search, 2, handicap);
    }
    return search->best <= reach;
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

// How far apart the two edges are: nowhere are the cores farther apart than that.
static double touch_edges(const axis_search *search, tn_nearness *out)
{
    double back[3], ma[3], ha[3], mb[3], hb[3], s, t;
    tn_vec3_scale(back, -1.0, out->normal);
    unsigned i = (unsigned)search->of_a, j = (unsigned)search->of_b;
    unsigned edge_a = 8 * i + (tn_core_support(search->a, out->normal) & ~(1u << i));
    unsigned edge_b = 8 * j + (tn_core_support(search->b, back) & ~(1u << j));
    tn_core_edge(ma, ha, search->a, edge_a);
    tn_core_edge(mb, hb, search->b, edge_b);
    double square = tn_segment_closest(ma, ha, mb, hb, &s, &t);
    tn_vec3_madd(out->point_a, ma, s, ha);
    tn_vec3_madd(out->point_b, mb, t, hb);
    out->feature = tn_feature(TN_FEATURE_EDGES, edge_a, edge_b);
    return sqrt(square);
}

bool tn_core_nearness(const tn_core *a, const tn_core *b, double reach, tn_nearness *out)
{
    axis_search search; // what is not set here is set before it is looked at
    search.a = a;
    search.b = b;
    search.best = -INFINITY;
    search.sign = 1.0;
    search.of_a = search.of_b = 0;
    double scale = tn_vec3_norm(a->half) + tn_vec3_norm(b->half);
    tn_vec3_sub(search.between, b->centre, a->centre);
    if (tn_vec3_norm(search.between) - scale > reach) {
        return false;
    }
    if (!search_axes(&search, reach, 1e-14 * scale)) {
        return false;
    }
    out->distance = search.best;
    out->proved = search.best <= 0.0;
    set_normal(&search, out->normal);
    if (search.of_a < 0 || search.of_b < 0) {
        touch_face(&search, out);
    } else {
        double apart = touch_edges(&search, out);
        out->proved = out->proved || apart - search.best <= 1e-14 * scale;
    }
    return true;
}
