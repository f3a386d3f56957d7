// What the planar shapes share, and the two that need no file of their own: disk (size[0] = radius) and ellipse
// (size[0], size[1] = semi-axes along x and z).
#include "shape/flat.h"

#include "math/vec3.h"

// A plate of 1 m: only the moment about its normal is that of the planar body. The other two are those of a thin one,
// half of it each, so that the three are possible for a rigid body.
void tn_flat_inertia(const tn_area *area, double density, double *mass, double inertia[9])
{
    *mass = density * area->area;
    inertia[4] = density * area->moment;
    inertia[0] = inertia[8] = 0.5 * inertia[4];
}

// Smallest width of a convex polygon, over its edges' normals.
static double polygon_width(int n, const double *x)
{
    double width = INFINITY;
    for (int i = 0; i < n; ++i) {
        const double *p = x + 3 * i, *q = x + 3 * ((i + 1) % n);
        double out[2] = {q[2] - p[2], p[0] - q[0]}, length = sqrt(out[0] * out[0] + out[1] * out[1]), most = 0.0;
        for (int k = 0; k < n && length > 0.0; ++k) {
            most = fmax(most, -(out[0] * (x[3 * k] - p[0]) + out[1] * (x[3 * k + 2] - p[2])) / length);
        }
        width = length > 0.0 ? fmin(width, most) : width;
    }
    return width < INFINITY ? width : 0.0;
}

double tn_flat_least(const tn_shape *shape)
{
    switch (shape->kind) {
    case TN_SHAPE_ELLIPSE:
        return fmin(shape->size[0], shape->size[1]);
    case TN_SHAPE_POLYGON:
        return shape->size[0] + 0.5 * polygon_width(shape->n_points, shape->points);
    default:
        return shape->size[0];
    }
}

static tn_area ellipse_area(const tn_shape *shape)
{
    double a = shape->size[0], b = shape->kind == TN_SHAPE_DISK ? a : shape->size[1], area = M_PI * a * b;
    return (tn_area){.area = area, .moment = 0.25 * area * (a * a + b * b)};
}

static double volume(const tn_shape *shape)
{
    return ellipse_area(shape).area;
}

static void inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    tn_area area = ellipse_area(shape);
    tn_flat_inertia(&area, density, mass, out);
}

static void disk_bounds(const tn_placed *placed, double low[3], double high[3])
{
    for (int i = 0; i < 3; ++i) {
        low[i] = placed->position[i] - placed->shape->size[0];
        high[i] = placed->position[i] + placed->shape->size[0];
    }
}

static double disk_spin_radius(const tn_shape *shape)
{
    return 0.0;
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
static double distance(const tn_placed *placed, const double x[3], double normal[3])
{
    const double *size = placed->shape->size;
    double a = size[0], b = placed->shape->kind == TN_SHAPE_DISK ? a : size[1], d[3], across[3];
    const tn_shape round = {.kind = TN_SHAPE_ELLIPSOID, .size = {a, fmax(a, b), b}};
    tn_placed_axis(across, placed, 1);
    tn_vec3_sub(d, x, placed->position);
    tn_placed level = *placed;
    level.shape = &round;
    tn_vec3_madd(level.position, level.position, tn_vec3_dot(d, across), across);
    return tn_shape_class_ellipsoid.distance(&level, x, normal);
}

const tn_shape_class tn_shape_class_disk = {
    .name = "disk",
    .volume = volume,
    .inertia = inertia,
    .bounds = disk_bounds,
    .spin_radius = disk_spin_radius,
    .distance = distance,
};

const tn_shape_class tn_shape_class_ellipse = {
    .name = "ellipse",
    .volume = volume,
    .inertia = inertia,
    .bounds = ellipse_bounds,
    .spin_radius = ellipse_spin_radius,
    .distance = distance,
};
