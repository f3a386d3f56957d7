// The interior point method: the cone's algebra by its definitions, the convex law solved to rounding.
#include "friction_problem.h"

#include "problem/delassus.h"
#include "solver/ipm/interior.h"
#include "solver/ipm/interior_cone.h"

#include "math/mat3.h"

enum { TRIALS = 2000 };

// A point inside the cone: how far, by powers of ten down to 1e-6 of its size.
static void random_inside(uint64_t stream, int k, double x[3])
{
    double size = pow(10.0, 3.0 * friction_random(1, stream, (uint64_t)(4 * k)));
    double angle = 3.2 * friction_random(1, stream, (uint64_t)(4 * k + 1));
    double margin = pow(10.0, -6.0 * tn_random_uniform(1, stream, (uint64_t)(4 * k + 2)));
    double radius = size * (1.0 - margin);
    tn_vec3_set(x, size, radius * cos(angle), radius * sin(angle));
}

static double distance(const double a[3], const double b[3])
{
    double d[3];
    tn_vec3_sub(d, a, b);
    return tn_vec3_norm(d);
}

// l o (l \ b) = b, to the condition of the division: 1 / margin.
static void division(void **state)
{
    double worst = 0.0;
    for (int k = 0; k < TRIALS; ++k) {
        double l[3], b[3], q[3], back[3];
        random_inside(1, k, l);
        random_inside(2, k, b);
        tn_interior_divide(l, b, q);
        tn_interior_product(l, q, back);
        worst = fmax(worst, distance(back, b) / (tn_vec3_norm(l) * tn_vec3_norm(q)));
    }
    printf("l o (l \\ b) off by %.1e of |l| |l \\ b| (limit 1e-14: rounding)\n", worst);
    assert_true(worst <= 1e-14);
}

// W y = l, W l = x, W symmetric: what defines the scaling. Errors grow with 1 / margin, 1e6 for each point.
static void scaling(void **state)
{
    double worst = 0.0;
    for (int k = 0; k < TRIALS; ++k) {
        double x[3], y[3], W[9], l[3], image[3];
        random_inside(3, k, x);
        random_inside(4, k, y);
        tn_interior_scaling(x, y, W, l);
        tn_mat3_vec(image, W, y);
        worst = fmax(worst, distance(l, image) / tn_vec3_norm(l));
        tn_mat3_vec(image, W, l);
        worst = fmax(worst, distance(x, image) / tn_vec3_norm(x));
        for (int i = 0; i < 9; ++i) {
            assert_true(W[i] == W[3 * (i % 3) + i / 3]);
        }
    }
    printf("W y = l, W l = x off by %.1e (limit 1e-8)\n", worst);
    assert_true(worst <= 1e-8);
}

// The convex law, from scratch: natural map 1e-6 in at most 30 steps. Anisotropic friction and Omega by turns. (The
// error is the root of the gap where forces slide: their direction is second order in it.)
static void convex_law(void **state)
{
    int most = 0;
    double worst = 0.0;
    for (int k = 0; k < 60; ++k) {
        int n = 4 + k % 12;
        friction_problem *f = friction_global((uint64_t)(k + 1), n, n, k % 2 == 1, 0.9);
        double omega[9 * FRICTION_CONTACTS], none[3 * FRICTION_CONTACTS] = {0.0}, u[3 * FRICTION_CONTACTS];
        f->problem.law = TN_LAW_CONVEX;
        for (int i = 0; i < 9 * n; ++i) {
            omega[i] = i % 9 % 4 == 0 ? 0.05 + 0.01 * (i % 9 / 4) : 0.004;
        }
        for (int m = 0; m < n; ++m) {
            f->mu[2 * m + 1] *= k % 3 == 0 ? 1.0 : 0.4;
        }
        f->contacts.softness = k % 3 == 2 ? omega : NULL;
        tn_delassus delassus;
        tn_check check;
        tn_interior s;
        tn_error error = {0};
        const tn_tolerance tolerance = {.natural = 1e-6};
        assert_int_equal(
            tn_delassus_create(&f->problem, tn_delassus_choose(&f->problem, f->arena), f->arena, &delassus, &error),
            TN_OK);
        assert_true(tn_check_create(&check, &f->problem, delassus.q, &tolerance, f->arena));
        assert_int_equal(tn_interior_create(&s, &f->problem, &check, check.q_norm / sqrt((double)f->contacts.n_triples),
                                            f->arena, &error),
                         TN_OK);
        tn_interior_start(&s, f->v);
        double score = HUGE_VAL;
        int steps = 0;
        for (; steps < 30 && score > 0.01; ++steps) {
            tn_status status = tn_interior_step(&s, none, &error);
            if (status == TN_NUMERICS) {
                break; // rounding has the last word, as for every caller
            }
            assert_int_equal(status, TN_OK);
            assert_int_equal(tn_delassus_velocity(&delassus, s.lambda, u, f->arena, &error), TN_OK);
            score = fmin(score, tn_check_score(&check, s.lambda, u));
        }
        worst = fmax(worst, score);
        most = steps > most ? steps : most;
        tn_interior_destroy(&s);
        tn_delassus_destroy(&delassus);
        friction_destroy(f);
    }
    printf("natural map %.1e at most (limit 1e-6: ten times the worst) after at most %d steps (limit 30)\n",
           0.9e-6 * worst, most);
    assert_true(worst <= 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(division),
        cmocka_unit_test(scaling),
        cmocka_unit_test(convex_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
