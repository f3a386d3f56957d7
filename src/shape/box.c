// Box of half extents size.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/corners.h"
#include "shape/draw.h"
#include "shape/patch.h"

static double volume(const tn_shape *shape)
{
    return 8.0 * shape->size[0] * shape->size[1] * shape->size[2];
}

static void inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    const double *h = shape->size;
    *mass = density * volume(shape);
    out[0] = *mass / 3.0 * (h[1] * h[1] + h[2] * h[2]);
    out[4] = *mass / 3.0 * (h[0] * h[0] + h[2] * h[2]);
    out[8] = *mass / 3.0 * (h[0] * h[0] + h[1] * h[1]);
}

static void bounds(const tn_placed *placed, double low[3], double high[3])
{
    const double *h = placed->shape->size;
    for (int i = 0; i < 3; ++i) {
        const double *r = placed->rotation + 3 * i;
        double reach = fabs(r[0]) * h[0] + fabs(r[1]) * h[1] + fabs(r[2]) * h[2];
        low[i] = placed->position[i] - reach;
        high[i] = placed->position[i] + reach;
    }
}

static double spin_radius(const tn_shape *shape)
{
    return tn_vec3_norm(shape->size);
}

// Inside: the nearest face, the lower axis on a tie.
static double inside_distance(const double h[3], const double x[3], double normal[3])
{
    int axis = 0;
    for (int i = 1; i < 3; ++i) {
        if (fabs(x[i]) - h[i] > fabs(x[axis]) - h[axis]) {
            axis = i;
        }
    }
    tn_vec3_set(normal, 0.0, 0.0, 0.0);
    normal[axis] = x[axis] < 0.0 ? -1.0 : 1.0;
    return fabs(x[axis]) - h[axis];
}

static double distance(const tn_placed *placed, const double x[3], double normal[3])
{
    const double *h = placed->shape->size;
    double d[3], local[3], out[3], n[3];
    tn_vec3_sub(d, x, placed->position);
    tn_mat3_tvec(local, placed->rotation, d);
    for (int i = 0; i < 3; ++i) {
        out[i] = local[i] > h[i] ? local[i] - h[i] : local[i] < -h[i] ? local[i] + h[i] : 0.0;
    }
    double length = tn_vec3_norm(out);
    if (length > 0.0) {
        tn_vec3_set(n, out[0] / length, out[1] / length, out[2] / length);
    } else {
        length = inside_distance(h, local, n);
    }
    tn_mat3_vec(normal, placed->rotation, n);
    return length;
}

static double least(const tn_shape *shape)
{
    const double *h = shape->size;
    return fmin(h[0], fmin(h[1], h[2]));
}

static void set(tn_convex *c, const tn_shape *shape)
{
    c->extent = tn_vec3_norm(shape->size);
    c->n_vertices = 8;
}

static void vertex(const tn_convex *c, unsigned v, double out[3])
{
    const double *h = c->size, local[3] = {v & 1 ? h[0] : -h[0], v & 2 ? h[1] : -h[1], v & 4 ? h[2] : -h[2]};
    tn_mat3_vec(out, c->rotation, local);
}

static unsigned support(const tn_convex *c, const double direction[3], double out[3])
{
    double d[3];
    tn_mat3_tvec(d, c->rotation, direction);
    unsigned number = (d[0] > 0.0) | (unsigned)(d[1] > 0.0) << 1 | (unsigned)(d[2] > 0.0) << 2;
    vertex(c, number, out);
    return number;
}

static int best_axis(const double d[3])
{
    int axis = fabs(d[1]) > fabs(d[0]) ? 1 : 0;
    return fabs(d[2]) > fabs(d[axis]) ? 2 : axis;
}

static double facing(const tn_convex *c, const double direction[3], double normal[3])
{
    double d[3];
    tn_mat3_tvec(d, c->rotation, direction);
    int axis = best_axis(d);
    tn_convex_axis(c, axis, d[axis] < 0.0 ? -1.0 : 1.0, normal);
    return fabs(d[axis]);
}

static bool below(const tn_convex *c, const double x[3], double normal[3])
{
    double local[3];
    tn_mat3_tvec(local, c->rotation, x);
    double height[3] = {fabs(local[0]) - c->size[0], fabs(local[1]) - c->size[1], fabs(local[2]) - c->size[2]};
    int axis = height[1] > height[0] ? 1 : 0;
    axis = height[2] > height[axis] ? 2 : axis;
    tn_convex_axis(c, axis, local[axis] < 0.0 ? -1.0 : 1.0, normal);
    return true;
}

// Vertex names: bit i is set where coordinate i is positive. Edge 8 i + v: along axis i from vertex v.
static unsigned edge_name(const tn_convex *c, unsigned p, unsigned q)
{
    unsigned bit = p ^ q;
    return 8 * (bit >> 1 & 3) + (p < q ? p : q); // bits 1, 2, 4 are the axes 0, 1, 2
}

static void patch(const tn_convex *c, const double direction[3], tn_patch *out)
{
    double d[3];
    tn_mat3_tvec(d, c->rotation, direction);
    unsigned i = (unsigned)best_axis(d), j = (i + 1) % 3, k = (i + 2) % 3;
    unsigned base = d[i] > 0.0 ? 1u << i : 0, bj = 1u << j, bk = 1u << k;
    unsigned round[4] = {base, base | bj, base | bj | bk, base | bk};
    if (base == 0) { // the other way round seen from below
        round[1] = base | bk;
        round[3] = base | bj;
    }
    out->n = 4;
    for (int q = 0; q < 4; ++q) {
        out->vertex[q] = round[q];
        out->edge[q] = edge_name(c, round[q], round[(q + 1) % 4]);
        vertex(c, round[q], out->x[q]);
    }
    tn_convex_axis(c, (int)i, base ? 1.0 : -1.0, out->normal);
}

static const tn_convex_class core = {
    .set = set,
    .support = support,
    .vertex = vertex,
    .facing = facing,
    .below = below,
    .patch = patch,
    .edge_name = edge_name,
};

static tn_core_points count(const tn_shape *shape)
{
    return (tn_core_points){.n = 8, .n_edges = 12};
}

static void corner(const tn_shape *shape, int i, double out[3])
{
    const double *h = shape->size;
    tn_vec3_set(out, i & 1 ? h[0] : -h[0], i & 2 ? h[1] : -h[1], i & 4 ? h[2] : -h[2]);
}

// Edge 4 k + j runs along axis k; bits of j: signs of the other two axes.
static void edge(const tn_shape *shape, int i, double at, tn_core_edge *out)
{
    const double *h = shape->size;
    int axis = i / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
    out->half[axis] = h[axis];
    out->middle[u] = i & 1 ? h[u] : -h[u];
    out->middle[v] = i & 2 ? h[v] : -h[v];
}

// Outwards at a place whose coordinates that are not 0 are those of faces?
static bool open(const double local[3], const double outward[3])
{
    for (int k = 0; k < 3; ++k) {
        if ((local[k] > 0.0 && outward[k] < -TN_CORNER_SLACK) || (local[k] < 0.0 && outward[k] > TN_CORNER_SLACK)) {
            return false;
        }
    }
    return true;
}

static bool corner_open(const tn_shape *shape, int i, const double outward[3])
{
    double local[3];
    corner(shape, i, local);
    return open(local, outward);
}

static bool edge_open(const tn_shape *shape, int i, double at, const double outward[3])
{
    tn_core_edge e = {0};
    edge(shape, i, at, &e);
    return open(e.middle, outward);
}

static const tn_corner_class corners = {
    .count = count,
    .point = corner,
    .point_open = corner_open,
    .edge = edge,
    .edge_open = edge_open,
};

const tn_shape_class tn_shape_class_box = {
    .name = "box",
    .form = TN_FORM_CONVEX,
    .volume = volume,
    .inertia = inertia,
    .bounds = bounds,
    .spin_radius = spin_radius,
    .least = least,
    .distance = distance,
    .core = &core,
    .on_plane = tn_pair_plane_box,
    .corners = &corners,
    .draw = tn_draw_box,
};
