// What the planar shapes share, and the two that need no file of their own: disk (size[0] = radius) and ellipse
// (size[0], size[1] = semi-axes along x and z).
#include "shape/flat.h"

#include "math/vec3.h"
#include "shape/draw.h"

// A plate of 1 m: only the moment about its normal is that of the planar body. The other two are those of a thin one,
// half of it each, so that the three are possible for a rigid body.
void tn_flat_inertia(const tn_area *area, double density, double *mass, double inertia[9])
{
    *mass = density * area->area;
    inertia[4] = density * area->moment;
    inertia[0] = inertia[8] = 0.5 * inertia[4];
}

static tn_area ellipse_area(double a, double b)
{
    double area = M_PI * a * b;
    return (tn_area){.area = area, .moment = 0.25 * area * (a * a + b * b)};
}

static double disk_volume(const tn_shape *shape)
{
    return ellipse_area(shape->size[0], shape->size[0]).area;
}

static void disk_inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    tn_area area = ellipse_area(shape->size[0], shape->size[0]);
    tn_flat_inertia(&area, density, mass, out);
}

static double disk_least(const tn_shape *shape)
{
    return shape->size[0];
}

static double ellipse_volume(const tn_shape *shape)
{
    return ellipse_area(shape->size[0], shape->size[1]).area;
}

static void ellipse_inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    tn_area area = ellipse_area(shape->size[0], shape->size[1]);
    tn_flat_inertia(&area, density, mass, out);
}

static double ellipse_least(const tn_shape *shape)
{
    return fmin(shape->size[0], shape->size[1]);
}

static void disk_bounds(const tn_placed *placed, double low[3], double high[3])
{
    for (int i = 0; i < 3; ++i) {
        low[i] = placed->position[i] - placed->shape->size[0];
        high[i] = placed->position[i] + placed->shape->size[0];
    }
}

static void ellipse_bounds(const tn_placed *placed, double low[3], double high[3])
{
    const double *size = placed->shape->size, thick = fmin(size[0], size[1]);
    for (int i = 0; i < 3; ++i) {
        const double *row = placed->rotation + 3 * i;
        double u = row[0] * size[0], v = row[1] * thick, w = row[2] * size[1], reach = sqrt(u * u + v * v + w * w);
        low[i] = placed->position[i] - reach;
        high[i] = placed->position[i] + reach;
    }
}

// Largest |x cross n| over the curve, as for an ellipsoid.
static double ellipse_spin_radius(const tn_shape *shape)
{
    return fabs(shape->size[0] - shape->size[1]);
}

// In the plane, the same at any height above it: as of an ellipsoid that is long across the plane.
static double distance_to(const tn_placed *placed, double a, double b, const double x[3], double normal[3])
{
    double d[3], across[3];
    const tn_shape round = tn_shape_ellipsoid(a, fmax(a, b), b);
    tn_placed_axis(across, placed, 1);
    tn_vec3_sub(d, x, placed->position);
    tn_placed level = *placed;
    level.shape = &round;
    tn_vec3_madd(level.position, level.position, tn_vec3_dot(d, across), across);
    return tn_shape_class_ellipsoid.distance(&level, x, normal);
}

static double disk_distance(const tn_placed *placed, const double x[3], double normal[3])
{
    const double *size = placed->shape->size;
    return distance_to(placed, size[0], size[0], x, normal);
}

static double ellipse_distance(const tn_placed *placed, const double x[3], double normal[3])
{
    const double *size = placed->shape->size;
    return distance_to(placed, size[0], size[1], x, normal);
}

const tn_shape_class tn_shape_class_disk = {
    .name = "disk",
    .form = TN_FORM_PLANAR,
    .round = true,
    .volume = disk_volume,
    .inertia = disk_inertia,
    .bounds = disk_bounds,
    .least = disk_least,
    .distance = disk_distance,
    .draw = tn_draw_disk,
};

const tn_shape_class tn_shape_class_ellipse = {
    .name = "ellipse",
    .form = TN_FORM_PLANAR,
    .volume = ellipse_volume,
    .inertia = ellipse_inertia,
    .bounds = ellipse_bounds,
    .spin_radius = ellipse_spin_radius,
    .least = ellipse_least,
    .distance = ellipse_distance,
    .draw = tn_draw_ellipse,
};
