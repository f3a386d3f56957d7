// Random planar shapes and their largest separation over sampled directions (reference.h says why it is their signed
// distance).
#pragma once

#include "reference.h"

#include "shape/flat.h"

enum { CORNERS = 8 };

typedef struct flat_shape {
    tn_shape shape;
    double points[3 * CORNERS];
} flat_shape;

// A polygon from random points, its centroid at the origin.
static inline void roll_polygon(dice *d, flat_shape *out, double radius)
{
    double points[2 * CORNERS], corners[2 * CORNERS];
    int n = 0;
    while (n < 2) {
        int count = (int)roll(d, 2.0, CORNERS + 0.999);
        for (int i = 0; i < 2 * count; ++i) {
            points[i] = roll(d, -0.5, 0.5);
        }
        n = tn_polygon_hull(count, points, corners);
    }
    tn_area area = tn_polygon_area(n, corners, radius);
    for (int i = 0; i < n; ++i) {
        tn_vec3_set(out->points + 3 * i, corners[2 * i] - area.centroid[0], 0.0, corners[2 * i + 1] - area.centroid[1]);
    }
    out->shape = (tn_shape){.kind = TN_SHAPE_POLYGON, .size = {radius}, .n_points = n, .points = out->points};
}

static inline void roll_flat(dice *d, tn_shape_kind kind, flat_shape *out)
{
    if (kind == TN_SHAPE_POLYGON) {
        roll_polygon(d, out, roll(d, 0.0, 1.0) < 0.5 ? 0.0 : roll(d, 0.01, 0.3));
        return;
    }
    out->shape = (tn_shape){.kind = kind, .size = {roll(d, 0.05, 0.6), roll(d, 0.05, 0.6)}};
}

// In the plane at right angles to y: exactly in it.
static inline void roll_flat_pose(dice *d, double spread, tn_pose *pose)
{
    double axis[3] = {0.0, 1.0, 0.0};
    tn_vec3_set(pose->position, roll(d, -spread, spread), 0.3, roll(d, -spread, spread));
    tn_quat_from_axis_angle(pose->quaternion, axis, roll(d, 0.0, 1.0) < 0.3 ? 0.0 : roll(d, -4.0, 4.0));
}

// max over the shape of n . x, from its origin.
static inline double reach(const tn_shape *s, const tn_pose *pose, const double n[3])
{
    double own[3], most = -INFINITY;
    tn_quat_rotate_inverse(own, pose->quaternion, n);
    if (s->kind == TN_SHAPE_POLYGON) {
        for (int i = 0; i < s->n_points; ++i) {
            most = fmax(most, tn_vec3_dot(own, s->points + 3 * i));
        }
        return most + s->size[0];
    }
    double u = s->size[0] * own[0], w = (s->kind == TN_SHAPE_DISK ? s->size[0] : s->size[1]) * own[2];
    return sqrt(u * u + w * w);
}

static inline double apart_along(const tn_shape *a, const tn_pose *pa, const tn_shape *b, const tn_pose *pb,
                                 double angle)
{
    double n[3] = {cos(angle), 0.0, sin(angle)}, back[3], d[3];
    tn_vec3_scale(back, -1.0, n);
    tn_vec3_sub(d, pb->position, pa->position);
    return tn_vec3_dot(n, d) - reach(a, pa, n) - reach(b, pb, back);
}

// Largest separation: samples, then finer ones about the best.
static inline double signed_distance(const tn_shape *a, const tn_pose *pa, const tn_shape *b, const tn_pose *pb)
{
    double best = -INFINITY, at = 0.0;
    for (int k = 0; k < 720; ++k) {
        double here = apart_along(a, pa, b, pb, 2.0 * M_PI * k / 720.0);
        at = here > best ? 2.0 * M_PI * k / 720.0 : at;
        best = fmax(best, here);
    }
    for (double width = 0.01; width > 1e-13; width *= 0.1) {
        double middle = at;
        for (int k = -15; k <= 15; ++k) {
            double here = apart_along(a, pa, b, pb, middle + width * k / 10.0);
            at = here > best ? middle + width * k / 10.0 : at;
            best = fmax(best, here);
        }
    }
    return best;
}
