// All points within size[0] of the segment from -size[1] to +size[1] on the z axis.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/corners.h"
#include "shape/draw.h"
#include "shape/patch.h"

static double volume(const tn_shape *shape)
{
    double r = shape->size[0];
    return M_PI * r * r * (2.0 * shape->size[1] + 4.0 / 3.0 * r);
}

// Cylinder of length 2 l and two half balls, whose centroids lie 3/8 r beyond the cylinder's ends.
static void inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    double r = shape->size[0], l = shape->size[1];
    double cylinder = density * M_PI * r * r * 2.0 * l;
    double balls = density * 4.0 / 3.0 * M_PI * r * r * r;
    *mass = cylinder + balls;
    out[8] = cylinder * r * r / 2.0 + balls * 0.4 * r * r;
    out[0] = out[4] = cylinder * (r * r / 4.0 + l * l / 3.0) + balls * (0.4 * r * r + l * l + 0.75 * l * r);
}

static void bounds(const tn_placed *placed, double low[3], double high[3])
{
    for (int i = 0; i < 3; ++i) {
        double reach = fabs(placed->rotation[3 * i + 2]) * placed->shape->size[1] + placed->shape->size[0];
        low[i] = placed->position[i] - reach;
        high[i] = placed->position[i] + reach;
    }
}

static double spin_radius(const tn_shape *shape)
{
    return shape->size[1];
}

// On the axis: across it, along the shape's x axis.
static double distance(const tn_placed *placed, const double x[3], double normal[3])
{
    double d[3], axis[3];
    tn_vec3_sub(d, x, placed->position);
    tn_placed_axis(axis, placed, 2);
    double l = placed->shape->size[1];
    double along = tn_vec3_dot(axis, d);
    tn_vec3_madd(d, d, -(along > l ? l : along < -l ? -l : along), axis);
    double length = tn_vec3_norm(d);
    if (length > 0.0) {
        tn_vec3_set(normal, d[0] / length, d[1] / length, d[2] / length);
    } else {
        tn_placed_axis(normal, placed, 0);
    }
    return length - placed->shape->size[0];
}

static double least(const tn_shape *shape)
{
    return shape->size[0];
}

static void set(tn_convex *c, const tn_shape *shape)
{
    c->extent = shape->size[1];
}

// The segment's ends are vertices 0 and 4, as in core.h.
static void vertex(const tn_convex *c, unsigned v, double out[3])
{
    const double local[3] = {0.0, 0.0, v ? c->size[1] : -c->size[1]};
    tn_mat3_vec(out, c->rotation, local);
}

static unsigned support(const tn_convex *c, const double direction[3], double out[3])
{
    double d[3];
    tn_mat3_tvec(d, c->rotation, direction);
    unsigned number = d[2] > 0.0 ? 4 : 0;
    vertex(c, number, out);
    return number;
}

static unsigned edge_name(const tn_convex *c, unsigned p, unsigned q)
{
    return 16;
}

static void patch(const tn_convex *c, const double direction[3], tn_patch *out)
{
    out->n = c->size[1] > 0.0 ? 2 : 0;
    for (unsigned end = 0; end < 2; ++end) {
        out->vertex[end] = 4 * end;
        out->edge[end] = 16;
        vertex(c, 4 * end, out->x[end]);
    }
}

static const tn_convex_class core = {
    .rounded = true,
    .set = set,
    .support = support,
    .vertex = vertex,
    .patch = patch,
    .edge_name = edge_name,
};

static tn_core_points count(const tn_shape *shape)
{
    bool has_length = shape->size[1] > 0.0;
    return (tn_core_points){.n = has_length ? 2 : 1, .n_edges = has_length, .radius = shape->size[0]};
}

static void end(const tn_shape *shape, int i, double out[3])
{
    tn_vec3_set(out, 0.0, 0.0, i ? shape->size[1] : -shape->size[1]);
}

static void segment(const tn_shape *shape, int i, double at, tn_core_edge *out)
{
    out->half[2] = shape->size[1];
    out->radius = shape->size[0];
}

static const tn_corner_class corners = {.count = count, .point = end, .edge = segment};

const tn_shape_class tn_shape_class_capsule = {
    .name = "capsule",
    .form = TN_FORM_CONVEX,
    .volume = volume,
    .inertia = inertia,
    .bounds = bounds,
    .spin_radius = spin_radius,
    .least = least,
    .distance = distance,
    .core = &core,
    .on_plane = tn_pair_plane_capsule,
    .corners = &corners,
    .draw = tn_draw_capsule,
};
