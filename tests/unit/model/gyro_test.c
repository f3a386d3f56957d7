// Free rotation: energy and momentum are kept, bodies with two equal moments move exactly, the others to second order.
#include "math/quat.h"
#include "math/vec3.h"
#include "model/gyro.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Brick 0.4 x 0.2 x 0.1 m, 8 kg, spun about its middle axis: the unstable one.
static const double BRICK[3] = {8.0 / 12.0 * 0.05, 8.0 / 12.0 * 0.17, 8.0 / 12.0 * 0.2};

typedef struct spin {
    double q[4], w[3];
} spin;

static void advance(spin *s, const double inertia[3], double h)
{
    double turn[4];
    tn_gyro_turn(inertia, s->w, h, turn);
    tn_gyro_carry(inertia, turn, s->w, s->w);
    tn_quat_mul(s->q, s->q, turn);
    tn_quat_normalize(s->q);
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

// 10 s at 10 ms. Worst relative changes of momentum and energy.
static void run(const double inertia[3], double speed, double *off_momentum, double *off_energy)
{
    spin s = start(speed);
    double before[3], e0 = energy(&s, inertia);
    momentum(&s, inertia, before);
    *off_momentum = *off_energy = 0.0;
    for (int k = 0; k < 1000; k++) {
        double now[3];
        advance(&s, inertia, 0.01);
        momentum(&s, inertia, now);
        tn_vec3_sub(now, now, before);
        *off_momentum = fmax(*off_momentum, tn_vec3_norm(now) / tn_vec3_norm(before));
        *off_energy = fmax(*off_energy, fabs(energy(&s, inertia) / e0 - 1.0));
    }
}

// Limits: rounding of 1000 steps, 1000 * 2^-52 * a few.
static void test_energy_and_momentum_are_kept(void **unused)
{
    const double speeds[] = {1e-3, 1.0, 10.0, 40.0, 1000.0}, inertia[][3] = {{BRICK[0], BRICK[1], BRICK[2]},
                                                                             {0.04, 0.04, 0.004},
                                                                             {0.2, 0.001, 0.2}, // the shape of a needle
                                                                             {0.3, 0.3, 0.3}};
    for (int i = 0; i < 20; i++) {
        double drift, change;
        run(inertia[i / 5], speeds[i % 5], &drift, &change);
        printf("%5g rad/s: momentum %.2e, energy %.2e (limit 1e-11)\n", speeds[i % 5], drift, change);
        assert_true(drift < 1e-11 && change < 1e-11);
    }
}

// Reference: Euler's equations and q' = q w/2 by Runge and Kutta's method of fourth order, n steps of h.
static void slope(const double inertia[3], const double x[7], double out[7])
{
    const double *q = x, *w = x + 4;
    double rate[4] = {0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
    tn_quat_mul(out, q, rate);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[4 + i] = (inertia[j] - inertia[k]) / inertia[i] * w[j] * w[k];
    }
}

static void reference(const double inertia[3], spin *s, double h, int n)
{
    double x[7];
    memcpy(x, s->q, sizeof s->q);
    memcpy(x + 4, s->w, sizeof s->w);
    for (int step = 0; step < n; step++) {
        const double part[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
        double k[4][7], sum[7] = {0.0};
        for (int stage = 0; stage < 4; stage++) {
            double at[7];
            for (int i = 0; i < 7; i++) {
                at[i] = x[i] + (stage > 0 ? part[stage] * h * k[stage - 1][i] : 0.0);
            }
            slope(inertia, at, k[stage]);
            for (int i = 0; i < 7; i++) {
                sum[i] += weight[stage] * k[stage][i];
            }
        }
        for (int i = 0; i < 7; i++) {
            x[i] += h * sum[i];
        }
    }
    memcpy(s->q, x, sizeof s->q);
    memcpy(s->w, x + 4, sizeof s->w);
}

// Distance of attitude and velocity after 1 s in steps of h from the reference.
static double error_of(const double inertia[3], double speed, double h)
{
    spin s = start(speed), exact = start(speed);
    reference(inertia, &exact, 1e-4, 10000);
    for (int k = 0; k < (int)(1.0 / h + 0.5); k++) {
        advance(&s, inertia, h);
    }
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        square += (s.w[i] - exact.w[i]) * (s.w[i] - exact.w[i]);
    }
    for (int i = 0; i < 4; i++) {
        square += (s.q[i] - exact.q[i]) * (s.q[i] - exact.q[i]);
    }
    return sqrt(square);
}

// The reference is right to 1e-12: its own error, (1e-4 * 4)^4 a second, and rounding.
static void test_two_equal_moments_move_exactly(void **unused)
{
    const double top[3] = {0.001, 0.001, 0.002}, rod[3] = {0.2, 0.004, 0.2}, ball[3] = {0.3, 0.3, 0.3};
    const double *all[] = {top, rod, ball};
    for (int i = 0; i < 3; i++) {
        double off = error_of(all[i], 4.0, 0.125);
        printf("off the exact motion after 8 steps of half a radian: %.2e (limit 1e-11)\n", off);
        assert_true(off < 1e-11);
    }
}

// Errors fall by four with each halving of the step, down to where the reference is off itself.
static void test_order_of_convergence(void **unused)
{
    double last = error_of(BRICK, 4.0, 0.02);
    for (double h = 0.01; h > 1e-4; h *= 0.5) {
        double off = error_of(BRICK, 4.0, h), order = log2(last / off);
        printf("h %.2e: error %.3e, order %.3f (2 +- 0.1)\n", h, off, order);
        assert_true(fabs(order - 2.0) < 0.1);
        last = off;
    }
}

static void test_turns_back(void **unused)
{
    spin s = start(30.0);
    advance(&s, BRICK, 0.02);
    advance(&s, BRICK, -0.02);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(s.w[i] - start(30.0).w[i]) < 1e-12 && fabs(s.q[1 + i]) < 1e-13);
    }
}

// So fast that Newton's method finds nothing in one part: still energy and momentum.
static void test_absurd_speed(void **unused)
{
    const double fast[] = {1e3, 1e5, 1e12};
    for (int i = 0; i < 3; i++) {
        spin s = {.q = {1.0, 0.0, 0.0, 0.0}, .w = {fast[i], 2.0 * fast[i], -fast[i]}};
        double before = energy(&s, BRICK), turn[4];
        int parts = tn_gyro_turn(BRICK, s.w, 0.01, turn);
        tn_gyro_carry(BRICK, turn, s.w, s.w);
        printf("%g rad/s at 10 ms: %d parts, energy ratio - 1 = %.2e\n", fast[i], parts,
               energy(&s, BRICK) / before - 1.0);
        assert_true(fabs(energy(&s, BRICK) / before - 1.0) < 1e-10 && isfinite(turn[0]));
    }
}

// Limit: rounding of what both compute, 2^-52 times 40, over the turn of the slowest, 1e-3 rad: what rounding of a unit
// quaternion leaves of it.
static void test_rate_undoes_turn(void **unused)
{
    const double inertia[][3] = {
        {BRICK[0], BRICK[1], BRICK[2]}, {0.04, 0.04, 0.004}, {0.2, 0.001, 0.2}, {0.3, 0.3, 0.3}};
    for (int i = 0; i < 16; i++) {
        double speed = (double[]){0.1, 1.0, 10.0, 60.0}[i % 4], turn[4], found[3] = {0.0}, off[3];
        double omega[3] = {0.7 * speed, -0.6 * speed, 0.4 * speed};
        tn_gyro_turn(inertia[i / 4], omega, 0.01, turn);
        tn_gyro_rate(inertia[i / 4], turn, 0.01, found);
        tn_vec3_sub(off, found, omega);
        double error = tn_vec3_norm(off) / speed;
        tn_vec3_scale(found, 1.01, omega); // from nearby
        tn_gyro_rate(inertia[i / 4], turn, 0.01, found);
        tn_vec3_sub(off, found, omega);
        error = fmax(error, tn_vec3_norm(off) / speed);
        printf("%5g rad/s: off by %.2e (limit 1e-11)\n", speed, error);
        assert_true(error < 1e-11);
    }
}

// A disk that spins by up to 2.5 rad: I w/J turns it by more than half a turn. From nearby.
static void test_rate_of_fast_disks(void **unused)
{
    const double inertia[3] = {0.04, 0.04, 0.075};
    for (double w = 100.0; w < 251.0; w += 50.0) {
        double omega[3] = {3.0, -2.0, w}, rate[3] = {2.0, -3.0, 0.97 * w}, turn[4], off[3];
        tn_gyro_turn(inertia, omega, 0.01, turn);
        tn_gyro_rate(inertia, turn, 0.01, rate);
        tn_vec3_sub(off, rate, omega);
        printf("%g rad a step: off by %.1e rad/s (limit 1e-10)\n", 0.01 * w, tn_vec3_norm(off));
        assert_true(tn_vec3_norm(off) < 1e-10);
    }
}

// Bodies that go round several times in a step: whole turns are those of the velocity from which the rate is looked for
// (rotors on joints of robots stood still above half a turn a step; physics.trees).
static void test_rate_of_whole_turns(void **unused)
{
    const double inertia[][3] = {{0.04, 0.04, 0.075}, {0.04, 0.06, 0.08}, {0.04, 0.04, 0.04}};
    for (int i = 0; i < 12; i++) {
        double w = (double[]){400.0, -700.0, 1500.0, 12345.0}[i % 4], off[3], turn[4];
        double omega[3] = {0.0, 0.0, w}, rate[3] = {2e-3 * w, -1e-3 * w, w - 50.0};
        tn_gyro_turn(inertia[i / 4], omega, 0.01, turn);
        tn_gyro_rate(inertia[i / 4], turn, 0.01, rate);
        tn_vec3_sub(off, rate, omega);
        printf("%g rad a step: off by %.1e of it (limit 1e-12)\n", 0.01 * w, tn_vec3_norm(off) / fabs(w));
        assert_true(tn_vec3_norm(off) < 1e-12 * fabs(w));
    }
}

// Thin bodies that turn about their axis, whose rates are known to rounding times J/I_e: the last digits of a turn make
// no step without bounds (200 of 4 million random turns did).
static void test_rate_of_thin_bodies(void **unused)
{
    double most = 0.0;
    for (int i = 0; i < 300000; i++) {
        double thin = 20.0 + i % 81, size = pow(10.0, -9.0 * (i % 997) / 997.0), turn[4], rate[3] = {0.0}, off[3];
        double inertia[3] = {0.01, 0.01, 0.01 / thin};
        double vector[3] = {0.03 * size * sin(i), 0.03 * size * cos(3.0 * i), 0.5 * size * sin(7.0 * i)};
        tn_quat_exp(turn, vector);
        tn_gyro_rate(inertia, turn, 0.01, rate);
        tn_vec3_scale(vector, 100.0, vector);
        tn_vec3_sub(off, rate, vector);
        most = fmax(most, tn_vec3_norm(off) / (100.0 * size));
        assert_true(tn_vec3_norm(off) < HUGE_VAL);
    }
    printf("off by at most %.3g of the turn (limit 0.1)\n", most); // what a body whose axis swings has not of it
    assert_true(most < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_and_momentum_are_kept),
        cmocka_unit_test(test_two_equal_moments_move_exactly),
        cmocka_unit_test(test_order_of_convergence),
        cmocka_unit_test(test_turns_back),
        cmocka_unit_test(test_absurd_speed),
        cmocka_unit_test(test_rate_undoes_turn),
        cmocka_unit_test(test_rate_of_fast_disks),
        cmocka_unit_test(test_rate_of_whole_turns),
        cmocka_unit_test(test_rate_of_thin_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
