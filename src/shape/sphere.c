// Ball of radius size[0].
#include "shape/ball.h"
#include "shape/class.h"

static double volume(const tn_shape *shape)
{
    double r = shape->size[0];
    return 4.0 / 3.0 * M_PI * r * r * r;
}

static void inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    *mass = density * volume(shape);
    out[0] = out[4] = out[8] = 0.4 * *mass * shape->size[0] * shape->size[0];
}

static void bounds(const tn_placed *placed, double low[3], double high[3])
{
    for (int i = 0; i < 3; ++i) {
        low[i] = placed->position[i] - placed->shape->size[0];
        high[i] = placed->position[i] + placed->shape->size[0];
    }
}

static double spin_radius(const tn_shape *shape)
{
    return 0.0;
}

static double distance(const tn_placed *placed, const double x[3], double normal[3])
{
    return tn_ball_distance(placed->position, placed->shape->size[0], x, normal);
}

const tn_shape_class tn_shape_class_sphere = {
    .name = "sphere",
    .volume = volume,
    .inertia = inertia,
    .bounds = bounds,
    .spin_radius = spin_radius,
    .distance = distance,
};
