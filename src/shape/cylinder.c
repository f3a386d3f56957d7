// Solid cylinder of radius size[0] along the z axis, from -size[1] to +size[1].
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/convex.h"
#include "shape/corners.h"
#include "shape/draw.h"

static double volume(const tn_shape *shape)
{
    return M_PI * shape->size[0] * shape->size[0] * 2.0 * shape->size[1];
}

static void inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    double r = shape->size[0], l = shape->size[1];
    *mass = density * volume(shape);
    out[8] = *mass * r * r / 2.0;
    out[0] = out[4] = *mass * (r * r / 4.0 + l * l / 3.0);
}

// Turning moves a surface point along its normal by at most |x cross n|: l on the side, r on a cap, between them on
// the rim.
static double spin_radius(const tn_shape *shape)
{
    return fmax(shape->size[0], shape->size[1]);
}

// In the half plane through the axis: a box of half extents (r, l) seen from (radial, |z|). On the axis the radial
// direction is the shape's x axis.
static double distance(const tn_placed *placed, const double x[3], double normal[3])
{
    double r = placed->shape->size[0], l = placed->shape->size[1];
    double d[3], local[3], n[3];
    tn_vec3_sub(d, x, placed->position);
    tn_mat3_tvec(local, placed->rotation, d);
    double radial = sqrt(local[0] * local[0] + local[1] * local[1]);
    double beside = radial - r, above = fabs(local[2]) - l;
    double out = beside > 0.0 ? beside : 0.0, up = above > 0.0 ? above : 0.0;
    double length = sqrt(out * out + up * up);
    if (length > 0.0) {
        out /= length;
        up /= length;
    } else { // inside: the nearer of side and cap
        length = beside > above ? beside : above;
        out = beside > above ? 1.0 : 0.0;
        up = 1.0 - out;
    }
    double c = radial > 0.0 ? local[0] / radial : 1.0, s = radial > 0.0 ? local[1] / radial : 0.0;
    tn_vec3_set(n, out * c, out * s, local[2] < 0.0 ? -up : up);
    tn_mat3_vec(normal, placed->rotation, n);
    return isnan(radial + above) ? NAN : length;
}

static double least(const tn_shape *shape)
{
    return fmin(shape->size[0], shape->size[1]);
}

static tn_rims rims(const tn_shape *shape)
{
    double r = shape->size[0], l = shape->size[1];
    return (tn_rims){.radius = {r, r}, .z = {-l, l}, .side = {1.0, 0.0}};
}

static tn_core_points count(const tn_shape *shape)
{
    return (tn_core_points){.n = tn_rims_count(shape), .n_edges = 1 + 2 * TN_RIM_POINTS};
}

// Edge 0: the axis, with the radius. 1 + TN_RIM_POINTS k + j: rim k, from point j to the next.
static void edge(const tn_shape *shape, int i, double at, tn_core_edge *out)
{
    double r = shape->size[0], l = shape->size[1];
    if (i == 0) {
        out->half[2] = l;
        out->radius = r;
        return;
    }
    double step = M_PI / TN_RIM_POINTS, angle = 2.0 * M_PI * ((i - 1) % TN_RIM_POINTS) / TN_RIM_POINTS + step + at;
    tn_vec3_set(out->middle, r * cos(angle), r * sin(angle), i <= TN_RIM_POINTS ? -l : l);
    tn_vec3_set(out->half, -out->middle[1], out->middle[0], 0.0);
    out->turn = step;
}

static bool edge_open(const tn_shape *shape, int i, double at, const double outward[3])
{
    tn_core_edge e = {0};
    edge(shape, i, at, &e);
    return i == 0 || tn_rims_open(shape, i > TN_RIM_POINTS, e.middle, outward);
}

static const tn_corner_class corners = {
    .count = count,
    .point = tn_rims_point,
    .point_open = tn_rims_point_open,
    .edge = edge,
    .edge_open = edge_open,
    .round_parts = 2,
    .round_point = tn_rims_round_point,
};

const tn_shape_class tn_shape_class_cylinder = {
    .name = "cylinder",
    .form = TN_FORM_CONVEX,
    .volume = volume,
    .inertia = inertia,
    .bounds = tn_rimmed_bounds,
    .spin_radius = spin_radius,
    .least = least,
    .distance = distance,
    .core = &tn_rimmed_core,
    .rims = rims,
    .on_plane = tn_pair_plane_rimmed,
    .corners = &corners,
    .draw = tn_draw_rimmed,
};
