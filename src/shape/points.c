// Explicit contact points of a body: balls of radius size[0] without mass.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/corners.h"
#include "shape/draw.h"

#include <string.h>

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

// The nearest point to the origin stands for the body's extent.
static double least(const tn_shape *shape)
{
    double size = INFINITY;
    for (int p = 0; p < shape->n_points; ++p) {
        double distance = tn_vec3_norm(shape->points + 3 * p);
        size = distance > 0.0 ? fmin(size, distance) : size;
    }
    return size;
}

static void geometry(const tn_shape *shape, tn_geometry *out)
{
    *out = (tn_geometry){.n_points = (size_t)shape->n_points};
}

static void fill(const tn_shape *shape, double *points, int32_t *triangles)
{
    memcpy(points, shape->points, 24 * (size_t)shape->n_points);
}

static tn_core_points count(const tn_shape *shape)
{
    return (tn_core_points){.n = shape->n_points, .radius = shape->size[0]};
}

static void centre(const tn_shape *shape, int i, double out[3])
{
    tn_vec3_copy(out, shape->points + 3 * (size_t)i);
}

static const tn_corner_class corners = {.count = count, .point = centre};

const tn_shape_class tn_shape_class_points = {
    .name = "points",
    .form = TN_FORM_BALLS,
    .bounds = bounds,
    .spin_radius = spin_radius,
    .least = least,
    .geometry = geometry,
    .fill = fill,
    .corners = &corners,
    .draw = tn_draw_points,
};
