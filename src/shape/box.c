// Box of half extents size.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/class.h"

static double volume(const tn_shape *shape)
{
    return 8.0 * shape->size[0] * shape->size[1] * shape->size[2];
}

static void inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    const double *h = shape->size;
    *mass = density * volume(shape);
    out[0] = *mass / 3.0 * (h[1] * h[1] + h[2] * h[2]);
    out[4] = *mass / 3.0 * (h[0] * h[0] + h[2] * h[2]);
    out[8] = *mass / 3.0 * (h[0] * h[0] + h[1] * h[1]);
}

static void bounds(const tn_placed *placed, double low[3], double high[3])
{
    const double *h = placed->shape->size;
    for (int i = 0; i < 3; ++i) {
        const double *r = placed->rotation + 3 * i;
        double reach = fabs(r[0]) * h[0] + fabs(r[1]) * h[1] + fabs(r[2]) * h[2];
        low[i] = placed->position[i] - reach;
        high[i] = placed->position[i] + reach;
    }
}

static double spin_radius(const tn_shape *shape)
{
    return tn_vec3_norm(shape->size);
}

// Inside: the nearest face, the lower axis on a tie.
static double inside_distance(const double h[3], const double x[3], double normal[3])
{
    int axis = 0;
    for (int i = 1; i < 3; ++i) {
        if (fabs(x[i]) - h[i] > fabs(x[axis]) - h[axis]) {
            axis = i;
        }
    }
    tn_vec3_set(normal, 0.0, 0.0, 0.0);
    normal[axis] = x[axis] < 0.0 ? -1.0 : 1.0;
    return fabs(x[axis]) - h[axis];
}

static double distance(const tn_placed *placed, const double x[3], double normal[3])
{
    const double *h = placed->shape->size;
    double d[3], local[3], out[3], n[3];
    tn_vec3_sub(d, x, placed->position);
    tn_mat3_tvec(local, placed->rotation, d);
    for (int i = 0; i < 3; ++i) {
        out[i] = local[i] > h[i] ? local[i] - h[i] : local[i] < -h[i] ? local[i] + h[i] : 0.0;
    }
    double length = tn_vec3_norm(out);
    if (length > 0.0) {
        tn_vec3_set(n, out[0] / length, out[1] / length, out[2] / length);
    } else {
        length = inside_distance(h, local, n);
    }
    tn_mat3_vec(normal, placed->rotation, n);
    return length;
}

const tn_shape_class tn_shape_class_box = {
    .name = "box",
    .volume = volume,
    .inertia = inertia,
    .bounds = bounds,
    .spin_radius = spin_radius,
    .distance = distance,
};
