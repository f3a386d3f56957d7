// Half space z <= 0 of its own frame.
#include "math/vec3.h"
#include "shape/draw.h"

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
    .form = TN_FORM_HALF_SPACE,
    .fixed_only = "a plane belongs to a body that is fixed or has a motion",
    .bounds = bounds,
    .distance = distance,
    .draw = tn_draw_plane,
};
