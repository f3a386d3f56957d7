// Configurations people build: exact stacks, parallel edges, coincident centres, deep overlap, poses that are not
// numbers. The expected figures follow from the sizes by hand.
#include "reference.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const tn_pose origin = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
static const tn_shape plane = {.kind = TN_SHAPE_PLANE};
static const tn_shape cube = {.kind = TN_SHAPE_BOX, .size = {0.5, 0.5, 0.5}};
static const tn_shape ball = {.kind = TN_SHAPE_SPHERE, .size = {0.5}};
static const tn_shape pill = {.kind = TN_SHAPE_CAPSULE, .size = {0.1, 0.4}};

static tn_pose at(double x, double y, double z)
{
    return (tn_pose){{x, y, z}, {1.0, 0.0, 0.0, 0.0}};
}

// Turned by angle about an axis.
static tn_pose turned(tn_pose pose, double x, double y, double z, double angle)
{
    double axis[3] = {x, y, z};
    tn_quat_from_axis_angle(pose.quaternion, axis, angle);
    return pose;
}

static int touch(const tn_shape *a, tn_pose pose_a, const tn_shape *b, tn_pose pose_b,
                 tn_contact_point points[TN_MANIFOLD_MAX])
{
    return tn_shape_contact(a, &pose_a, b, &pose_b, 0.01, points);
}

static void assert_normal(const tn_contact_point *p, double x, double y, double z)
{
    assert_true(p->normal[0] == x && p->normal[1] == y && p->normal[2] == z);
}

static void stacked_balls_have_the_exact_axis(void **state)
{
    tn_contact_point p[TN_MANIFOLD_MAX];
    for (int i = 1; i < 20; ++i) {
        tn_pose low = turned(at(0.1, 0.3, 0.7 * i), 1.0, 2.0, 3.0, i),
                high = turned(at(0.1, 0.3, 0.7 * i + 0.9999), 3.0, 1.0, 0.0, i);
        assert_int_equal(touch(&ball, low, &ball, high, p), 1);
        assert_normal(p, 0.0, 0.0, 1.0);
        assert_true(p->point[0] == 0.1 && p->point[1] == 0.3);
        assert_int_equal(touch(&plane, origin, &ball, turned(at(0.1, 0.3, 0.499), 1.0, 2.0, 3.0, i), p), 1);
        assert_normal(p, 0.0, 0.0, 1.0);
    }
}

static void stacked_cubes_touch_at_four_corners(void **state)
{
    tn_contact_point p[TN_MANIFOLD_MAX];
    for (int i = 0; i < 2; ++i) {
        double gap = i ? 0.001 : -0.001;
        assert_int_equal(touch(&cube, origin, &cube, at(0.0, 0.0, 1.0 + gap), p), 4);
        for (int k = 0; k < 4; ++k) {
            assert_normal(p + k, 0.0, 0.0, 1.0);
            assert_true(fabs(p[k].point[0]) == 0.5 && fabs(p[k].point[1]) == 0.5);
            assert_true(fabs(p[k].gap - gap) < 1e-15 && fabs(p[k].point[2] - 0.5 - 0.5 * gap) < 1e-15);
            assert_int_equal(p[k].feature, k); // vertices 0..3 of the upper cube
        }
    }
}

// A cube turned by 45 degrees on another: an octagon, sqrt(2)/2 - 1/2 from the corners along each side.
static void turned_cube_touches_in_an_octagon(void **state)
{
    tn_contact_point p[TN_MANIFOLD_MAX];
    assert_int_equal(touch(&cube, origin, &cube, turned(at(0.0, 0.0, 0.999), 0.0, 0.0, 1.0, M_PI / 4.0), p), 8);
    for (int k = 0; k < 8; ++k) {
        double x = fabs(p[k].point[0]), y = fabs(p[k].point[1]);
        assert_true(fabs(fmax(x, y) - 0.5) < 1e-12);
        assert_true(fabs(fmin(x, y) - (sqrt(0.5) - 0.5)) < 1e-12);
        assert_true(fabs(p[k].gap + 0.001) < 1e-12);
    }
}

// Half over the edge, corner to corner, edge to edge: the closest features whatever the order of tests.
static void cubes_apart_use_the_closest_features(void **state)
{
    tn_contact_point p[TN_MANIFOLD_MAX];
    double e = 0.002, third = 1.0 / sqrt(3.0);
    assert_int_equal(touch(&cube, origin, &cube, at(0.8, 0.0, 1.0 + e), p), 4);
    for (int k = 0; k < 4; ++k) {
        assert_normal(p + k, 0.0, 0.0, 1.0);
        assert_true(p[k].point[0] > 0.3 - 1e-12 && p[k].point[0] < 0.5 + 1e-12);
    }
    int n = touch(&cube, origin, &cube, at(1.0 + e, 1.0 + e, 1.0 + e), p);
    assert_int_equal(n, 1);
    assert_true(fabs(p->gap - sqrt(3.0) * e) < 1e-14);
    assert_true(fabs(p->normal[0] - third) < 1e-12 && fabs(p->normal[2] - third) < 1e-12);
    // crossed edges: the lower cube's top edge along y, the upper's bottom edge along x
    tn_pose low = turned(origin, 0.0, 1.0, 0.0, M_PI / 4.0);
    tn_pose high = turned(at(0.0, 0.0, sqrt(2.0) + e), 1.0, 0.0, 0.0, M_PI / 4.0);
    assert_int_equal(touch(&cube, low, &cube, high, p), 1);
    assert_true(fabs(p->gap - e) < 1e-12 && fabs(p->normal[2] - 1.0) < 1e-12);
    assert_true(fabs(p->point[0]) < 1e-12 && fabs(p->point[1]) < 1e-12);
    high.position[2] = sqrt(2.0) - e;
    assert_int_equal(touch(&cube, low, &cube, high, p), 1);
    assert_true(fabs(p->gap + e) < 1e-12 && fabs(p->normal[2] - 1.0) < 1e-12);
}

static void box_on_plane_lists_its_vertices(void **state)
{
    tn_contact_point p[TN_MANIFOLD_MAX];
    const tn_shape tile = {.kind = TN_SHAPE_BOX, .size = {0.5, 0.5, 0.001}};
    assert_int_equal(touch(&plane, origin, &cube, at(0.0, 0.0, 0.5), p), 4);
    assert_int_equal(touch(&plane, origin, &tile, at(0.0, 0.0, 0.0), p), 8);
    assert_int_equal(touch(&plane, origin, &cube, at(0.0, 0.0, -3.0), p), 8); // deep below: all still report
    assert_int_equal(touch(&plane, origin, &cube, at(0.0, 0.0, 0.511), p), 0);
    assert_int_equal(touch(&plane, origin, &plane, at(0.0, 0.0, -1.0), p), 0);
}

static void capsules_lie_on_two_points(void **state)
{
    tn_contact_point p[TN_MANIFOLD_MAX];
    tn_pose lying = turned(at(0.0, 0.0, 0.0999), 0.0, 1.0, 0.0, M_PI / 2.0);
    assert_int_equal(touch(&plane, origin, &pill, lying, p), 2);
    assert_true(fabs(fabs(p[0].point[0]) - 0.4) < 1e-12);
    lying.position[2] += 0.5;
    assert_int_equal(touch(&cube, origin, &pill, lying, p), 2);
    assert_true(fabs(fabs(p[0].point[0]) - 0.4) < 1e-12 && fabs(p[0].gap + 0.0001) < 1e-12);
    lying.position[0] = 0.3; // over the edge: the second point is at the edge
    assert_int_equal(touch(&cube, origin, &pill, lying, p), 2);
    assert_true(fabs(fmax(p[0].point[0], p[1].point[0]) - 0.5) < 1e-12);
    assert_true(fabs(fmin(p[0].point[0], p[1].point[0]) + 0.1) < 1e-12);
    // side by side, shifted by 0.3: the overlap's ends
    assert_int_equal(touch(&pill, origin, &pill, at(0.2, 0.0, 0.3), p), 2);
    assert_true(fabs(p[0].point[2] + p[1].point[2] - 0.3) < 1e-12 &&
                fabs(fabs(p[0].point[2] - p[1].point[2]) - 0.5) < 1e-12);
    assert_normal(p, 1.0, 0.0, 0.0);
    assert_int_equal(touch(&pill, origin, &pill, at(0.2, 0.0, 0.0), p), 2); // no point twice
    assert_int_equal(touch(&pill, origin, &pill, turned(at(0.2, 0.0, 0.0), 1.0, 0.0, 0.0, 0.5), p), 1);
    assert_int_equal(touch(&pill, origin, &pill, at(0.0, 0.0, 1.005), p), 1); // in line, end to end
    assert_normal(p, 0.0, 0.0, 1.0);
    // a capsule without length is a ball
    const tn_shape pearl = {.kind = TN_SHAPE_CAPSULE, .size = {0.5, 0.0}};
    assert_int_equal(touch(&pearl, origin, &pearl, at(0.0, 0.0, 0.999), p), 1);
    assert_normal(p, 0.0, 0.0, 1.0);
    assert_int_equal(touch(&cube, origin, &pearl, at(0.0, 0.0, 0.999), p), 1);
    assert_normal(p, 0.0, 0.0, 1.0);
    assert_int_equal(touch(&plane, origin, &pearl, at(0.0, 0.0, 0.499), p), 1);
}

// Where no direction is better the code takes some unit normal, and the depth is still the least one.
static void coincident_shapes_report_a_finite_contact(void **state)
{
    const struct {
        const tn_shape *a, *b;
        double depth;
    } cases[] = {{&ball, &ball, 1.0}, {&cube, &ball, 1.0}, {&pill, &ball, 0.6},
                 {&cube, &cube, 1.0}, {&cube, &pill, 0.6}, {&pill, &pill, 0.2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        tn_contact_point p[TN_MANIFOLD_MAX];
        int n = touch(cases[i].a, origin, cases[i].b, origin, p);
        assert_true(n >= 1);
        printf("%s in %s: gap %.17g (by hand %g)\n", tn_shape_name(cases[i].b->kind), tn_shape_name(cases[i].a->kind),
               p[deepest(n, p)].gap, -cases[i].depth);
        assert_true(fabs(p[deepest(n, p)].gap + cases[i].depth) < 1e-12);
        for (int k = 0; k < n; ++k) {
            assert_true(fabs(tn_vec3_norm(p[k].normal) - 1.0) < 1e-12);
            assert_true(isfinite(p[k].point[0] + p[k].point[1] + p[k].point[2]));
        }
    }
    tn_contact_point p[TN_MANIFOLD_MAX]; // axes that cross: apart across both, towards b's centre
    int n = touch(&pill, origin, &pill, turned(at(0.0, 0.05, 0.0), 1.0, 0.0, 0.0, M_PI / 2.0), p);
    assert_int_equal(n, 1);
    assert_true(fabs(p->gap + 0.2) < 1e-12 && fabs(fabs(p->normal[0]) - 1.0) < 1e-12);
    n = touch(&cube, origin, &pill, at(0.4, 0.0, 0.0), p); // the axis runs inside the cube
    assert_true(n >= 1 && fabs(p[0].gap + 0.2) < 1e-12 && p[0].normal[0] == 1.0);
}

static void poses_that_are_not_numbers_touch_nothing(void **state)
{
    const double point[3] = {0.0, 0.0, 0.0};
    const tn_shape dots = {.kind = TN_SHAPE_POINTS, .n_points = 1, .points = point};
    const tn_shape *shapes[5] = {&plane, &ball, &cube, &pill, &dots};
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int a = 0; a < 5; ++a) {
        for (int b = 0; b < 5; ++b) {
            for (int k = 0; k < 21; ++k) {
                tn_contact_point p[TN_MANIFOLD_MAX];
                tn_pose pose = origin;
                *(k % 7 < 3 ? &pose.position[k % 7] : &pose.quaternion[k % 7 - 3]) = bad[k / 7];
                assert_int_equal(touch(shapes[a], pose, shapes[b], origin, p), 0);
                assert_int_equal(touch(shapes[a], origin, shapes[b], pose, p), 0);
            }
        }
    }
}

static void points_keep_the_deepest(void **state)
{
    enum { MANY = TN_MANIFOLD_MAX + 4 };
    double many[3 * MANY];
    for (int i = 0; i < MANY; ++i) { // 5 is prime to 36: depths 0 to 35 in mixed order
        tn_vec3_set(many + 3 * i, i, 0.0, -0.001 * ((i * 5) % MANY));
    }
    const tn_shape dots = {.kind = TN_SHAPE_POINTS, .n_points = MANY, .points = many};
    tn_contact_point p[TN_MANIFOLD_MAX];
    assert_int_equal(touch(&plane, origin, &dots, origin, p), TN_MANIFOLD_MAX);
    for (int k = 0; k < TN_MANIFOLD_MAX; ++k) {
        assert_true(p[k].gap < -0.0035);
        assert_true(k == 0 || p[k].feature > p[k - 1].feature);
        assert_true(p[k].point[0] == p[k].feature);
    }
    assert_int_equal(touch(&dots, origin, &dots, origin, p), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacked_balls_have_the_exact_axis),
        cmocka_unit_test(stacked_cubes_touch_at_four_corners),
        cmocka_unit_test(turned_cube_touches_in_an_octagon),
        cmocka_unit_test(cubes_apart_use_the_closest_features),
        cmocka_unit_test(box_on_plane_lists_its_vertices),
        cmocka_unit_test(capsules_lie_on_two_points),
        cmocka_unit_test(coincident_shapes_report_a_finite_contact),
        cmocka_unit_test(poses_that_are_not_numbers_touch_nothing),
        cmocka_unit_test(points_keep_the_deepest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
