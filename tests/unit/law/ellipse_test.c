// Elliptic projections against what defines them: they are nearest points of convex sets.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "law/ellipse.h"
#include "test.h"

enum { SAMPLES = 100000 };

// From 1e-6 to 1e6, on a logarithmic scale.
static double random_coefficient(uint64_t stream, int sample)
{
    return pow(10.0, 12.0 * tn_random_uniform(51, stream, (uint64_t)sample) - 6.0);
}

// p is the nearest point to t if d = t - p is normal to the ellipse there: p lies in it and d . p is the
// largest d . x of all x in it, which is |(r_1 d_1, r_2 d_2)|. At fixed normal force this is maximal dissipation.
static void nearest_point_of_the_ellipse(void **state)
{
    double worst_inside = 0.0, worst_gap = 0.0;
    int n_inside = 0;
    for (int s = 0; s < SAMPLES; s++) {
        const double r[2] = {random_coefficient(1, s), s % 5 ? random_coefficient(2, s) : random_coefficient(1, s)};
        double size = sqrt(r[0] * r[1]) * pow(10.0, (double)(s % 7) - 3.0);
        const double t[2] = {size * tn_random_normal(51, 3, (uint64_t)s), size * tn_random_normal(51, 4, (uint64_t)s)};
        double p[2] = {t[0], t[1]};
        bool inside = tn_ellipse_project(r, p);
        n_inside += inside;
        const double d[2] = {t[0] - p[0], t[1] - p[1]};
        double a = p[0] / r[0], b = p[1] / r[1], t_norm = sqrt(t[0] * t[0] + t[1] * t[1]);
        worst_inside = fmax(worst_inside, sqrt(a * a + b * b) - 1.0);
        double farthest = sqrt(r[0] * d[0] * r[0] * d[0] + r[1] * d[1] * r[1] * d[1]);
        // The gap of dissipation relative to distance times size of the ellipse as d sees it.
        double scale = t_norm * fmin(fmax(r[0], r[1]), t_norm);
        worst_gap = fmax(worst_gap, fabs(farthest - d[0] * p[0] - d[1] * p[1]) / scale);
        assert_true(!inside || (p[0] == t[0] && p[1] == t[1]));
        assert_true(p[0] * t[0] >= 0.0 && p[1] * t[1] >= 0.0);
    }
    printf("outside by %.2e, limit 2e-15; dissipation gap %.2e, limit 3e-15 (measured times 2); %d inside\n",
           worst_inside, worst_gap, n_inside);
    assert_true(worst_inside < 2e-15 && worst_gap < 3e-15);
    assert_true(n_inside > SAMPLES / 10 && n_inside < 9 * SAMPLES / 10);
}

// f = p + d, p in K, d in the polar cone { d_n <= -|(mu_1 d_1, mu_2 d_2)| }, p . d = 0.
static void moreaus_decomposition_on_the_elliptic_cone(void **state)
{
    double worst_cone = 0.0, worst_polar = 0.0, worst_dot = 0.0;
    int count[3] = {0, 0, 0};
    for (int s = 0; s < SAMPLES; s++) {
        double mu[2] = {random_coefficient(5, s), random_coefficient(6, s)};
        for (int i = 0; i < 2; i++) {
            mu[i] = s % 2 ? mu[i] : pow(mu[i], 0.1); // half of them between 0.25 and 4
        }
        double f[3], p[3], d[3];
        for (int i = 0; i < 3; i++) {
            p[i] = f[i] = tn_random_normal(51, 7, (uint64_t)(4 * s + i));
        }
        tn_cone_region region = tn_ellipse_cone_project(mu, p);
        count[region]++;
        for (int i = 0; i < 3; i++) {
            d[i] = f[i] - p[i];
        }
        double size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
        double a = p[1] / mu[0], b = p[2] / mu[1], c = mu[0] * d[1], e = mu[1] * d[2];
        // A rounding of p_i counts 1/mu_i in the first and one of d_i counts mu_i in the second inequality.
        worst_cone = fmax(worst_cone, (sqrt(a * a + b * b) - p[0]) / (size * (1.0 + 1.0 / fmin(mu[0], mu[1]))));
        worst_polar = fmax(worst_polar, (sqrt(c * c + e * e) + d[0]) / (size * (1.0 + fmax(mu[0], mu[1]))));
        worst_dot = fmax(worst_dot, fabs(p[0] * d[0] + p[1] * d[1] + p[2] * d[2]) / (size * size));
        assert_true(region != TN_CONE_STICK || (d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0));
        assert_true(region != TN_CONE_APART || (p[0] == 0.0 && p[1] == 0.0 && p[2] == 0.0));
    }
    printf("cone %.2e, polar %.2e, p . d %.2e, limit 3e-15 each; %d apart, %d stick, %d slide\n", worst_cone,
           worst_polar, worst_dot, count[0], count[1], count[2]);
    assert_true(worst_cone < 3e-15 && worst_polar < 3e-15 && worst_dot < 3e-15);
    assert_true(count[0] > SAMPLES / 20 && count[1] > SAMPLES / 20 && count[2] > SAMPLES / 20);
}

static void friction_in_one_direction_only(void **state)
{
    const double mu[2] = {0.0, 0.5};
    double f[3] = {1.0, 7.0, 0.2};
    assert_int_equal(tn_ellipse_cone_project(mu, f), TN_CONE_SLIDE);
    assert_true(f[0] == 1.0 && f[1] == 0.0 && f[2] == 0.2);
    double g[3] = {1.0, 7.0, 2.0}; // onto the edge (1, 0.5) of the half-plane: (1 + 0.5 * 2) / 1.25
    assert_int_equal(tn_ellipse_cone_project(mu, g), TN_CONE_SLIDE);
    assert_true(fabs(g[0] - 1.6) < 1e-15 && g[1] == 0.0 && fabs(g[2] - 0.8) < 1e-15);
    double pull[3] = {-1.0, 7.0, 0.0};
    assert_int_equal(tn_ellipse_cone_project(mu, pull), TN_CONE_APART);
    assert_true(pull[0] == 0.0 && pull[1] == 0.0);
    double rest[3] = {1.0, 0.0, 0.2};
    assert_int_equal(tn_ellipse_cone_project(mu, rest), TN_CONE_STICK);

    const double segment[2] = {2.0, 0.0}, point[2] = {0.0, 0.0};
    double t[2] = {-3.0, 1.0}, u[2] = {1.0, 0.0}, v[2] = {1.0, 0.0}, w[2] = {0.0, 0.0};
    assert_false(tn_ellipse_project(segment, t));
    assert_true(t[0] == -2.0 && t[1] == 0.0);
    assert_true(tn_ellipse_project(segment, u) && u[0] == 1.0);
    assert_false(tn_ellipse_project(point, v));
    assert_true(v[0] == 0.0 && tn_ellipse_project(point, w));
}

// Positive homogeneity over the whole range of numbers: P(c f) = c P(f), for powers of two to the last bit.
static void scale_does_not_matter(void **state)
{
    const double scales[] = {0x1p-1060, 0x1p-900, 0x1p-500, 0x1p500, 0x1p1000};
    const double mu[2] = {0.3, 0.9}, f[3] = {-0.1, 1.0, 0.5}, r[2] = {2.0, 0.5}, t[2] = {3.0, 1.0};
    double p[3], q[2];
    memcpy(p, f, sizeof p);
    memcpy(q, t, sizeof q);
    tn_ellipse_cone_project(mu, p);
    tn_ellipse_project(r, q);
    for (int k = 0; k < 5; k++) {
        double c = scales[k];
        double x[3] = {c * f[0], c * f[1], c * f[2]}, y[2] = {c * t[0], c * t[1]};
        const double radius[2] = {c * r[0], c * r[1]};
        tn_ellipse_cone_project(mu, x);
        tn_ellipse_project(radius, y);
        double accuracy = k == 0 ? 1e-3 : 0.0; // the first scale leaves 14 bits only
        for (int i = 0; i < 3; i++) {
            assert_true(fabs(x[i] / c - p[i]) <= accuracy * fabs(p[i]));
        }
        for (int i = 0; i < 2; i++) {
            assert_true(fabs(y[i] / c - q[i]) <= accuracy * fabs(q[i]));
        }
    }
    // A far point and a tiny ellipse: the farthest point in that direction.
    double far[2] = {1.0, 1.0};
    const double tiny[2] = {1e-310, 1e-310};
    tn_ellipse_project(tiny, far);
    assert_true(fabs(far[0] / 1e-310 - sqrt(0.5)) < 1e-12 && fabs(far[1] / 1e-310 - sqrt(0.5)) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_point_of_the_ellipse),
        cmocka_unit_test(moreaus_decomposition_on_the_elliptic_cone),
        cmocka_unit_test(friction_in_one_direction_only),
        cmocka_unit_test(scale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
