// What the shape tests compare with: support functions, and the signed distance of two convex shapes as the
// largest separation over all directions,
//     distance = max over unit n of  min_b n.x - max_a n.x ,
// true for shapes apart (their distance) and overlapping (minus the penetration depth). Every direction gives a lower
// bound, so a sampled maximum can only be too small. Nothing here uses the code under test.
#pragma once

#include "base/random.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "shape/hull.h"
#include "shape/shape.h"

#include <stdbool.h>
#include <stdint.h>

// Random poses a pair; fewer where a sanitizer makes each slow.
#ifdef __has_feature
#define REFERENCE_SLOW __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REFERENCE_SLOW 1
#else
#define REFERENCE_SLOW 0
#endif
enum { POSES = REFERENCE_SLOW ? 5000 : 20000 };

typedef struct dice {
    uint64_t seed, count;
} dice;

static inline double roll(dice *d, double low, double high)
{
    return low + (high - low) * tn_random_uniform(d->seed, 7, d->count++);
}

static inline void roll_direction(dice *d, double n[3])
{
    double z = roll(d, -1.0, 1.0), angle = roll(d, 0.0, 2.0 * M_PI), r = sqrt(1.0 - z * z);
    tn_vec3_set(n, r * cos(angle), r * sin(angle), z);
}

static inline tn_shape roll_shape(dice *d, tn_shape_kind kind)
{
    tn_shape shape = {.kind = kind, .size = {roll(d, 0.1, 0.6), roll(d, 0.1, 0.6), roll(d, 0.1, 0.6)}};
    return shape;
}

// Half of the rotations are anything; the others a quarter turn or none, exact or off by 1e-9 to 0.1 rad.
static inline void roll_pose(dice *d, double spread, tn_pose *pose)
{
    double axis[3], tilt[4];
    for (int i = 0; i < 3; ++i) {
        pose->position[i] = roll(d, -spread, spread);
    }
    roll_direction(d, axis);
    double mode = roll(d, 0.0, 4.0);
    if (mode < 2.0) {
        tn_quat_from_axis_angle(pose->quaternion, axis, roll(d, 0.0, 2.0 * M_PI));
        return;
    }
    double quarter[3] = {0.0, 0.0, 0.0};
    quarter[(int)roll(d, 0.0, 3.0)] = 1.0;
    tn_quat_from_axis_angle(pose->quaternion, quarter, roll(d, 0.0, 1.0) < 0.5 ? 0.0 : 0.5 * M_PI);
    if (mode < 3.5) {
        tn_quat_from_axis_angle(tilt, axis, pow(10.0, roll(d, -9.0, -1.0)));
        tn_quat_mul(pose->quaternion, tilt, pose->quaternion);
        tn_quat_normalize(pose->quaternion);
    }
}

// Largest local.x over the vertices; where one reaches `enough`, what that has.
static inline double support_of_hull(const tn_hull *hull, const double local[3], double enough)
{
    double most = -INFINITY;
    for (int v = 0; v < hull->n_vertices && most < enough; ++v) {
        double here = tn_vec3_dot(local, hull->vertices + 3 * v);
        most = here > most ? here : most;
    }
    return most;
}

// Largest n.x over the shape, x from its own position; r its rotation. At least `enough` where that is so much.
static inline double support_until(const tn_shape *shape, const double r[9], const double n[3], double enough)
{
    const double *s = shape->size;
    double z = fabs(r[2] * n[0] + r[5] * n[1] + r[8] * n[2]);
    switch (shape->kind) {
    case TN_SHAPE_SPHERE:
        return s[0];
    case TN_SHAPE_BOX:
        return s[0] * fabs(r[0] * n[0] + r[3] * n[1] + r[6] * n[2]) +
               s[1] * fabs(r[1] * n[0] + r[4] * n[1] + r[7] * n[2]) + s[2] * z;
    case TN_SHAPE_CAPSULE:
        return s[0] + s[1] * z;
    case TN_SHAPE_CYLINDER: {
        double x = r[0] * n[0] + r[3] * n[1] + r[6] * n[2], y = r[1] * n[0] + r[4] * n[1] + r[7] * n[2];
        return s[0] * sqrt(x * x + y * y) + s[1] * z;
    }
    case TN_SHAPE_CONE: { // the farther of two circles; the centroid by the textbook's formula, from the lower end
        double x = r[0] * n[0] + r[3] * n[1] + r[6] * n[2], y = r[1] * n[0] + r[4] * n[1] + r[7] * n[2];
        double a = s[0], b = s[2], h = 2.0 * s[1], along = r[2] * n[0] + r[5] * n[1] + r[8] * n[2];
        double up = 0.25 * h * (a * a + 2.0 * a * b + 3.0 * b * b) / (a * a + a * b + b * b),
               across = sqrt(x * x + y * y);
        return fmax(a * across - up * along, b * across + (h - up) * along);
    }
    case TN_SHAPE_ELLIPSOID: {
        double x = r[0] * n[0] + r[3] * n[1] + r[6] * n[2], y = r[1] * n[0] + r[4] * n[1] + r[7] * n[2];
        return sqrt(s[0] * s[0] * x * x + s[1] * s[1] * y * y + s[2] * s[2] * z * z);
    }
    case TN_SHAPE_HULL: {
        double local[3];
        for (int i = 0; i < 3; ++i) {
            local[i] = r[i] * n[0] + r[3 + i] * n[1] + r[6 + i] * n[2];
        }
        return support_of_hull(shape->hull, local, enough);
    }
    default:
        return 0.0;
    }
}

static inline double support(const tn_shape *shape, const double r[9], const double n[3])
{
    return support_until(shape, r, n, INFINITY);
}

typedef struct two_shapes {
    tn_shape a, b;
    tn_pose pose_a, pose_b;
    double between[3], rotation_a[9], rotation_b[9]; // for separation: set by prepare
} two_shapes;

static inline void prepare(two_shapes *two)
{
    tn_vec3_sub(two->between, two->pose_b.position, two->pose_a.position);
    tn_quat_to_mat3(two->rotation_a, two->pose_a.quaternion);
    tn_quat_to_mat3(two->rotation_b, two->pose_b.quaternion);
}

// Separation along n; where it is not above `best`, anything that is not: most of many directions are ruled out by a
// few vertices. Shapes hold their own position, so no support is negative.
static inline double separation_above(const two_shapes *two, const double n[3], double best)
{
    double back[3] = {-n[0], -n[1], -n[2]}, between = tn_vec3_dot(n, two->between), left = between - best;
    double of_a = support_until(&two->a, two->rotation_a, n, left);
    return between - of_a - support_until(&two->b, two->rotation_b, back, left - of_a);
}

static inline double separation(const two_shapes *two, const double n[3])
{
    return separation_above(two, n, -INFINITY);
}

// Improves n by a pattern search on the sphere, with steps shrinking to finest; returns the separation reached.
static inline double climb(const two_shapes *two, double n[3], double step, double finest)
{
    const double c = 0.7071067811865476;
    const double ring[8][2] = {{1, 0}, {c, c}, {0, 1}, {-c, c}, {-1, 0}, {-c, -c}, {0, -1}, {c, -c}};
    double best = separation(two, n);
    while (step > finest) {
        double t1[3], t2[3], probe[3] = {0.0, 0.0, 0.0};
        probe[fabs(n[0]) < 0.6 ? 0 : 1] = 1.0;
        tn_vec3_cross(t1, n, probe);
        tn_vec3_scale(t1, 1.0 / tn_vec3_norm(t1), t1);
        tn_vec3_cross(t2, n, t1);
        bool better = false;
        for (int k = 0; k < 8 && !better; ++k) {
            double m[3];
            tn_vec3_madd(m, n, step * ring[k][0], t1);
            tn_vec3_madd(m, m, step * ring[k][1], t2);
            tn_vec3_scale(m, 1.0 / tn_vec3_norm(m), m);
            double here = separation_above(two, m, best);
            if (here > best) {
                best = here;
                tn_vec3_copy(n, m);
                better = true;
            }
        }
        step *= better ? 1.0 : 0.4;
    }
    return best;
}

// Sampled signed distance: samples directions (a Fibonacci spiral), the best starts of them climbed.
static inline double sampled_distance(const two_shapes *two, int samples, int starts, double finest)
{
    enum { MAX_STARTS = 32 };
    double value[MAX_STARTS + 1], direction[MAX_STARTS + 1][3], best = -INFINITY;
    int n = 0;
    for (int i = 0; i < samples; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / samples, r = sqrt(1.0 - z * z), angle = 2.399963229728653 * i;
        double d[3] = {r * cos(angle), r * sin(angle), z};
        double here = separation(two, d);
        int slot = n < starts ? n++ : starts; // the last place is for the one that drops out
        for (; slot > 0 && value[slot - 1] < here; --slot) {
            value[slot] = value[slot - 1];
            tn_vec3_copy(direction[slot], direction[slot - 1]);
        }
        value[slot] = here;
        tn_vec3_copy(direction[slot], d);
    }
    for (int i = 0; i < n; ++i) {
        best = fmax(best, climb(two, direction[i], 2.0 / sqrt(samples), finest));
    }
    return best;
}

// Largest separation along the shapes' own axes and across pairs of them: where a penetration depth is found, for
// shapes with flat faces, if it is found anywhere. A bound like any other; too narrow a target for samples alone.
static inline double axes_distance(const two_shapes *two)
{
    double best = -INFINITY;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            const double *ra = two->rotation_a, *rb = two->rotation_b;
            double n[3];
            double a[3] = {0.0, 0.0, 0.0}, b[3] = {0.0, 0.0, 0.0};
            if (i < 3) {
                tn_vec3_set(a, ra[i], ra[3 + i], ra[6 + i]);
            }
            if (j < 3) {
                tn_vec3_set(b, rb[j], rb[3 + j], rb[6 + j]);
            }
            tn_vec3_cross(n, a, b);
            if (i == 3 || j == 3) {
                tn_vec3_add(n, a, b);
            }
            double length = tn_vec3_norm(n);
            for (int sign = -1; length > 1e-9 && sign <= 1; sign += 2) {
                double m[3];
                tn_vec3_scale(m, sign / length, n);
                best = fmax(best, separation_above(two, m, best));
            }
        }
    }
    return best;
}

static inline int contact(const two_shapes *two, double margin, tn_contact_point points[TN_MANIFOLD_MAX])
{
    return tn_shape_contact(&two->a, &two->pose_a, &two->b, &two->pose_b, margin, points);
}

// Index of the deepest point.
static inline int deepest(int n, const tn_contact_point *points)
{
    int best = 0;
    for (int i = 1; i < n; ++i) {
        best = points[i].gap < points[best].gap ? i : best;
    }
    return best;
}
