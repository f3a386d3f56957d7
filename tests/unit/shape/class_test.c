// Volume, mass and inertia against integration over a grid of the shape's own signed distance; bounds against supports.
#include "reference.h"

#include "shape/class.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const tn_shape solids[] = {
    {.kind = TN_SHAPE_SPHERE, .size = {0.7}},
    {.kind = TN_SHAPE_BOX, .size = {0.3, 0.5, 0.8}},
    {.kind = TN_SHAPE_CAPSULE, .size = {0.3, 0.5}},
    {.kind = TN_SHAPE_CAPSULE, .size = {0.4, 0.0}},
};
enum { SOLIDS = sizeof solids / sizeof solids[0] };

typedef struct moments {
    double volume, inertia[9];
} moments;

// Midpoint rule on n^3 cells; a cell on the surface counts by how deep its middle lies, in cells.
static moments integrate(const tn_shape *shape, int n)
{
    moments m = {0};
    tn_pose origin = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
    double low[3], high[3], cell[3];
    tn_shape_bounds(shape, &origin, 0.05, low, high);
    tn_placed placed;
    assert_true(tn_placed_set(&placed, shape, &origin));
    for (int i = 0; i < 3; ++i) {
        cell[i] = (high[i] - low[i]) / n;
    }
    for (int i = 0; i < n * n * n; ++i) {
        double x[3] = {low[0] + (i % n + 0.5) * cell[0], low[1] + (i / n % n + 0.5) * cell[1],
                       low[2] + (i / n / n + 0.5) * cell[2]};
        double normal[3];
        double depth = -tn_shape_class_of(shape->kind)->distance(&placed, x, normal);
        double width = fabs(normal[0]) * cell[0] + fabs(normal[1]) * cell[1] + fabs(normal[2]) * cell[2];
        double share = fmin(1.0, fmax(0.0, 0.5 + depth / width)) * cell[0] * cell[1] * cell[2];
        double square = tn_vec3_dot(x, x);
        m.volume += share;
        for (int k = 0; k < 9; ++k) {
            m.inertia[k] += share * ((k % 4 == 0 ? square : 0.0) - x[k / 3] * x[k % 3]);
        }
    }
    return m;
}

static void volume_and_inertia(void **state)
{
    const double density = 1200.0, limit = 2e-3; // of the 80^3 grid: second order in a cell of 0.02 m
    for (int s = 0; s < SOLIDS; ++s) {
        double mass, inertia[9], worst = 0.0;
        moments m = integrate(&solids[s], 80);
        tn_shape_inertia(&solids[s], density, &mass, inertia);
        double volume_error = fabs(tn_shape_volume(&solids[s]) / m.volume - 1.0);
        assert_true(fabs(mass - density * tn_shape_volume(&solids[s])) < 1e-9 * mass);
        for (int k = 0; k < 9; ++k) {
            worst = fmax(worst, fabs(inertia[k] - density * m.inertia[k]) / inertia[0]);
        }
        printf("%s: volume off by %.1e, inertia by %.1e of its first entry (limit %.0e, the grid)\n",
               tn_shape_name(solids[s].kind), volume_error, worst, limit);
        assert_true(volume_error < limit && worst < limit);
    }
}

static void bounds_are_supports(void **state)
{
    dice d = {.seed = 3};
    double worst = 0.0;
    for (int i = 0; i < 10000; ++i) {
        const tn_shape *shape = &solids[i % SOLIDS];
        tn_pose pose;
        double low[3], high[3], r[9];
        roll_pose(&d, 2.0, &pose);
        tn_quat_to_mat3(r, pose.quaternion);
        tn_shape_bounds(shape, &pose, 0.25, low, high);
        for (int k = 0; k < 3; ++k) {
            double e[3] = {k == 0, k == 1, k == 2};
            double reach = support(shape, r, e) + 0.25;
            worst = fmax(worst, fabs(high[k] - pose.position[k] - reach));
            worst = fmax(worst, fabs(pose.position[k] - low[k] - reach));
        }
    }
    printf("bounds off their supports by %.1e m (limit 1e-14, rounding)\n", worst);
    assert_true(worst < 1e-14);
}

static void plane_and_points(void **state)
{
    const double at[6] = {1.0, 0.0, 0.0, 0.0, -2.0, 0.5};
    const tn_shape plane = {.kind = TN_SHAPE_PLANE};
    const tn_shape dots = {.kind = TN_SHAPE_POINTS, .size = {0.1}, .n_points = 2, .points = at};
    const tn_pose pose = {{5.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}, lost = {{NAN, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    double low[3], high[3], mass = 1.0, inertia[9];
    tn_shape_bounds(&plane, &pose, 0.0, low, high);
    assert_true(low[0] == -INFINITY && high[2] == INFINITY);
    tn_shape_bounds(&dots, &pose, 0.0, low, high);
    assert_true(fabs(low[0] - 4.9) < 1e-15 && fabs(high[0] - 6.1) < 1e-15 && fabs(low[1] + 2.1) < 1e-15);
    tn_shape_bounds(&dots, &lost, 0.0, low, high);
    assert_true(isnan(low[0]) && isnan(high[2]));
    assert_true(tn_shape_volume(&plane) == 0.0 && tn_shape_volume(&dots) == 0.0);
    tn_shape_inertia(&dots, 1000.0, &mass, inertia);
    assert_true(mass == 0.0 && inertia[0] == 0.0);
    tn_shape_inertia(&plane, 1000.0, &mass, inertia);
    assert_true(mass == 0.0 && inertia[8] == 0.0);
    assert_true(fabs(tn_shape_spin_radius(&dots) - sqrt(4.25)) < 1e-15 && tn_shape_spin_radius(&plane) == 0.0);
    assert_true(tn_shape_spin_radius(&solids[0]) == 0.0 && tn_shape_spin_radius(&solids[2]) == 0.5);
    assert_true(fabs(tn_shape_spin_radius(&solids[1]) - sqrt(0.98)) < 1e-15);
}

static void names(void **state)
{
    const char *expected[TN_SHAPE_COUNT] = {"plane",    "sphere",    "box",  "capsule", "points",
                                            "cylinder", "ellipsoid", "hull", "mesh",    "heights"};
    for (int k = 0; k < TN_SHAPE_COUNT; ++k) {
        assert_string_equal(tn_shape_name((tn_shape_kind)k), expected[k] ? expected[k] : "unknown");
    }
    assert_string_equal(tn_shape_name(TN_SHAPE_COUNT), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volume_and_inertia),
        cmocka_unit_test(bounds_are_supports),
        cmocka_unit_test(plane_and_points),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
