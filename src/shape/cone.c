// Solid cone along the z axis: radius size[0] at the lower end, size[2] at the upper one, half height size[1]. Either
// radius may be 0: an apex. The origin is the centroid.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/convex.h"
#include "shape/corners.h"
#include "shape/draw.h"

double tn_cone_centroid(const double size[3])
{
    double a = size[0], b = size[2];
    return 0.5 * size[1] * (b * b - a * a) / (a * a + a * b + b * b);
}

static tn_rims rims(const tn_shape *shape)
{
    double l = shape->size[1], centroid = tn_cone_centroid(shape->size);
    return tn_rims_between(shape->size[0], -l - centroid, shape->size[2], l - centroid);
}

static double volume(const tn_shape *shape)
{
    double a = shape->size[0], b = shape->size[2];
    return 2.0 / 3.0 * M_PI * shape->size[1] * (a * a + a * b + b * b);
}

// Disks of radius r(z), each of which has the moment r^4/4 about a diameter; z is counted from the lower end.
static void inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    double a = shape->size[0], b = shape->size[2], h = 2.0 * shape->size[1];
    double up = shape->size[1] + tn_cone_centroid(shape->size);
    double fourth = a * a * a * a + a * a * a * b + a * a * b * b + a * b * b * b + b * b * b * b;
    *mass = density * volume(shape);
    out[8] = density * M_PI * h * fourth / 10.0;
    out[0] = out[4] =
        0.5 * out[8] + density * M_PI * h * h * h * (a * a + 3.0 * a * b + 6.0 * b * b) / 30.0 - *mass * up * up;
}

static double spin_radius(const tn_shape *shape)
{
    const tn_rims r = rims(shape);
    return fmax(sqrt(r.radius[0] * r.radius[0] + r.z[0] * r.z[0]), sqrt(r.radius[1] * r.radius[1] + r.z[1] * r.z[1]));
}

// Heights above the lower end, the upper one and the side of a point at a distance from the axis.
static void heights_above(const tn_rims *r, double radial, double z, double out[3])
{
    out[0] = r->z[0] - z;
    out[1] = z - r->z[1];
    out[2] = (radial - r->radius[0]) * r->side[0] + (z - r->z[0]) * r->side[1];
}

static double least(const tn_shape *shape)
{
    const tn_rims r = rims(shape);
    double height[3];
    heights_above(&r, 0.0, 0.0, height);
    for (int k = 0; k < 2; ++k) { // an apex is farther away than the side
        height[2] = r.radius[k] > 0.0 ? fmax(height[2], height[k]) : height[2];
    }
    return -height[2];
}

// In the half plane through the axis: signed distance, and the outward normal as (radial, along z).
static double distance_in_plane(const tn_rims *r, double radial, double z, double normal[2])
{
    double height[3], dr = r->radius[1] - r->radius[0], dz = r->z[1] - r->z[0];
    heights_above(r, radial, z, height);
    double along = ((radial - r->radius[0]) * dr + (z - r->z[0]) * dz) / (dr * dr + dz * dz);
    const double of_face[3][2] = {{0.0, -1.0}, {0.0, 1.0}, {r->side[0], r->side[1]}};
    bool inside = height[0] <= 0.0 && height[1] <= 0.0 && height[2] <= 0.0;
    const bool over[3] = {radial <= r->radius[0], radial <= r->radius[1], along >= 0.0 && along <= 1.0};
    int face = -1;
    for (int k = 0; k < 3; ++k) { // the highest of those that the point is over, or inside of all
        bool counts = inside || (over[k] && height[k] >= 0.0);
        face = counts && (face < 0 || height[k] > height[face]) ? k : face;
    }
    if (face >= 0) {
        normal[0] = of_face[face][0];
        normal[1] = of_face[face][1];
        return height[face];
    }
    double d[2][2] = {{radial - r->radius[0], z - r->z[0]}, {radial - r->radius[1], z - r->z[1]}}, length[2];
    for (int k = 0; k < 2; ++k) {
        length[k] = sqrt(d[k][0] * d[k][0] + d[k][1] * d[k][1]);
    }
    int rim = length[1] < length[0];
    normal[0] = d[rim][0] / length[rim];
    normal[1] = d[rim][1] / length[rim];
    return length[rim];
}

// On the axis the radial direction is the shape's x axis.
static double distance(const tn_placed *placed, const double x[3], double normal[3])
{
    const tn_rims r = rims(placed->shape);
    double d[3], local[3], n[2];
    tn_vec3_sub(d, x, placed->position);
    tn_mat3_tvec(local, placed->rotation, d);
    double radial = sqrt(local[0] * local[0] + local[1] * local[1]);
    double gap = distance_in_plane(&r, radial, local[2], n);
    double c = radial > 0.0 ? local[0] / radial : 1.0, s = radial > 0.0 ? local[1] / radial : 0.0;
    const double own[3] = {n[0] * c, n[0] * s, n[1]};
    tn_mat3_vec(normal, placed->rotation, own);
    return isnan(radial + local[2]) ? NAN : gap;
}

// Edges of a soft body meet the side by the distance along them.
static tn_core_points count(const tn_shape *shape)
{
    return (tn_core_points){.n = tn_rims_count(shape)};
}

static const tn_corner_class corners = {
    .count = count,
    .point = tn_rims_point,
    .point_open = tn_rims_point_open,
    .round_parts = 2,
    .round_point = tn_rims_round_point,
};

const tn_shape_class tn_shape_class_cone = {
    .name = "cone",
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
