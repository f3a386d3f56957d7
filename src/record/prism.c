#include "record/prism.h"

#include "math/vec3.h"
#include "shape/flat.h"

#include <math.h>

enum { ROUND = 32, CORNER = 6 }; // points round an ellipse, and round a corner with radius

int tn_prism_outline_size(const tn_shape *shape)
{
    if (!tn_shape_is_flat(shape)) {
        return 0;
    }
    if (shape->kind != TN_SHAPE_POLYGON) {
        return ROUND;
    }
    return shape->size[0] > 0.0 ? CORNER * shape->n_points : shape->n_points;
}

// Direction of the outward normal of the edge from corner i on, as an angle.
static double normal_angle(const tn_shape *shape, int i)
{
    const double *p = shape->points + 3 * i, *q = shape->points + 3 * ((i + 1) % shape->n_points);
    return atan2(-(q[0] - p[0]), q[2] - p[2]);
}

// Point k of the outline, counter-clockwise in (x, z).
static void outline_point(const tn_shape *shape, int k, double *x, double *z)
{
    const double turn = 2.0 * 3.14159265358979323846;
    if (shape->kind != TN_SHAPE_POLYGON) {
        *x = shape->size[0] * cos(turn * k / ROUND);
        *z = (shape->kind == TN_SHAPE_DISK ? shape->size[0] : shape->size[1]) * sin(turn * k / ROUND);
        return;
    }
    double r = shape->size[0];
    int n = shape->n_points, i = r > 0.0 ? k / CORNER : k;
    *x = shape->points[3 * i];
    *z = shape->points[3 * i + 2];
    if (r > 0.0) {
        double from = normal_angle(shape, (i + n - 1) % n), to = normal_angle(shape, i);
        to += to < from ? turn : 0.0;
        double angle = from + (to - from) * (k % CORNER) / (CORNER - 1);
        *x += r * cos(angle);
        *z += r * sin(angle);
    }
}

static void add_index(tn_polygons *out, int point)
{
    out->index[out->n_indices++] = point;
}

// The two faces across y, then the sides.
void tn_prism_fill(const tn_shape *shape, double mark, tn_polygons *out)
{
    int n = tn_prism_outline_size(shape);
    double least = tn_flat_least(shape), half = least > 0.0 ? 0.25 * least : mark;
    for (int k = 0; k < 2 * n; k++) {
        double x, z;
        outline_point(shape, k % n, &x, &z);
        tn_vec3_set(out->points + 3 * (size_t)k, x, k < n ? -half : half, z);
    }
    for (int face = 0; face < 2; face++) {
        for (int k = 0; k < n; k++) {
            add_index(out, face ? 2 * n - 1 - k : k);
        }
        out->offset[face] = out->n_indices;
    }
    for (int k = 0; k < n; k++) {
        int next = (k + 1) % n;
        const int side[4] = {k, n + k, n + next, next};
        for (int i = 0; i < 4; i++) {
            add_index(out, side[i]);
        }
        out->offset[2 + k] = out->n_indices;
    }
    out->n_points = 2 * n;
    out->n_polygons = n + 2;
}
