// Solid cylinder of radius size[0] along the z axis, from -size[1] to +size[1].
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/class.h"

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

static void bounds(const tn_placed *placed, double low[3], double high[3])
{
    double r = placed->shape->size[0], l = placed->shape->size[1];
    for (int i = 0; i < 3; ++i) {
        const double *row = placed->rotation + 3 * i;
        double reach = r * sqrt(row[0] * row[0] + row[1] * row[1]) + l * fabs(row[2]);
        low[i] = placed->position[i] - reach;
        high[i] = placed->position[i] + reach;
    }
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

const tn_shape_class tn_shape_class_cylinder = {
    .name = "cylinder",
    .volume = volume,
    .inertia = inertia,
    .bounds = bounds,
    .spin_radius = spin_radius,
    .distance = distance,
};
