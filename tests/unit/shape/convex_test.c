// Every pair of convex shapes against the largest separation over all directions; see reference.h.
#include "hulls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static hull_set hulls;
static const double margin = 0.1;
static const double rounding = 5e-8; // of lengths below 2 m; a rim beside a face within 1e-7 rad is found that well

enum { FEW = POSES / 100 };

static tn_shape roll_convex(dice *d, tn_shape_kind kind)
{
    tn_shape shape = roll_shape(d, kind);
    if (kind == TN_SHAPE_HULL) {
        shape.hull = &hulls.hull[(int)roll(d, 0.0, HULLS)];
    } else if (roll(d, 0.0, 1.0) < 0.2) { // thin ones
        shape.size[(int)roll(d, 0.0, 3.0)] *= 0.01;
    }
    return shape;
}

typedef struct outcome {
    double worst_low, worst_high; // of the gap below and above the reference [m]
    double worst_normal;          // of the separation along the contact's own normal, below the gap [m]
    double worst_points;          // of the two surface points, outside of their shapes [m]
    int contacts, apart, bad;
} outcome;

// Separation at the angle round the unit vector axis, from t1 towards t2.
static double at_angle(const two_shapes *two, const double t1[3], const double t2[3], double angle)
{
    double n[3];
    tn_vec3_scale(n, cos(angle), t1);
    tn_vec3_madd(n, n, sin(angle), t2);
    return separation(two, n);
}

// The largest separation at right angles to an axis: 64 angles, then a golden section about the best.
static double circle_distance(const two_shapes *two, const double axis[3])
{
    const double golden = 0.6180339887498949, step = 2.0 * M_PI / 64.0;
    double t1[3], t2[3], probe[3] = {0.0, 0.0, 0.0}, best = -INFINITY, middle = 0.0;
    probe[fabs(axis[0]) < 0.6 ? 0 : 1] = 1.0;
    tn_vec3_cross(t1, axis, probe);
    tn_vec3_scale(t1, 1.0 / tn_vec3_norm(t1), t1);
    tn_vec3_cross(t2, axis, t1);
    for (int i = 0; i < 64; ++i) {
        double here = at_angle(two, t1, t2, i * step);
        middle = here > best ? i * step : middle;
        best = fmax(best, here);
    }
    double low = middle - step, high = middle + step;
    for (int i = 0; i < 50; ++i) {
        double p = high - golden * (high - low), q = low + golden * (high - low);
        double sp = at_angle(two, t1, t2, p), sq = at_angle(two, t1, t2, q);
        best = fmax(best, fmax(sp, sq));
        if (sp > sq) {
            high = q;
        } else {
            low = p;
        }
    }
    return best;
}

// Round shapes against edges: the support function has a corner all along the circle across the edge.
static double circles_distance(const two_shapes *two)
{
    double best = -INFINITY, axis[3];
    for (int side = 0; side < 2; ++side) {
        const tn_shape *shape = side ? &two->b : &two->a;
        const tn_pose *pose = side ? &two->pose_b : &two->pose_a;
        const tn_hull *hull = shape->kind == TN_SHAPE_HULL ? shape->hull : NULL;
        for (int i = 0; i < (hull ? hull->n_edges : 3); ++i) {
            tn_vec3_set(axis, i == 0, i == 1, i == 2);
            if (hull) {
                tn_vec3_sub(axis, hull->vertices + 3 * hull->edge[2 * i + 1], hull->vertices + 3 * hull->edge[2 * i]);
                tn_vec3_scale(axis, 1.0 / tn_vec3_norm(axis), axis);
            }
            tn_quat_rotate(axis, pose->quaternion, axis);
            best = fmax(best, circle_distance(two, axis));
        }
    }
    return best;
}

static double reference_distance(const two_shapes *two, double known, double gap)
{
    double distance = fmax(known, fmax(axes_distance(two), corners_distance(two)));
    if (fabs(gap - distance) > rounding) {
        distance = fmax(distance, sampled_distance(two, 200, 8, 1e-11));
    }
    if (gap > distance + rounding) {
        distance = fmax(distance, circles_distance(two));
    }
    if (gap > distance + rounding) {
        distance = fmax(distance, sampled_distance(two, 3000, 32, 1e-11));
    }
    return distance;
}

// No contact within the margin: asked for farther ones, the code must offer a direction that proves it.
static void judge_apart(const two_shapes *two, outcome *out)
{
    tn_contact_point points[TN_MANIFOLD_MAX];
    double distance = -INFINITY;
    for (int i = 0, n = contact(two, 10.0, points); i < n; ++i) {
        distance = fmax(distance, separation(two, points[i].normal));
    }
    out->apart++;
    out->bad += distance < margin - rounding;
}

static void judge(const two_shapes *two, outcome *out)
{
    tn_contact_point points[TN_MANIFOLD_MAX];
    int n = contact(two, margin, points);
    if (n == 0) {
        judge_apart(two, out);
        return;
    }
    const tn_contact_point *p = points + deepest(n, points);
    double low = separation(two, p->normal), distance = reference_distance(two, low, p->gap);
    double error = p->gap - distance;
    out->contacts++;
    out->worst_low = fmin(out->worst_low, error);
    out->worst_high = fmax(out->worst_high, error);
    out->worst_normal = fmax(out->worst_normal, p->gap - low);
    out->bad += !(fabs(error) <= rounding);
    if (fabs(error) > rounding && out->bad < 6) {
        printf("    gap %.12g reference %.12g along %.12g; hull %ld %ld\n", p->gap, distance, low,
               two->a.hull ? two->a.hull - hulls.hull : -1, two->b.hull ? two->b.hull - hulls.hull : -1);
    }
    assert_true(n <= 8);
}

static int check_pair(tn_shape_kind a, tn_shape_kind b)
{
    outcome out = {0};
    dice d = {.seed = 100 + 10 * (uint64_t)a + (uint64_t)b};
    for (int i = 0; i < FEW; ++i) {
        two_shapes two = {.a = roll_convex(&d, a), .b = roll_convex(&d, b)};
        roll_pose(&d, 0.0, &two.pose_a);
        roll_pose(&d, 0.6, &two.pose_b);
        prepare(&two);
        judge(&two, &out);
    }
    printf("%s-%s: %d in contact, %d apart, %d bad; gap - reference in [%.2e, %.2e] m (limit %.0e); along its own "
           "normal at "
           "most %.2e less\n",
           tn_shape_name(a), tn_shape_name(b), out.contacts, out.apart, out.bad, out.worst_low, out.worst_high,
           rounding, out.worst_normal);
    assert_true(out.contacts > FEW / 20);
    return out.bad;
}

static void gaps_of_all_pairs(void **state)
{
    static const tn_shape_kind kinds[6] = {TN_SHAPE_SPHERE,   TN_SHAPE_BOX,       TN_SHAPE_CAPSULE,
                                           TN_SHAPE_CYLINDER, TN_SHAPE_ELLIPSOID, TN_SHAPE_HULL};
    int bad = 0;
    for (int a = 0; a < 6; ++a) {
        for (int b = a > 3 ? a : 3; b < 6; ++b) {
            bad += check_pair(kinds[a], kinds[b]);
        }
    }
    assert_int_equal(bad, 0);
}

static int set_up(void **state)
{
    hulls_create(&hulls);
    return 0;
}

static int tear_down(void **state)
{
    tn_arena_destroy(hulls.arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_of_all_pairs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
