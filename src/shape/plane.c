// Half space z <= 0 of its own frame.
#include "math/vec3.h"
#include "shape/class.h"

static double zero(const tn_shape *shape)
{
    return 0.0;
}

static void inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    *mass = 0.0;
}

static void bounds(const tn_placed *placed, double low[3], double high[3])
{
    tn_vec3_set(low, -INFINITY, -INFINITY, -INFINITY);
    tn_vec3_set(high, INFINITY, INFINITY, INFINITY);
}

static double distance(const tn_placed *placed, const double x[3], double normal[3])
{
    double d[3];
    tn_vec3_sub(d, x, placed->position);
    tn_placed_axis(normal, placed, 2);
    return tn_vec3_dot(normal, d);
}

const tn_shape_class tn_shape_class_plane = {
    .name = "plane",
    .volume = zero,
    .inertia = inertia,
    .bounds = bounds,
    .spin_radius = zero,
    .distance = distance,
};
