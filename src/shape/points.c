// Explicit contact points of a body: balls of radius size[0] without mass.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/class.h"

static double volume(const tn_shape *shape)
{
    return 0.0;
}

static void inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    *mass = 0.0;
}

// Without points: an empty box (low > high).
static void bounds(const tn_placed *placed, double low[3], double high[3])
{
    double r = placed->shape->size[0];
    tn_vec3_set(low, INFINITY, INFINITY, INFINITY);
    tn_vec3_set(high, -INFINITY, -INFINITY, -INFINITY);
    for (int p = 0; p < placed->shape->n_points; ++p) {
        double x[3];
        tn_mat3_vec(x, placed->rotation, placed->shape->points + 3 * p);
        for (int i = 0; i < 3; ++i) {
            low[i] = fmin(low[i], placed->position[i] + x[i] - r);
            high[i] = fmax(high[i], placed->position[i] + x[i] + r);
        }
    }
}

static double spin_radius(const tn_shape *shape)
{
    double reach = 0.0;
    for (int p = 0; p < shape->n_points; ++p) {
        reach = fmax(reach, tn_vec3_norm(shape->points + 3 * p));
    }
    return reach;
}

const tn_shape_class tn_shape_class_points = {
    .name = "points",
    .volume = volume,
    .inertia = inertia,
    .bounds = bounds,
    .spin_radius = spin_radius,
    .distance = NULL,
};
