// The strict law by pieces: the formulas of one contact against their definitions, and the path through a pile whose
// contacts are told by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "solver/pieces/law.h"

enum { POINTS = 20000 };

static double number(uint64_t k, int i)
{
    return tn_random_normal(11, k, (uint64_t)i);
}

static void draw(uint64_t k, tn_piece_law *law, double z[3], double d[3])
{
    *law = (tn_piece_law){.mu = fabs(number(k, 0)), .rho = exp(number(k, 1)), .t = 0.0, .held = fabs(number(k, 2))};
    for (int i = 0; i < 3; i++) {
        z[i] = number(k, 3 + i);
        d[i] = number(k, 6 + i);
    }
}

// Coulomb's law itself: u_n >= 0, lambda in the cone, u_n lambda_n = 0, and friction against the slip at its limit.
static double violation(double mu, const double f[3], const double u[3])
{
    double slip = sqrt(u[1] * u[1] + u[2] * u[2]), friction = sqrt(f[1] * f[1] + f[2] * f[2]);
    double worst = fmax(fmax(-u[0], friction - mu * f[0]), fabs(u[0] * f[0]));
    return fmax(worst, fabs(f[1] * u[1] + f[2] * u[2] + mu * f[0] * slip));
}

static void is_coulombs_law(void **state)
{
    (void)state;
    double worst = 0.0, held = 0.0;
    int count[3] = {0, 0, 0};
    for (uint64_t k = 0; k < POINTS; k++) {
        tn_piece_law law;
        tn_piece_value value, other;
        double z[3], d[3];
        draw(k, &law, z, d);
        tn_piece piece = tn_piece_of(law.mu, z);
        count[piece]++;
        tn_piece_evaluate(&law, piece, z, &value);
        worst = fmax(worst, violation(law.mu, value.lambda, value.u));
        law.t = 1.0; // the held shift in place of mu |u_t|: only u_n moves, by the rate
        tn_piece_evaluate(&law, piece, z, &other);
        held = fmax(held, fabs(other.u[0] - value.u[0] - value.rate));
    }
    printf("%d points, open %d, stick %d, slip %d: law %.1e, shift %.1e (limit 1e-13, rounding)\n", POINTS, count[0],
           count[1], count[2], worst, held);
    assert_true(worst < 1e-13 && held < 1e-13);
    assert_true(count[0] > 1000 && count[1] > 1000 && count[2] > 1000);
}

static void slopes_are_differences(void **state)
{
    (void)state;
    double worst = 0.0, step = 1e-6;
    for (uint64_t k = 0; k < POINTS; k++) {
        tn_piece_law law;
        double z[3], d[3], B[9], C[9];
        draw(k, &law, z, d);
        law.t = 0.3;
        if (z[1] * z[1] + z[2] * z[2] < 0.01) {
            continue; // curvature goes with 1 / |z_t|
        }
        for (int piece = 0; piece < 3; piece++) { // also beyond its faces
            tn_piece_slopes(&law, (tn_piece)piece, z, B, C);
            for (int j = 0; j < 3; j++) {
                tn_piece_value a, b;
                double up[3] = {z[0], z[1], z[2]}, down[3] = {z[0], z[1], z[2]};
                up[j] += step;
                down[j] -= step;
                tn_piece_evaluate(&law, (tn_piece)piece, up, &a);
                tn_piece_evaluate(&law, (tn_piece)piece, down, &b);
                for (int i = 0; i < 3; i++) {
                    worst = fmax(worst, fabs((a.lambda[i] - b.lambda[i]) / (2.0 * step) - B[3 * i + j]));
                    worst = fmax(worst, fabs((a.u[i] - b.u[i]) / (2.0 * step) - C[3 * i + j]) * law.rho);
                }
            }
        }
    }
    printf("slopes against central differences: %.1e (limit 1e-7: step^2 over |z_t|^2 0.01, rounding over the step)\n",
           worst);
    assert_true(worst < 1e-7);
}

// A ray leaves its piece exactly on the face that is named; there the pieces' forces and velocities agree.
static void leaves_on_a_face(void **state)
{
    (void)state;
    double off = 0.0, jump = 0.0;
    int left = 0, stayed = 0;
    for (uint64_t k = 0; k < POINTS; k++) {
        tn_piece_law law;
        tn_piece_value a, b;
        double z[3], d[3];
        draw(k, &law, z, d);
        tn_piece piece = tn_piece_of(law.mu, z);
        tn_piece_face face = TN_FACE_NONE;
        double length = tn_piece_leave(law.mu, piece, z, d, &face), at[3], past[3];
        for (int i = 0; i < 3; i++) {
            at[i] = z[i] + fmin(length, 1e6) * d[i];
            past[i] = z[i] + fmin(length, 1e6) * (1.0 + 1e-7) * d[i];
        }
        if (length == HUGE_VAL) {
            assert_int_equal(tn_piece_of(law.mu, at), piece);
            stayed++;
            continue;
        }
        double size = 1.0 + sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
        off = fmax(off, fabs(tn_piece_inside(law.mu, piece, face, at, NULL)) / size);
        assert_true(tn_piece_excess(law.mu, piece, past) > 0.0);
        tn_piece_evaluate(&law, piece, at, &a);
        tn_piece_evaluate(&law, tn_piece_beyond(piece, face), at, &b);
        for (int i = 0; i < 3; i++) {
            jump = fmax(jump, (fabs(a.lambda[i] - b.lambda[i]) + law.rho * fabs(a.u[i] - b.u[i])) / size);
        }
        left++;
    }
    printf("%d rays leave, %d stay: off the face %.1e, jump across it %.1e (limit 1e-9: roots of squares)\n", left,
           stayed, off, jump);
    assert_true(off < 1e-9 && jump < 1e-9 && left > 1000 && stayed > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_coulombs_law), cmocka_unit_test(slopes_are_differences),
                                       cmocka_unit_test(leaves_on_a_face)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
