// Planar shapes: areas against integration over a grid, contacts against the largest separation over sampled directions
// (reference.h says why), points against the shapes' own distance.
#include "flats.h"

#include "shape/class.h"
#include "test.h"

#include <stdio.h>

static void check_pair(dice *d, tn_shape_kind kind_a, tn_shape_kind kind_b, double worst[4], int counts[3])
{
    flat_shape a, b;
    tn_pose pa, pb;
    const double margin = 0.3;
    tn_contact_point points[TN_MANIFOLD_MAX];
    roll_flat(d, kind_a, &a);
    roll_flat(d, kind_b, &b);
    roll_flat_pose(d, 0.5, &pa);
    roll_flat_pose(d, 0.9, &pb);
    double expected = signed_distance(&a.shape, &pa, &b.shape, &pb), least = INFINITY;
    int n = tn_shape_contact(&a.shape, &pa, &b.shape, &pb, margin, points), most = 2, deepest = 0;
    bool both = kind_a == TN_SHAPE_POLYGON && kind_b == TN_SHAPE_POLYGON;
    assert_true(n <= (both ? most : 1));
    counts[n]++;
    if (fabs(expected - margin) > 1e-9) {
        assert_true((n > 0) == (expected < margin));
    }
    for (int i = 0; i < n; ++i) {
        const double *normal = points[i].normal;
        assert_true(normal[1] == 0.0 && points[i].point[1] == 0.3); // exactly
        worst[1] = fmax(worst[1], fabs(tn_vec3_norm(normal) - 1.0));
        deepest = points[i].gap < points[deepest].gap ? i : deepest;
        // Midway between the surfaces; where they are apart both are as far away, of the deepest point.
        double unused[3], near[3];
        if (expected > 1e-6 && points[i].gap <= expected + 1e-9) {
            double of_a = tn_shape_distance(&a.shape, &pa, points[i].point, unused, near);
            double of_b = tn_shape_distance(&b.shape, &pb, points[i].point, unused, near);
            worst[3] = fmax(worst[3], fmax(fabs(of_a - 0.5 * expected), fabs(of_b - 0.5 * expected)));
        }
    }
    if (n > 0) {
        const double *normal = points[deepest].normal;
        least = points[deepest].gap;
        double along = apart_along(&a.shape, &pa, &b.shape, &pb, atan2(normal[2], normal[0]));
        worst[2] = fmax(worst[2], fabs(along - least));
        // Both are separations along some normal, which none exceeds: the samples may miss the largest one by a little.
        worst[0] = fmax(worst[0], expected - least);
    }
}

static void contacts_are_the_signed_distance(void **state)
{
    static const tn_shape_kind kinds[3] = {TN_SHAPE_DISK, TN_SHAPE_ELLIPSE, TN_SHAPE_POLYGON};
    dice d = {.seed = 11};
    for (int pair = 0; pair < 9; ++pair) {
        double worst[4] = {0};
        int counts[3] = {0};
        for (int k = 0; k < POSES / 20; ++k) {
            check_pair(&d, kinds[pair / 3], kinds[pair % 3], worst, counts);
        }
        printf("%s-%s: gap too small by %.1e (limit 1e-9, the samples), |n| by %.1e, separation along n by %.1e, "
               "midpoint by "
               "%.1e; %d, %d, %d times 0, 1, 2 points\n",
               tn_shape_name(kinds[pair / 3]), tn_shape_name(kinds[pair % 3]), worst[0], worst[1], worst[2], worst[3],
               counts[0], counts[1], counts[2]);
        assert_true(worst[0] < 1e-9 && worst[1] < 1e-14 && worst[2] < 1e-9 && worst[3] < 1e-9);
        assert_true(counts[0] > 0 && counts[1] > 0);
    }
}

// The order of the arguments only turns the normal.
static void pairs_are_symmetric(void **state)
{
    static const tn_shape_kind kinds[3] = {TN_SHAPE_DISK, TN_SHAPE_ELLIPSE, TN_SHAPE_POLYGON};
    dice d = {.seed = 5};
    double worst = 0.0;
    for (int k = 0; k < 3000; ++k) {
        flat_shape a, b;
        tn_pose pa, pb;
        tn_contact_point one[TN_MANIFOLD_MAX], two[TN_MANIFOLD_MAX];
        roll_flat(&d, kinds[k % 3], &a);
        roll_flat(&d, kinds[k / 3 % 3], &b);
        roll_flat_pose(&d, 0.4, &pa);
        roll_flat_pose(&d, 0.4, &pb);
        int n = tn_shape_contact(&a.shape, &pa, &b.shape, &pb, 0.1, one);
        assert_int_equal(tn_shape_contact(&b.shape, &pb, &a.shape, &pa, 0.1, two), n);
        double deepest_one = INFINITY, deepest_two = INFINITY;
        for (int i = 0; i < n; ++i) {
            deepest_one = fmin(deepest_one, one[i].gap);
            deepest_two = fmin(deepest_two, two[i].gap);
        }
        worst = n > 0 ? fmax(worst, fabs(deepest_one - deepest_two)) : worst;
    }
    printf("deepest gap differs by %.1e (limit 1e-12)\n", worst);
    assert_true(worst < 1e-12);
}

// A box on a box, edge on edge: two points at the ends of what both share, whichever way they are turned.
static void edges_give_two_points(void **state)
{
    const double corners[12] = {-0.5, 0, -0.25, 0.5, 0, -0.25, 0.5, 0, 0.25, -0.5, 0, 0.25};
    const tn_shape box = {.kind = TN_SHAPE_POLYGON, .n_points = 4, .points = corners};
    tn_contact_point p[TN_MANIFOLD_MAX];
    for (int k = 0; k < 4; ++k) {
        double shift = k % 2 ? 0.3 : 0.0, gap = k < 2 ? 1e-3 : -1e-3;
        tn_pose low = {{0, 0, 0}, {1, 0, 0, 0}}, high = {{shift, 0, 0.5 + gap}, {1, 0, 0, 0}};
        assert_int_equal(tn_shape_contact(&box, &low, &box, &high, 0.01, p), 2);
        double left = fmin(p[0].point[0], p[1].point[0]), right = fmax(p[0].point[0], p[1].point[0]);
        assert_true(fabs(left - (shift - 0.5)) < 1e-15 && fabs(right - 0.5) < 1e-15);
        for (int i = 0; i < 2; ++i) {
            assert_true(p[i].normal[2] == 1.0 && fabs(p[i].gap - gap) < 1e-15 &&
                        fabs(p[i].point[2] - (0.25 + 0.5 * gap)) < 1e-15);
        }
        assert_true(p[0].feature != p[1].feature);
    }
}

// Half space at right angles to the plane; a tilted one and a shape in another plane never touch.
static void planes(void **state)
{
    flat_shape polygon;
    dice d = {.seed = 2};
    const tn_shape ground = {.kind = TN_SHAPE_PLANE};
    tn_contact_point p[TN_MANIFOLD_MAX];
    double worst = 0.0;
    static const tn_shape_kind kinds[3] = {TN_SHAPE_DISK, TN_SHAPE_ELLIPSE, TN_SHAPE_POLYGON};
    for (int k = 0; k < 3000; ++k) {
        tn_pose flat = {{0, 0, 0}, {1, 0, 0, 0}}, pose;
        const double down[3] = {0.0, 0.0, -1.0};
        roll_flat(&d, kinds[k % 3], &polygon);
        roll_flat_pose(&d, 0.5, &pose);
        double expected = pose.position[2] - reach(&polygon.shape, &pose, down), least = INFINITY;
        int n = tn_shape_contact(&ground, &flat, &polygon.shape, &pose, 10.0, p);
        assert_int_equal(n, k % 3 == 2 ? 2 : 1);
        for (int i = 0; i < n; ++i) {
            least = fmin(least, p[i].gap);
            assert_true(p[i].normal[2] == 1.0 && fabs(p[i].point[2] - 0.5 * p[i].gap) < 1e-15);
        }
        worst = fmax(worst, fabs(least - expected));
    }
    printf("lowest points off by %.1e (limit 1e-15)\n", worst);
    assert_true(worst < 1e-15);
    const tn_shape disk = {.kind = TN_SHAPE_DISK, .size = {1.0}};
    tn_pose tilted = {{0, 0, 0}, {1, 0, 0, 0}}, beside = {{0, 0.1, 0}, {1, 0, 0, 0}}, here = {{0, 0, 0}, {1, 0, 0, 0}};
    tn_quat_from_axis_angle(tilted.quaternion, (double[3]){1, 0, 0}, 0.1);
    assert_int_equal(tn_shape_contact(&ground, &tilted, &disk, &here, 1.0, p), 0);
    assert_int_equal(tn_shape_contact(&disk, &tilted, &polygon.shape, &here, 1.0, p), 0);
    assert_int_equal(tn_shape_contact(&disk, &beside, &disk, &here, 1.0, p), 0);
}

// Area, centroid and moment of rounded polygons against a grid; disk and ellipse by their formulas.
static void areas(void **state)
{
    enum { N = 600 };
    dice d = {.seed = 3};
    double worst[2] = {0};
    for (int k = 0; k < 12; ++k) {
        flat_shape s;
        roll_polygon(&d, &s, k % 3 == 0 ? 0.0 : 0.2);
        if (s.shape.n_points == 2 && k % 3 == 0) {
            continue;
        }
        tn_placed placed;
        tn_pose origin = {.quaternion = {1, 0, 0, 0}};
        double sums[4] = {0}, cell = 3.0 / N, mass, inertia[9];
        assert_true(tn_placed_set(&placed, &s.shape, &origin));
        for (int i = 0; i < N * N; ++i) {
            double x[3] = {-1.5 + (i % N + 0.5) * cell, 7.0, -1.5 + (i / N + 0.5) * cell}, n[3];
            double depth = -tn_placed_distance(&placed, x, n);
            double share = fmin(1.0, fmax(0.0, 0.5 + depth / (cell * (fabs(n[0]) + fabs(n[2]))))) * cell * cell;
            sums[0] += share;
            sums[1] += share * x[0];
            sums[2] += share * x[2];
            sums[3] += share * (x[0] * x[0] + x[2] * x[2]);
        }
        tn_shape_inertia(&s.shape, 2.0, &mass, inertia);
        assert_true(fabs(mass - 2.0 * tn_shape_volume(&s.shape)) < 1e-15);
        worst[0] = fmax(worst[0], fmax(fabs(sums[0] / (0.5 * mass) - 1.0), fabs(sums[3] / (0.5 * inertia[4]) - 1.0)));
        worst[1] = fmax(worst[1], fmax(fabs(sums[1]), fabs(sums[2])) / sums[0]);
    }
    printf("area and moment off by %.1e, centroid by %.1e m (limit 1e-3, the grid)\n", worst[0], worst[1]);
    assert_true(worst[0] < 1e-3 && worst[1] < 1e-3);
    double mass, inertia[9];
    tn_shape_inertia(&(tn_shape){.kind = TN_SHAPE_ELLIPSE, .size = {2.0, 4.0}}, 1.0, &mass, inertia);
    assert_true(fabs(mass - 8.0 * M_PI) < 1e-13 && fabs(inertia[4] - mass * 5.0) < 1e-12);
}

// Points on a line, doubled points and too many.
static void hulls(void **state)
{
    double out[256], round[200];
    const double square[16] = {0, 0, 1, 0, 1, 1, 0, 1, 0.5, 0, 0.5, 0.5, 0, 0, 1, 0.25};
    assert_int_equal(tn_polygon_hull(8, square, out), 4);
    assert_true(fabs(tn_polygon_area(4, out, 0.0).area - 1.0) < 1e-15);
    assert_int_equal(tn_polygon_hull(3, (double[]){0, 0, 1, 1, 2, 2}, out), 2);
    assert_int_equal(tn_polygon_hull(3, (double[]){1, 1, 1, 1, 1, 1}, out), 1);
    for (int i = 0; i < 100; ++i) {
        round[2 * i] = cos(2.0 * M_PI * i / 100);
        round[2 * i + 1] = sin(2.0 * M_PI * i / 100);
    }
    assert_int_equal(tn_polygon_hull(100, round, out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_the_signed_distance),
        cmocka_unit_test(pairs_are_symmetric),
        cmocka_unit_test(edges_give_two_points),
        cmocka_unit_test(planes),
        cmocka_unit_test(areas),
        cmocka_unit_test(hulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
