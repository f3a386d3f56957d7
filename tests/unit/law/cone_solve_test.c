// The one-contact solve: what defines a solution is checked from W, q, mu, r alone, on random matrices of every kind.
#include "law/set.h"

#include "base/random.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

enum { SAMPLES = 20000 };

static double number(uint64_t stream, uint64_t counter)
{
    return 2.0 * tn_random_uniform(7, stream, counter) - 1.0;
}

// W = B B^T + skew_part (C - C^T), condition about 10^decades. Positive definite in any case.
static void random_matrix(int k, double skew_part, double decades, double W[9])
{
    double B[9], C[9];
    for (int i = 0; i < 9; ++i) {
        B[i] = number(1, (uint64_t)(9 * k + i)) * pow(10.0, -0.5 * decades * (i / 3) / 2.0);
        C[i] = number(2, (uint64_t)(9 * k + i));
    }
    double small = pow(10.0, -decades);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            W[3 * i + j] = i == j ? 0.01 * small : 0.0;
            for (int l = 0; l < 3; ++l) {
                W[3 * i + j] += B[3 * i + l] * B[3 * j + l];
            }
            W[3 * i + j] += skew_part * small * (C[3 * i + j] - C[3 * j + i]);
        }
    }
}

static void velocity(const double W[9], const double q[3], const double r[3], double u[3])
{
    for (int i = 0; i < 3; ++i) {
        u[i] = q[i] + W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2];
    }
}

static tn_local_state solve(tn_law law, const double mu[2], const double W[9], const double q[3], double r[3])
{
    const tn_bound b = tn_set_of_contact(law, 0, mu);
    return tn_set_solve(&b, W, q, r);
}

// Largest violation of the law, by its conditions (cones and products, no projection), relative to the sizes at hand.
static double violation(tn_law law, const double mu[2], const double W[9], const double q[3], const double r[3])
{
    double u[3];
    velocity(W, q, r, u);
    double shift = sqrt(mu[0] * mu[0] * u[1] * u[1] + mu[1] * mu[1] * u[2] * u[2]);
    double a = mu[0] > 0.0 ? r[1] / mu[0] : r[1] * 1e6;
    double b = mu[1] > 0.0 ? r[2] / mu[1] : r[2] * 1e6;
    double f = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double w = 0.0, v = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    for (int i = 0; i < 9; ++i) {
        w = fmax(w, fabs(W[i]));
    }
    v += w * f; // u is a difference of numbers of this size
    double gap = law == TN_LAW_CONVEX ? u[0] - shift : u[0];
    double worst = fmax(0.0, -r[0]) + fmax(0.0, sqrt(a * a + b * b) - r[0]);
    worst = f > 0.0 ? worst / f : worst;
    worst = fmax(worst, fmax(0.0, -gap) / v);
    if (f > 0.0) {
        worst = fmax(worst, fabs(r[0] * gap) / (f * v));
        worst = fmax(worst, fabs(r[0] * shift + r[1] * u[1] + r[2] * u[2]) / (f * v)); // maximal dissipation
    }
    return worst;
}

static void check_random(tn_law law, double skew_part, double decades, double mu_ratio, double limit)
{
    double worst = 0.0;
    int counts[4] = {0};
    for (int k = 0; k < SAMPLES; ++k) {
        double W[9], q[3], r[3] = {0.0, 0.0, 0.0};
        random_matrix(k, skew_part, decades, W);
        double m = pow(10.0, 1.5 * number(3, (uint64_t)k) - 0.5);
        double mu[2] = {m, mu_ratio * m};
        for (int i = 0; i < 3; ++i) {
            q[i] = number(4, (uint64_t)(3 * k + i));
        }
        ++counts[solve(law, mu, W, q, r)];
        worst = fmax(worst, violation(law, mu, W, q, r));
    }
    printf("law %d, skew %g, condition 1e%g, mu2/mu1 %g: worst violation %.2e (limit %g); open %d stick %d slide %d "
           "failed %d\n",
           law, skew_part, decades, mu_ratio, worst, limit, counts[0], counts[1], counts[2], counts[3]);
    assert_true(worst <= limit);
    // Sticking is rare where the tangents hardly answer to forces.
    assert_true(counts[TN_LOCAL_OPEN] > SAMPLES / 100 && counts[TN_LOCAL_SLIDE] > SAMPLES / 100);
    assert_true(counts[TN_LOCAL_STICK] > (decades == 0.0 ? SAMPLES / 100 : 0) || decades >= 4.0);
    assert_int_equal(counts[TN_LOCAL_FAILED], 0);
}

// Limit 1e-13: rounding; the worst measured is 2e-14 (convex law, identity-like W).
static void random_strict(void **state)
{
    check_random(TN_LAW_COULOMB, 0.0, 0.0, 1.0, 1e-13);
    check_random(TN_LAW_COULOMB, 0.3, 0.0, 1.0, 1e-13);
    check_random(TN_LAW_COULOMB, 0.0, 4.0, 1.0, 1e-13);
    check_random(TN_LAW_COULOMB, 0.1, 2.0, 0.5, 1e-13);
}

static void random_convex(void **state)
{
    check_random(TN_LAW_CONVEX, 0.0, 0.0, 1.0, 1e-13);
    check_random(TN_LAW_CONVEX, 0.0, 4.0, 1.0, 1e-13);
    check_random(TN_LAW_CONVEX, 0.0, 2.0, 0.5, 1e-13);
}

static void check_exact(tn_law law, double mu, const double W[9], const double q[3], const double expected[3],
                        double limit)
{
    double r[3] = {0.0, 0.0, 0.0}, both[2] = {mu, mu};
    solve(law, both, W, q, r);
    for (int i = 0; i < 3; ++i) {
        printf("r[%d] = %.10f, expected %.10f\n", i, r[i], expected[i]);
        assert_true(fabs(r[i] - expected[i]) <= limit);
    }
}

// Siconos' one-contact problems FrictionContact3D_1c and _RR_1c (numerics/src/FrictionContact/test/data); the solution
// evaluated to a residual of 3e-17, ten digits after the point.
static void siconos_one_contact(void **state)
{
    const double W[9] = {15, -1, -2, -1, 14, 1, -2, 1, 16}, q[3] = {-1, 2, 3};
    const double strict[3] = {0.0656956829, -0.0036786149, -0.0054430708};
    check_exact(TN_LAW_COULOMB, 0.1, W, q, strict, 1e-10);
    double r[3] = {0.0, 0.0, 0.0};
    const double mu[2] = {0.1, 0.1};
    solve(TN_LAW_CONVEX, mu, W, q, r);
    printf("convex r_n = %.10f, expected 0.0871792791\n", r[0]);
    assert_true(fabs(r[0] - 0.0871792791) <= 1e-10);
}

// Siconos' FC3D_Example1, closed form: W = I, q = (-1, 1, 3), mu = 0.1. The convex answer is the projection of -q.
static void identity_matrix(void **state)
{
    const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 1, 3};
    double s = sqrt(10.0), n = (1.0 + 0.1 * s) / 1.01;
    const double strict[3] = {1.0, -0.1 / s, -0.3 / s}, convex[3] = {n, -0.1 * n / s, -0.3 * n / s};
    check_exact(TN_LAW_COULOMB, 0.1, W, q, strict, 1e-15);
    check_exact(TN_LAW_CONVEX, 0.1, W, q, convex, 1e-14);
    const double frictionless[3] = {1.0, 0.0, 0.0};
    check_exact(TN_LAW_FRICTIONLESS, 0.1, W, q, frictionless, 0.0);
}

// A contact in the plane: the second tangent's row and column are zero.
static void planar(void **state)
{
    double worst = 0.0;
    for (int k = 0; k < SAMPLES; ++k) {
        double W[9], q[3] = {number(5, (uint64_t)(2 * k)), number(5, (uint64_t)(2 * k + 1)), 0.0};
        double r[3] = {0.0, 0.0, 0.0}, mu[2] = {0.6, 0.6};
        random_matrix(k, 0.1, 0.0, W);
        W[2] = W[5] = W[6] = W[7] = W[8] = 0.0;
        tn_law law = k % 2 ? TN_LAW_CONVEX : TN_LAW_COULOMB;
        if (law == TN_LAW_CONVEX) {
            W[1] = W[3] = 0.5 * (W[1] + W[3]);
        }
        assert_true(solve(law, mu, W, q, r) != TN_LOCAL_FAILED);
        assert_true(r[2] == 0.0);
        worst = fmax(worst, violation(law, mu, W, q, r));
    }
    printf("in the plane: worst violation %.2e (limit 1e-12: rounding)\n", worst);
    assert_true(worst <= 1e-12);
}

static void degenerate(void **state)
{
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[9] = {0.0}, q[3] = {-1, 1, 3};
    const double none[2] = {0.0, 0.0}, huge[2] = {1e6, 1e6}, line[2] = {0.5, 0.0};
    double r[3] = {0.0, 0.0, 0.0};
    // Nothing moves: no force.
    assert_int_equal(solve(TN_LAW_COULOMB, huge, zero, q, r), TN_LOCAL_OPEN);
    assert_true(r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0);
    // mu = 0: the normal only.
    for (int law = TN_LAW_COULOMB; law <= TN_LAW_FRICTIONLESS; ++law) {
        solve((tn_law)law, none, identity, q, r);
        assert_true(r[0] == 1.0 && r[1] == 0.0 && r[2] == 0.0);
    }
    // mu = 1e6 holds everything.
    assert_int_equal(solve(TN_LAW_COULOMB, huge, identity, q, r), TN_LOCAL_STICK);
    assert_true(r[0] == 1.0 && r[1] == -1.0 && r[2] == -3.0);
    // Friction along t1 only.
    solve(TN_LAW_COULOMB, line, identity, q, r);
    printf("friction along one tangent: r = %g %g %g\n", r[0], r[1], r[2]);
    assert_true(fabs(r[0] - 1.0) < 1e-15 && fabs(r[1] + 0.5) < 1e-15 && r[2] == 0.0);
    // A grazing contact and one at rest.
    const double graze[3] = {0.0, 1.0, 0.0}, rest[3] = {0.0, 0.0, 0.0};
    solve(TN_LAW_COULOMB, huge, identity, graze, r);
    assert_true(r[0] == 0.0 && r[1] == 0.0);
    solve(TN_LAW_COULOMB, huge, identity, rest, r);
    assert_true(r[0] == 0.0 && r[1] == 0.0);
    // Not a number goes through without hanging.
    const double nan_q[3] = {NAN, 1.0, 0.0};
    solve(TN_LAW_COULOMB, line, identity, nan_q, r);
    solve(TN_LAW_CONVEX, line, identity, nan_q, r);
}

// A matrix that no body can have: the answer is in K, finite, and says that it failed or solves.
static void indefinite(void **state)
{
    int failed = 0;
    double worst = 0.0;
    for (int k = 0; k < SAMPLES; ++k) {
        double W[9], q[3], r[3] = {0.0, 0.0, 0.0}, mu[2] = {0.8, 0.8};
        for (int i = 0; i < 9; ++i) {
            W[i] = number(6, (uint64_t)(9 * k + i));
        }
        for (int i = 0; i < 3; ++i) {
            q[i] = number(8, (uint64_t)(3 * k + i));
        }
        W[0] = fabs(W[0]) + 0.01;
        tn_local_state s = solve(TN_LAW_COULOMB, mu, W, q, r);
        assert_true(isfinite(r[0]) && isfinite(r[1]) && isfinite(r[2]));
        assert_true(sqrt(r[1] * r[1] + r[2] * r[2]) <= mu[0] * r[0] * (1.0 + 1e-14));
        if (s == TN_LOCAL_FAILED) {
            ++failed;
        } else {
            worst = fmax(worst, violation(TN_LAW_COULOMB, mu, W, q, r));
        }
    }
    printf("indefinite W: %d of %d not solved; worst violation of the others %.1e (limit 1e-6: forces up to 1e10)\n",
           failed, SAMPLES, worst);
    assert_true(worst <= 1e-6);
    assert_true(failed < SAMPLES / 4);
}

// The residual's zero set: it vanishes at solutions and not beside them.
static void natural_map(void **state)
{
    const double W[9] = {15, -1, -2, -1, 14, 1, -2, 1, 16}, q[3] = {-1, 2, 3}, mu[2] = {0.1, 0.05};
    for (int law = TN_LAW_COULOMB; law <= TN_LAW_FRICTIONLESS; ++law) {
        double r[3] = {0.0, 0.0, 0.0}, u[3], out[3];
        const tn_bound b = tn_set_of_contact((tn_law)law, 0, mu);
        solve((tn_law)law, mu, W, q, r);
        velocity(W, q, r, u);
        tn_set_natural(&b, (const double[2]){0.1, 0.1}, r, u, out);
        double at = fabs(out[0]) + fabs(out[1]) + fabs(out[2]);
        r[0] += 1e-3;
        velocity(W, q, r, u);
        tn_set_natural(&b, (const double[2]){0.1, 0.1}, r, u, out);
        double beside = fabs(out[0]) + fabs(out[1]) + fabs(out[2]);
        printf("law %d: natural map %.1e at the solution (limit 1e-15), %.1e beside it\n", law, at, beside);
        assert_true(at <= 1e-15);
        assert_true(beside > 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_strict),   cmocka_unit_test(random_convex), cmocka_unit_test(siconos_one_contact),
        cmocka_unit_test(identity_matrix), cmocka_unit_test(planar),        cmocka_unit_test(degenerate),
        cmocka_unit_test(indefinite),      cmocka_unit_test(natural_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
