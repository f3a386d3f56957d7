// Implicit rotation: exact momentum, energy exact (midpoint) or never growing (euler), order of convergence.
#include "body/gyro.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// Brick 0.4 x 0.2 x 0.1 m, 8 kg, spun about its middle axis: the unstable one.
static const double BRICK[3] = {8.0 / 12.0 * 0.05, 8.0 / 12.0 * 0.17, 8.0 / 12.0 * 0.2};

typedef struct spin {
    double q[4], w[3];
} spin;

static void advance(spin *s, const double inertia[3], double h, double theta)
{
    const double none[3] = {0.0, 0.0, 0.0};
    double hat[3], turn[4], vector[3];
    tn_gyro_solve(inertia, s->w, none, h, theta, hat);
    tn_vec3_scale(vector, h, hat);
    tn_quat_exp(turn, vector);
    tn_quat_mul(s->q, s->q, turn);
    tn_quat_normalize(s->q);
    for (int i = 0; i < 3; i++) {
        s->w[i] += (hat[i] - s->w[i]) / theta;
    }
}

static double energy(const spin *s, const double inertia[3])
{
    return 0.5 * (inertia[0] * s->w[0] * s->w[0] + inertia[1] * s->w[1] * s->w[1] + inertia[2] * s->w[2] * s->w[2]);
}

static void momentum(const spin *s, const double inertia[3], double out[3])
{
    double own[3] = {inertia[0] * s->w[0], inertia[1] * s->w[1], inertia[2] * s->w[2]};
    tn_quat_rotate(out, s->q, own);
}

static spin start(double speed)
{
    return (spin){.q = {1.0, 0.0, 0.0, 0.0}, .w = {0.02 * speed, speed, 0.01 * speed}};
}

// 10 s at 10 ms; returns the worst relative change of momentum, *gain and *loss the extremes of energy / start - 1.
static double run_brick(double theta, double speed, double *gain, double *loss)
{
    spin s = start(speed);
    double before[3], worst = 0.0, e0 = energy(&s, BRICK);
    momentum(&s, BRICK, before);
    *gain = *loss = 0.0;
    for (int k = 0; k < 1000; k++) {
        advance(&s, BRICK, 0.01, theta);
        double now[3], change = energy(&s, BRICK) / e0 - 1.0;
        momentum(&s, BRICK, now);
        tn_vec3_sub(now, now, before);
        worst = fmax(worst, tn_vec3_norm(now) / tn_vec3_norm(before));
        *gain = fmax(*gain, change);
        *loss = fmin(*loss, change);
    }
    return worst;
}

// Limits: rounding of 1000 steps, 1000 * 2^-52 * a few.
static void test_midpoint_keeps_energy_and_momentum(void **unused)
{
    (void)unused;
    const double speeds[] = {1.0, 10.0, 40.0};
    for (int i = 0; i < 3; i++) {
        double gain, loss, drift = run_brick(0.5, speeds[i], &gain, &loss);
        printf("midpoint %4.0f rad/s: momentum %.2e, energy gain %.2e, loss %.2e (limit 1e-11)\n", speeds[i], drift,
               gain, loss);
        assert_true(drift < 1e-11);
        assert_true(gain < 1e-11 && loss > -1e-11);
    }
}

static void test_euler_keeps_momentum_and_never_gains(void **unused)
{
    (void)unused;
    const double speeds[] = {1.0, 10.0, 40.0};
    for (int i = 0; i < 3; i++) {
        double gain, loss, drift = run_brick(1.0, speeds[i], &gain, &loss);
        printf("euler %4.0f rad/s: momentum %.2e, energy gain %.2e (limit 1e-11), loss %.3f\n", speeds[i], drift, gain,
               loss);
        assert_true(drift < 1e-11);
        assert_true(gain < 1e-11);
        // Energy at fixed momentum is bounded below by spinning about the largest moment.
        assert_true(loss > -1.0);
    }
}

static void end_velocity(double theta, double h, double out[3])
{
    spin s = start(4.0);
    int steps = (int)(1.0 / h + 0.5);
    for (int k = 0; k < steps; k++) {
        advance(&s, BRICK, h, theta);
    }
    tn_quat_rotate(out, s.q, s.w);
}

// Ratio of successive differences at h, h/2, h/4 tends to 2^order.
static double order(double theta)
{
    double a[3], b[3], c[3];
    end_velocity(theta, 4e-3, a);
    end_velocity(theta, 2e-3, b);
    end_velocity(theta, 1e-3, c);
    tn_vec3_sub(a, a, b);
    tn_vec3_sub(b, b, c);
    return log2(tn_vec3_norm(a) / tn_vec3_norm(b));
}

static void test_order_of_convergence(void **unused)
{
    (void)unused;
    double euler = order(1.0), midpoint = order(0.5);
    printf("order: euler %.3f (1 +- 0.15), midpoint %.3f (2 +- 0.15)\n", euler, midpoint);
    assert_true(fabs(euler - 1.0) < 0.15);
    assert_true(fabs(midpoint - 2.0) < 0.15);
}

static void test_sphere_turns_freely(void **unused)
{
    (void)unused;
    const double inertia[3] = {0.4, 0.4, 0.4}, w[3] = {1.0, -2.0, 3.0}, impulse[3] = {0.1, 0.2, -0.1};
    double hat[3];
    tn_gyro_solve(inertia, w, impulse, 0.01, 1.0, hat);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(hat[i] - (w[i] + impulse[i] / 0.4)) < 1e-14);
    }
}

// So fast that Newton has no way: still finite, and no energy from nothing.
static void test_absurd_speed_stays_finite(void **unused)
{
    (void)unused;
    const double w[3] = {1e5, 2e5, -1e5}, none[3] = {0.0, 0.0, 0.0};
    double hat[3];
    int n = tn_gyro_solve(BRICK, w, none, 0.01, 1.0, hat);
    double before = 0.0, after = 0.0;
    for (int i = 0; i < 3; i++) {
        before += BRICK[i] * w[i] * w[i];
        after += BRICK[i] * hat[i] * hat[i];
    }
    printf("1e5 rad/s at 10 ms: %d Newton steps, energy ratio %.6f (limit 1)\n", n, after / before);
    assert_true(isfinite(after) && after <= before * (1.0 + 1e-9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_midpoint_keeps_energy_and_momentum),
        cmocka_unit_test(test_euler_keeps_momentum_and_never_gains),
        cmocka_unit_test(test_order_of_convergence),
        cmocka_unit_test(test_sphere_turns_freely),
        cmocka_unit_test(test_absurd_speed_stays_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
