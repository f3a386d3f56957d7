// The cone's operators against what defines them: Moreau's decomposition and the variational inequality.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "law/cone.h"
#include "law/set.h"
#include "test.h"

enum { SAMPLES = 100000 };

static const double coefficients[] = {0.0, 1e-6, 0.1, 0.5, 1.0, 3.0, 1e3, 1e6};
enum { N_COEFFICIENTS = sizeof coefficients / sizeof coefficients[0] };

static void random_vector(double f[3], uint64_t stream, int sample)
{
    for (int i = 0; i < 3; i++) {
        f[i] = tn_random_normal(41, stream, (uint64_t)(4 * sample + i));
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double norm(const double a[3])
{
    return sqrt(dot(a, a));
}

static double tangent(const double a[3])
{
    return sqrt(a[1] * a[1] + a[2] * a[2]);
}

// f = p + d with p in K, d in the polar cone and p . d = 0: this defines the projection.
static void projection_is_moreaus_decomposition(void **state)
{
    double worst = 0.0;
    int count[3] = {0, 0, 0};
    for (int s = 0; s < SAMPLES; s++) {
        double mu = coefficients[s % N_COEFFICIENTS];
        double f[3], p[3], d[3];
        random_vector(f, 1, s);
        memcpy(p, f, sizeof p);
        tn_cone_region region = tn_cone_project(mu, p);
        count[region]++;
        for (int i = 0; i < 3; i++) {
            d[i] = f[i] - p[i];
        }
        double error = fmax(tangent(p) - mu * p[0], mu * tangent(d) + d[0]);
        error = fmax(error, fabs(dot(p, d)));
        worst = fmax(worst, error / ((1.0 + mu) * (1.0 + dot(f, f))));
        assert_true(region != TN_CONE_STICK || norm(d) == 0.0);
        assert_true(region != TN_CONE_APART || norm(p) == 0.0);
    }
    printf("worst %.2e (1 + mu), limit 1e-15; %d apart, %d stick, %d slide\n", worst, count[0], count[1], count[2]);
    assert_true(worst < 1e-15);
    assert_true(count[0] > SAMPLES / 10 && count[1] > SAMPLES / 10 && count[2] > SAMPLES / 10);
}

static void without_friction_no_pull_and_no_tangent(void **state)
{
    double pull[3] = {-1.0, 0.0, 0.0};
    assert_int_equal(tn_cone_project(0.0, pull), TN_CONE_APART); // 0 <= mu n reads 0 <= -0.0 here
    assert_true(pull[0] == 0.0);
    double push[3] = {2.0, 3.0, -1.0};
    assert_int_equal(tn_cone_project(0.0, push), TN_CONE_SLIDE);
    assert_true(push[0] == 2.0 && push[1] == 0.0 && push[2] == 0.0);
}

static double residual(double mu, double s, const double f[3], const double u[3])
{
    const tn_bound cone = {.set = TN_SET_CONE, .bound = {mu, mu}};
    return tn_set_residual(&cone, (const double[2]){s, s}, f, u);
}

static void residual_vanishes_on_the_law_only(void **state)
{
    const double mu = 0.5;
    double worst = 0.0;
    for (int k = 0; k < 1000; k++) {
        double s = pow(10.0, (double)(k % 13) - 6.0), angle = 0.1 * k;
        double c = cos(angle), d = sin(angle);
        const double none[3] = {0, 0, 0}, apart[3] = {0.1, c, d}, stick[3] = {1.0, 0.4 * c, 0.4 * d};
        const double slide[3] = {1.0, 0.5 * c, 0.5 * d}, sliding[3] = {0.0, -2.0 * c, -2.0 * d};
        worst = fmax(worst, residual(mu, s, none, apart) / (1.0 + s));
        worst = fmax(worst, residual(mu, s, stick, none) / (1.0 + s));
        worst = fmax(worst, residual(mu, s, slide, sliding) / (1.0 + s));
    }
    printf("residual of exact solutions: worst %.2e (1 + s), limit 1e-15\n", worst);
    assert_true(worst < 1e-15);

    const double stick[3] = {1.0, 0.4, 0.0}, still[3] = {0, 0, 0}, up[3] = {0.1, 0, 0}, along[3] = {0, 0.1, 0};
    const double down[3] = {-0.1, 0, 0}, zero[3] = {0, 0, 0}, outside[3] = {1.0, 0.6, 0.0};
    assert_true(residual(mu, 1.0, stick, up) > 0.05);      // force at an open contact
    assert_true(residual(mu, 1.0, stick, along) > 0.05);   // sliding within the cone
    assert_true(residual(mu, 1.0, zero, down) > 0.05);     // penetrating without force
    assert_true(residual(mu, 1.0, outside, still) > 0.05); // too much friction
}

// The strict operator's tangent: nearest point of the section, |t_out - t| = |t| - r along the same line.
static void strict_operator_is_max_and_disc(void **state)
{
    double worst = 0.0;
    for (int s = 0; s < SAMPLES; s++) {
        double mu = coefficients[s % N_COEFFICIENTS];
        const double both[2] = {mu, mu};
        double f[3], p[3];
        random_vector(f, 2, s);
        memcpy(p, f, sizeof p);
        tn_cone_region region = tn_cone_strict(both, p);
        assert_true(p[0] == fmax(f[0], 0.0));
        assert_true((region == TN_CONE_APART) == (f[0] <= 0.0));
        if (region == TN_CONE_STICK) {
            assert_true(p[1] == f[1] && p[2] == f[2] && tangent(f) <= mu * f[0]);
        } else {
            worst = fmax(worst, fabs(tangent(p) - mu * p[0]) / (1.0 + tangent(f)));
            worst = fmax(worst, fabs(p[1] * f[2] - p[2] * f[1]) / (1.0 + dot(f, f)));
            assert_true(p[1] * f[1] >= 0.0 && p[2] * f[2] >= 0.0);
        }
    }
    printf("worst %.2e, limit 1e-15\n", worst);
    assert_true(worst < 1e-15);
}

// With two coefficients the section is an ellipse: what is inside stays, what is outside goes to its border, from where
// it came along the border's normal.
static void strict_operator_with_two_coefficients(void **state)
{
    double worst = 0.0;
    int n_slide = 0, n_stick = 0;
    for (int s = 0; s < SAMPLES; s++) {
        const double mu[2] = {0.3 + 0.1 * (s % 3), 1.2 - 0.2 * (s % 5)};
        double f[3], p[3];
        random_vector(f, 5, s);
        f[0] = fabs(f[0]);
        memcpy(p, f, sizeof p);
        tn_cone_region region = tn_cone_strict(mu, p);
        double a = mu[0] * f[0], b = mu[1] * f[0], inside = f[1] * f[1] / (a * a) + f[2] * f[2] / (b * b);
        assert_true(p[0] == f[0]);
        if (inside < 1.0 - 1e-12) {
            assert_true(region == TN_CONE_STICK && p[1] == f[1] && p[2] == f[2]);
            n_stick++;
        } else if (inside > 1.0 + 1e-12) {
            double x = p[1] / a, y = p[2] / b, d[2] = {f[1] - p[1], f[2] - p[2]}, normal[2] = {x / a, y / b};
            double size = sqrt((d[0] * d[0] + d[1] * d[1]) * (normal[0] * normal[0] + normal[1] * normal[1]));
            worst = fmax(worst, fabs(x * x + y * y - 1.0));
            worst = fmax(worst, fabs(d[0] * normal[1] - d[1] * normal[0]) / (size + 1e-3));
            assert_int_equal(region, TN_CONE_SLIDE);
            n_slide++;
        }
    }
    printf("%d inside, %d outside; off border and normal by %.2e, limit 1e-11\n", n_stick, n_slide, worst);
    assert_true(worst < 1e-11 && n_stick > 1000 && n_slide > 1000);
}

// One pair of equal coefficients must take the round cone; a hair of difference must not matter.
static void operators_are_continuous_in_the_coefficients(void **state)
{
    double worst = 0.0;
    for (int s = 0; s < SAMPLES; s++) {
        double mu = coefficients[1 + s % (N_COEFFICIENTS - 1)];
        const double both[2] = {mu, mu}, hair[2] = {mu, mu * (1.0 + 1e-15)};
        double f[3], a[3], b[3];
        random_vector(f, 3, s);
        memcpy(a, f, sizeof a);
        memcpy(b, f, sizeof b);
        tn_cone_project(mu, a);
        assert_int_equal(tn_cone_proximal(both, b), tn_cone_project(mu, f));
        assert_memory_equal(a, b, sizeof a);
        random_vector(f, 3, s);
        for (int strict = 0; strict < 2; strict++) {
            memcpy(a, f, sizeof a);
            memcpy(b, f, sizeof b);
            (strict ? tn_cone_strict : tn_cone_proximal)(both, a);
            (strict ? tn_cone_strict : tn_cone_proximal)(hair, b);
            for (int i = 0; i < 3; i++) {
                worst = fmax(worst, fabs(a[i] - b[i]) / norm(f));
            }
        }
    }
    printf("round against elliptic with mu2 = mu1 (1 + 1e-15): worst %.2e |f|, limit 3e-15\n", worst);
    assert_true(worst < 3e-15);
}

static void frictionless_keeps_the_normal_only(void **state)
{
    double push[3] = {2.0, 3.0, -1.0}, pull[3] = {-2.0, 3.0, -1.0};
    assert_int_equal(tn_cone_frictionless(push), TN_CONE_STICK);
    assert_true(push[0] == 2.0 && push[1] == 0.0 && push[2] == 0.0);
    assert_int_equal(tn_cone_frictionless(pull), TN_CONE_APART);
    assert_true(pull[0] == 0.0 && pull[1] == 0.0 && pull[2] == 0.0);
}

// Whatever the operator, coefficients and place: a NaN must not turn into a number everywhere.
static void nan_stays_nan(void **state)
{
    const double mus[][2] = {{0, 0}, {0.5, 0.5}, {0.5, 0.2}, {0, 0.5}, {0.5, 0}, {1e6, 1e-6}};
    const double others[] = {-1.0, 0.0, 1.0};
    for (int m = 0; m < 6; m++) {
        for (int k = 0; k < 3 * 27; k++) {
            double base[3] = {others[k % 3], others[k / 3 % 3], others[k / 9 % 3]};
            base[k / 27] = (double)NAN;
            double f[4][3];
            for (int i = 0; i < 4; i++) {
                memcpy(f[i], base, sizeof base);
            }
            tn_cone_project(mus[m][0], f[0]);
            tn_cone_proximal(mus[m], f[1]);
            tn_cone_strict(mus[m], f[2]);
            tn_cone_frictionless(f[3]);
            for (int i = 0; i < 4; i++) {
                assert_true(isnan(f[i][0]) || isnan(f[i][1]) || isnan(f[i][2]));
            }
        }
    }
    const double nan[3] = {(double)NAN, 0, 0}, zero[3] = {0, 0, 0};
    assert_true(isnan(residual(0.5, 1.0, nan, zero)) && isnan(residual(0.5, 1.0, zero, nan)));
}

// (xi_1 - xi_2) . (l_1 - l_2) of l = P(x), xi = x - l.
static double monotony(tn_cone_region operate(const double *, double *), const double mu[2], const double x[2][3])
{
    double l[2][3], sum = 0.0;
    for (int k = 0; k < 2; k++) {
        memcpy(l[k], x[k], sizeof l[k]);
        operate(mu, l[k]);
    }
    for (int i = 0; i < 3; i++) {
        sum += (x[0][i] - l[0][i] - x[1][i] + l[1][i]) * (l[0][i] - l[1][i]);
    }
    return sum;
}

// Lemma 3 of the cond document: never negative for the nearest point, from which its iteration contracts. Its figure 5
// says that the strict operator has counter-examples: here one slides at 1 N, the other sticks at 3 N.
static void nearest_point_is_monotone_and_strict_operator_is_not(void **state)
{
    const double mu[2] = {1.0, 1.0}, example[2][3] = {{1.0, 2.0, 0.0}, {3.0, 2.5, 0.0}};
    double least = INFINITY;
    assert_true(monotony(tn_cone_strict, mu, example) == -1.5);
    assert_true(monotony(tn_cone_proximal, mu, example) > 0.0);
    for (int s = 0; s < SAMPLES; s++) {
        double x[2][3];
        random_vector(x[0], 7, s);
        random_vector(x[1], 8, s);
        least = fmin(least, monotony(tn_cone_proximal, mu, x));
    }
    assert_true(least > -1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_is_moreaus_decomposition),
        cmocka_unit_test(without_friction_no_pull_and_no_tangent),
        cmocka_unit_test(residual_vanishes_on_the_law_only),
        cmocka_unit_test(strict_operator_is_max_and_disc),
        cmocka_unit_test(strict_operator_with_two_coefficients),
        cmocka_unit_test(operators_are_continuous_in_the_coefficients),
        cmocka_unit_test(frictionless_keeps_the_normal_only),
        cmocka_unit_test(nan_stays_nan),
        cmocka_unit_test(nearest_point_is_monotone_and_strict_operator_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
