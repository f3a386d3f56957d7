// Ball of radius size[0].
#include "shape/ball.h"
#include "shape/convex.h"
#include "shape/corners.h"
#include "shape/draw.h"

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

static double distance(const tn_placed *placed, const double x[3], double normal[3])
{
    return tn_ball_distance(placed->position, placed->shape->size[0], x, normal);
}

static double least(const tn_shape *shape)
{
    return shape->size[0];
}

static void set(tn_convex *c, const tn_shape *shape)
{
}

// The core is the centre, vertex 0.
static void vertex(const tn_convex *c, unsigned v, double out[3])
{
    tn_vec3_set(out, 0.0, 0.0, 0.0);
}

static unsigned support(const tn_convex *c, const double direction[3], double out[3])
{
    vertex(c, 0, out);
    return 0;
}

static const tn_convex_class core = {.rounded = true, .set = set, .support = support, .vertex = vertex};

static tn_core_points count(const tn_shape *shape)
{
    return (tn_core_points){.n = 1, .radius = shape->size[0]};
}

static void centre(const tn_shape *shape, int i, double out[3])
{
    tn_vec3_set(out, 0.0, 0.0, 0.0);
}

static const tn_corner_class corners = {.count = count, .point = centre};

const tn_shape_class tn_shape_class_sphere = {
    .name = "sphere",
    .form = TN_FORM_BALLS,
    .round = true,
    .volume = volume,
    .inertia = inertia,
    .bounds = bounds,
    .least = least,
    .distance = distance,
    .core = &core,
    .corners = &corners,
    .draw = tn_draw_ball,
};
