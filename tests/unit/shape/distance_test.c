// The deepest contact point of every pair of kinds is the signed distance of the shapes, on 50 000 random poses each.
#include "reference.h"
#include "test.h"

#include <stdio.h>

static const double margin = 0.2;
static const double rounding = 1e-9; // of lengths below 2 m, seen through the finest step of the search

typedef struct outcome {
    double worst_low, worst_high; // of the gap below and above the reference [m]
    double worst_share;           // of the error beyond rounding, in the distance
    int contacts, apart, bad;     // poses
    int proved, inexact;          // contacts: within rounding of both bounds; farther than rounding from the reference
} outcome;

// Is the world point x within slack of the convex shape (ball, box, capsule)? By definition, not by a distance.
static bool within(const tn_shape *shape, const tn_pose *pose, const double x[3], double slack)
{
    double d[3];
    tn_vec3_sub(d, x, pose->position);
    tn_quat_rotate_inverse(d, pose->quaternion, d);
    const double *s = shape->size;
    if (shape->kind == TN_SHAPE_BOX) {
        return fabs(d[0]) <= s[0] + slack && fabs(d[1]) <= s[1] + slack && fabs(d[2]) <= s[2] + slack;
    }
    if (shape->kind == TN_SHAPE_CAPSULE) {
        d[2] -= fmin(s[1], fmax(-s[1], d[2]));
    }
    return tn_vec3_norm(d) <= s[0] + slack;
}

// Shapes apart: no direction separates by more than the gap if its two points lie in the shapes.
static bool points_bound(const two_shapes *two, const tn_contact_point *p)
{
    double pa[3], pb[3];
    tn_vec3_madd(pa, p->point, -0.5 * p->gap, p->normal);
    tn_vec3_madd(pb, p->point, 0.5 * p->gap, p->normal);
    return p->gap >= 0.0 && within(&two->a, &two->pose_a, pa, rounding) && within(&two->b, &two->pose_b, pb, rounding);
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

// The gap lies between what the contact's own normal separates and what any direction does. Where the two points
// do not bound it from above (overlap) or the normal not from below (a face that stands in), directions are searched.
static void judge(const two_shapes *two, outcome *out)
{
    tn_contact_point points[TN_MANIFOLD_MAX];
    int n = contact(two, margin, points);
    if (n == 0) {
        judge_apart(two, out);
        return;
    }
    const tn_contact_point *p = points + deepest(n, points);
    double low = separation(two, p->normal);
    bool low_holds = p->gap <= low + rounding;
    out->contacts++;
    if (low_holds && points_bound(two, p)) {
        out->proved++;
        return;
    }
    double distance = fmax(fmax(low, axes_distance(two)), sampled_distance(two, 64, 3, 1e-4));
    if (p->gap > distance + rounding) {
        distance = fmax(distance, sampled_distance(two, 200, 8, 1e-10));
    }
    if (p->gap > distance + rounding) {
        distance = fmax(distance, sampled_distance(two, 3000, 32, 1e-10));
    }
    double error = p->gap - distance;
    out->worst_low = fmin(out->worst_low, error);
    out->worst_high = fmax(out->worst_high, error);
    if (fabs(error) > rounding) {
        out->inexact++;
        out->worst_share = fmax(out->worst_share, fabs(error) / fabs(distance));
    }
    out->bad += fabs(error) > rounding;
}

static void check_pair(tn_shape_kind a, tn_shape_kind b)
{
    outcome out = {0};
    dice d = {.seed = 100 + 10 * (uint64_t)a + (uint64_t)b};
    for (int i = 0; i < POSES; ++i) {
        two_shapes two = {.a = roll_shape(&d, a), .b = roll_shape(&d, b)};
        roll_pose(&d, 0.0, &two.pose_a);
        roll_pose(&d, 0.8, &two.pose_b);
        prepare(&two);
        judge(&two, &out);
    }
    printf("%s-%s: %d in contact (%d proved to rounding), %d apart; others: gap - reference in [%.2e, %.2e] m "
           "(limit %.0e, rounding); beyond it %d, worst %.2g of the distance\n",
           tn_shape_name(a), tn_shape_name(b), out.contacts, out.proved, out.apart, out.worst_low, out.worst_high,
           rounding, out.inexact, out.worst_share);
    assert_true(out.contacts > POSES / 10);
    assert_true(out.apart > POSES / 100);
    assert_int_equal(out.bad, 0);
}

static void spheres(void **state)
{
    check_pair(TN_SHAPE_SPHERE, TN_SHAPE_SPHERE);
}

static void sphere_box(void **state)
{
    check_pair(TN_SHAPE_SPHERE, TN_SHAPE_BOX);
}

static void sphere_capsule(void **state)
{
    check_pair(TN_SHAPE_SPHERE, TN_SHAPE_CAPSULE);
}

static void capsules(void **state)
{
    check_pair(TN_SHAPE_CAPSULE, TN_SHAPE_CAPSULE);
}

static void box_capsule(void **state)
{
    check_pair(TN_SHAPE_BOX, TN_SHAPE_CAPSULE);
}

static void boxes(void **state)
{
    check_pair(TN_SHAPE_BOX, TN_SHAPE_BOX);
}

// Against a half space the lowest point is the support against its normal: no search.
static void planes(void **state)
{
    const tn_shape_kind kinds[3] = {TN_SHAPE_SPHERE, TN_SHAPE_BOX, TN_SHAPE_CAPSULE};
    dice d = {.seed = 5};
    double worst = 0.0;
    for (int i = 0; i < POSES; ++i) {
        two_shapes two = {.a = {.kind = TN_SHAPE_PLANE}, .b = roll_shape(&d, kinds[i % 3])};
        roll_pose(&d, 0.8, &two.pose_a);
        roll_pose(&d, 0.8, &two.pose_b);
        double n[3] = {0.0, 0.0, 1.0};
        tn_quat_rotate(n, two.pose_a.quaternion, n);
        prepare(&two);
        double expected = tn_vec3_dot(n, two.between) - support(&two.b, two.rotation_b, n);
        tn_contact_point points[TN_MANIFOLD_MAX];
        int found = contact(&two, margin, points);
        assert_true((found > 0) == (expected <= margin) || fabs(expected - margin) < rounding);
        if (found > 0) {
            worst = fmax(worst, fabs(points[deepest(found, points)].gap - expected));
        }
    }
    printf("plane against sphere, box, capsule: worst gap error %.2e m (limit %.0e, rounding)\n", worst, rounding);
    assert_true(worst < rounding);
}

// Each point is a ball of its own: the same gaps as so many spheres.
static void points_are_spheres(void **state)
{
    const tn_shape_kind kinds[4] = {TN_SHAPE_PLANE, TN_SHAPE_SPHERE, TN_SHAPE_BOX, TN_SHAPE_CAPSULE};
    dice d = {.seed = 6};
    double worst = 0.0;
    long matched = 0;
    for (int i = 0; i < POSES; ++i) {
        double at[12];
        for (int k = 0; k < 12; ++k) {
            at[k] = roll(&d, -0.5, 0.5);
        }
        double radius = i % 2 ? 0.0 : 0.05;
        two_shapes two = {.a = roll_shape(&d, kinds[i % 4]),
                          .b = {.kind = TN_SHAPE_POINTS, .size = {radius}, .n_points = 4, .points = at}};
        roll_pose(&d, 0.3, &two.pose_a);
        roll_pose(&d, 0.8, &two.pose_b);
        tn_contact_point points[TN_MANIFOLD_MAX];
        int found = contact(&two, margin, points), expected = 0;
        for (int k = 0; k < 4; ++k) {
            tn_shape ball = {.kind = TN_SHAPE_SPHERE, .size = {radius}};
            tn_pose pose = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
            tn_contact_point one[TN_MANIFOLD_MAX];
            tn_quat_rotate(pose.position, two.pose_b.quaternion, at + 3 * k);
            tn_vec3_add(pose.position, pose.position, two.pose_b.position);
            if (tn_shape_contact(&two.a, &two.pose_a, &ball, &pose, margin, one) == 1) {
                assert_true(expected < found);
                assert_int_equal(points[expected].feature, k);
                worst = fmax(worst, fabs(points[expected].gap - one[0].gap));
                expected++;
            }
        }
        assert_int_equal(found, expected);
        matched += found;
    }
    printf("points: %ld contacts, worst gap against a sphere %.2e m (limit %.0e, rounding)\n", matched, worst,
           rounding);
    assert_true(worst < rounding);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres),  cmocka_unit_test(sphere_box),         cmocka_unit_test(sphere_capsule),
        cmocka_unit_test(capsules), cmocka_unit_test(box_capsule),        cmocka_unit_test(boxes),
        cmocka_unit_test(planes),   cmocka_unit_test(points_are_spheres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
