// A plane against the vertices of a box and the end balls of a capsule; feature: the vertex or end.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/hull.h"
#include "shape/patch.h"

static void add_vertex(const tn_placed *plane, const double x[3], double radius, unsigned feature, tn_manifold *out)
{
    double normal[3], point[3];
    double gap = tn_shape_class_plane.distance(plane, x, normal) - radius;
    tn_vec3_madd(point, x, -(radius + 0.5 * gap), normal);
    tn_manifold_add(out, normal, point, gap, feature);
}

// Bit i of the vertex's number is set where its i-th coordinate is positive.
void tn_pair_plane_box(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    const double *h = b->shape->size;
    double normal[3];
    double gap = tn_shape_class_plane.distance(a, b->position, normal);
    if (gap - tn_vec3_norm(h) > out->margin) { // the common case, without the eight vertices
        return;
    }
    for (unsigned vertex = 0; vertex < 8; ++vertex) {
        double x[3];
        tn_vec3_copy(x, b->position);
        for (int i = 0; i < 3; ++i) {
            double axis[3];
            tn_placed_axis(axis, b, i);
            tn_vec3_madd(x, x, vertex >> i & 1 ? h[i] : -h[i], axis);
        }
        add_vertex(a, x, 0.0, vertex, out);
    }
}

void tn_pair_plane_capsule(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    double axis[3];
    tn_placed_axis(axis, b, 2);
    unsigned ends = b->shape->size[1] > 0.0 ? 2 : 1;
    for (unsigned end = 0; end < ends; ++end) {
        double x[3];
        tn_vec3_madd(x, b->position, end ? b->shape->size[1] : -b->shape->size[1], axis);
        add_vertex(a, x, b->shape->size[0], end, out);
    }
}

// Normal of the plane, unit, as seen from b; and how high b's origin lies above the plane [m].
static double height_of(const tn_placed *plane, const tn_placed *b, double normal[3])
{
    return tn_shape_class_plane.distance(plane, b->position, normal);
}

void tn_pair_plane_ellipsoid(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    double n[3], down[3], x[3];
    tn_convex core = tn_convex_of(b);
    height_of(a, b, n);
    tn_vec3_scale(down, -1.0, n);
    tn_convex_support(&core, down, x);
    tn_vec3_add(x, x, b->position);
    add_vertex(a, x, 0.0, 0, out);
}

// Standing: the cap's corners that turn with it, and the lowest point where the cap is tilted. Lying: the ends of the
// lowest line, of which one is the lowest point. Features: vertex names of shape/patch.h; the lowest point counts as
// nearest.
void tn_pair_plane_rimmed(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    double n[3], down[3], x[3], lowest[3];
    tn_patch patch;
    tn_convex core = tn_convex_of(b);
    double height = height_of(a, b, n), least = INFINITY;
    if (height - core.extent > out->margin) {
        return;
    }
    tn_vec3_scale(down, -1.0, n);
    tn_convex_support(&core, down, lowest);
    tn_patch_set(&core, down, &patch);
    for (int k = 0; k < patch.n; ++k) {
        least = fmin(least, tn_vec3_dot(n, patch.x[k]));
        tn_vec3_add(x, patch.x[k], b->position);
        add_vertex(a, x, 0.0, tn_feature(TN_FEATURE_VERTEX_B, 0, patch.vertex[k]), out);
    }
    if (tn_vec3_dot(n, lowest) < least - 1e-9 * core.least) {
        tn_vec3_add(x, lowest, b->position);
        add_vertex(a, x, 0.0, tn_feature(TN_FEATURE_NEAREST, 0, 0), out);
    }
}

enum { WAYS = 6, TILTS = 2, FEW = WAYS + 1 };

// Of the vertices within reach: the lowest as it stands, and as it stands once it is tilted some ways.
typedef struct low_vertices {
    int n;      // vertices within reach
    int lowest; // -1: none
    double height;
    int far[TILTS][WAYS];
    double most[TILTS][WAYS];
} low_vertices;

static void set_ways(const double down[3], double way[WAYS][3])
{
    double frame[9];
    tn_mat3_frame(frame, down);
    for (int k = 0; k < WAYS; ++k) {
        double angle = 2.0 * M_PI * k / WAYS;
        tn_vec3_scale(way[k], cos(angle), frame + 3);
        tn_vec3_madd(way[k], way[k], sin(angle), frame + 6);
    }
}

static bool is_far(const low_vertices *low, int vertex)
{
    bool found = vertex == low->lowest;
    for (int k = 0; k < TILTS * WAYS; ++k) {
        found |= low->far[k / WAYS][k % WAYS] == vertex;
    }
    return found;
}

// How far it turns [rad] until its farthest points have moved as far as its turning takes them, and as far as it may
// come in all: what goes fast need not turn, unless something stops it.
static void set_tilts(const tn_hull *hull, const tn_manifold *out, double tilt[TILTS])
{
    double turning[3], way = out->margin;
    if (out->sweep) {
        tn_vec3_sub(turning, out->sweep->body[1].angular, out->sweep->body[0].angular);
        way = fmin(way, out->sweep->still + out->sweep->time * tn_vec3_norm(turning) * hull->reach);
    }
    tilt[0] = fmin(way / hull->reach, 1.0);
    tilt[1] = fmin(out->margin / hull->reach, 1.0);
}

// Features: vertices. All within reach, or where these are many a few: of a face those that span it; of what is round
// or tilted those that come down first when it turns by either tilt.
void tn_pair_plane_hull(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    const tn_hull *hull = b->shape->hull;
    double n[3], down[3], way[WAYS][3], tilt[TILTS], x[3];
    double height = height_of(a, b, n);
    if (height - hull->reach > out->margin) {
        return;
    }
    tn_mat3_tvec(down, b->rotation, n);
    tn_vec3_scale(down, -1.0, down);
    set_ways(down, way);
    set_tilts(hull, out, tilt);
    low_vertices low = {.lowest = -1, .height = INFINITY};
    for (int v = 0; v < hull->n_vertices; ++v) {
        const double *local = hull->vertices + 3 * v;
        double here = height - tn_vec3_dot(down, local);
        if (!(here <= out->margin)) {
            continue;
        }
        if (here < low.height) {
            low.height = here;
            low.lowest = v;
        }
        for (int k = 0; k < TILTS * WAYS; ++k) {
            double along = tilt[k / WAYS] * tn_vec3_dot(way[k % WAYS], local) - here;
            if (low.n == 0 || along > low.most[k / WAYS][k % WAYS]) {
                low.most[k / WAYS][k % WAYS] = along;
                low.far[k / WAYS][k % WAYS] = v;
            }
        }
        low.n++;
    }
    for (int v = 0; low.n > 0 && v < hull->n_vertices; ++v) {
        if (low.n <= FEW || is_far(&low, v)) {
            tn_mat3_vec(x, b->rotation, hull->vertices + 3 * v);
            tn_vec3_add(x, x, b->position);
            add_vertex(a, x, 0.0, (unsigned)v, out); // refuses the vertices out of reach
        }
    }
}
