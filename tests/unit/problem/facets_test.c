// The certificate's polyhedral cone: Moreau's decomposition against its generators, the residual's zeros, the limit of
// many facets, NaN.
#include "problem/certificate_facets.h"

#include "base/random.h"
#include "problem/certificate_cone.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

static double random_number(uint64_t stream, int i)
{
    return 2.0 * tn_random_uniform(7, stream, (uint64_t)i) - 1.0;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// With f = 0 and s = 1 the residual is |P_K(-u)|^2. Moreau: x = P_K x + P_polar x, so |P_K x|^2 = |x|^2 - dist^2, found
// here by cyclic projection of x on the generators (coordinate descent for least |x - R c|^2 with c >= 0).
static double squared_nearest(int n, const double mu[2], const double x[3])
{
    double rays[16][3], c[16] = {0.0}, rest[3] = {x[0], x[1], x[2]};
    for (int i = 0; i < n; ++i) {
        double angle = 2.0 * acos(-1.0) * i / n;
        rays[i][0] = 1.0;
        rays[i][1] = mu[0] * cos(angle);
        rays[i][2] = n == 2 ? 0.0 : mu[1] * sin(angle);
    }
    for (int sweep = 0; sweep < 4000; ++sweep) {
        for (int i = 0; i < n; ++i) {
            double step = fmax(-c[i], dot(rays[i], rest) / dot(rays[i], rays[i]));
            c[i] += step;
            for (int k = 0; k < 3; ++k) {
                rest[k] -= step * rays[i][k];
            }
        }
    }
    return dot(x, x) - dot(rest, rest);
}

static void moreau(void **state)
{
    static const int facets[] = {2, 4, 6, 8};
    double worst = 0.0;
    for (int i = 0; i < 400; ++i) {
        double mu[2] = {0.1 + fabs(random_number(1, i)), 0.1 + fabs(random_number(2, i))};
        mu[1] = i % 2 ? mu[0] : mu[1];
        const tn_certificate_facets cone = {facets[i / 2 % 4], mu};
        const double none[3] = {0.0}, u[3] = {random_number(3, i), random_number(4, i), random_number(5, i)};
        const double x[3] = {-u[0], -u[1], -u[2]};
        double own = tn_certificate_facets_residual(&cone, TN_LAW_CONVEX, 1.0, none, u);
        worst = fmax(worst, fabs(own - squared_nearest(cone.n, mu, x)));
    }
    printf("|P_K x|^2 off by %.1e (limit 1e-6: descent on nearly parallel rays)\n", worst);
    assert_true(worst <= 1e-6);
}

// Sliding along direction 1 of 8 at its limit, sticking inside, open: residual zero; anything beside it: not.
static void zeros(void **state)
{
    const double mu[2] = {0.5, 0.5}, root = sqrt(0.5);
    const tn_certificate_facets cone = {8, mu};
    const double f[3] = {2.0, root, root}, u[3] = {0.0, -3.0 * root, -3.0 * root};
    double slide = tn_certificate_facets_residual(&cone, TN_LAW_COULOMB, 0.7, f, u);
    const double inside[3] = {2.0, 0.3, 0.2}, rest[3] = {0.0}, open[3] = {1.0, 3.0, 2.0};
    double stick = tn_certificate_facets_residual(&cone, TN_LAW_COULOMB, 0.7, inside, rest);
    double apart = tn_certificate_facets_residual(&cone, TN_LAW_COULOMB, 0.7, rest, open);
    // Any velocity whose steepest direction is 1 slides against f; one beyond half the angle does not.
    const double turned[3] = {0.0, -cos(1.1), -sin(1.1)}, beyond[3] = {0.0, -cos(1.3), -sin(1.3)};
    double same = tn_certificate_facets_residual(&cone, TN_LAW_COULOMB, 0.7, f, turned);
    double wrong = tn_certificate_facets_residual(&cone, TN_LAW_COULOMB, 0.7, f, beyond);
    printf("slide %.1e, stick %.1e, open %.1e, turned %.1e (limit 1e-28); beyond %.1e (at least 1e-4)\n", slide, stick,
           apart, same, wrong);
    assert_true(slide < 1e-28 && stick < 1e-28 && apart < 1e-28 && same < 1e-28 && wrong > 1e-4);
    // The convex law lifts off by mu times the slip.
    const double lifted[3] = {1.5, -3.0 * root, -3.0 * root};
    assert_true(tn_certificate_facets_residual(&cone, TN_LAW_CONVEX, 0.7, f, lifted) < 1e-28);
    assert_true(fabs(tn_certificate_facets_shift(&cone, u) - 1.5) < 1e-15);
    assert_true(fabs(tn_certificate_facets_excess(&cone, f)) < 1e-15);
    // Halfway between two corners the polygon is cos(pi/8) of the circle.
    const double edge[3] = {2.0, cos(acos(-1.0) / 8.0), sin(acos(-1.0) / 8.0)};
    double excess = tn_certificate_facets_excess(&cone, edge);
    assert_true(fabs(excess - (1.0 / cos(acos(-1.0) / 8.0) - 1.0)) < 1e-15);
}

static void many_facets(void **state)
{
    double worst = 0.0;
    for (int i = 0; i < 200; ++i) {
        double mu[2] = {0.6, 0.4};
        const tn_certificate_facets cone = {2000, mu};
        const double f[3] = {fabs(random_number(6, i)), 0.3 * random_number(7, i), 0.3 * random_number(8, i)};
        const double u[3] = {0.2 * random_number(9, i), random_number(10, i), random_number(11, i)};
        for (int law = 0; law < 3; ++law) {
            double own = tn_certificate_facets_residual(&cone, (tn_law)law, 0.7, f, u);
            worst = fmax(worst, fabs(own - tn_certificate_squared_residual((tn_law)law, mu, 0.7, f, u)));
        }
    }
    printf("2000 facets against the ellipse: %.1e (limit 1e-3: half an edge, pi / 2000, times lengths of one)\n",
           worst);
    assert_true(worst <= 1e-3);
}

static void not_a_number(void **state)
{
    const double mu[2] = {0.5, 0.5};
    for (int n = 2; n <= 4; n += 2) {
        const tn_certificate_facets cone = {n, mu};
        for (int k = 0; k < 3; ++k) {
            double f[3] = {1.0, 0.1, 0.1}, u[3] = {0.1, 0.2, 0.3};
            f[k] = (double)NAN;
            assert_true(isnan(tn_certificate_facets_residual(&cone, TN_LAW_COULOMB, 1.0, f, u)));
            assert_true(isnan(tn_certificate_facets_excess(&cone, f)));
            f[k] = 0.5;
            u[k] = (double)NAN;
            assert_true(isnan(tn_certificate_facets_residual(&cone, TN_LAW_COULOMB, 1.0, f, u)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moreau), cmocka_unit_test(zeros), cmocka_unit_test(many_facets),
                                       cmocka_unit_test(not_a_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
