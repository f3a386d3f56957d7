// The Newton step's derivative against differences, and its projection against the law's definition.
#include "friction_problem.h"

#include "solver/newton/step.h"

// F is piecewise smooth: central differences of step 1e-6 err by 1e-10 inside a piece; a kink within a step is rare and
// counted. J dy = (I - P') dy + rho P' D N D dy.
static void derivative(void **state)
{
    enum { N = 6, SIZE = 3 * N };
    for (int law = 0; law < 3; ++law) {
        int kinks = 0, total = 0, sliding = 0;
        double worst = 0.0;
        for (uint64_t seed = 0; seed < 40; ++seed) {
            friction_problem *f = friction_global(seed + 1, N, N, true, 0.8);
            f->problem.law = (tn_law)law;
            for (int m = 0; m < N; ++m) {
                f->mu[2 * m + 1] = seed % 2 ? 0.6 * f->mu[2 * m] : f->mu[2 * m];
                for (int i = 0; i < 3; ++i) {
                    f->lambda[3 * m + i] = friction_random(seed, 9, (uint64_t)(3 * m + i)) + (i == 0 ? 0.7 : 0.0);
                }
            }
            tn_gauss_seidel gs;
            tn_check check;
            tn_newton s;
            tn_error error = {0};
            const tn_tolerance tolerance = {.natural = 1e-8};
            assert_int_equal(
                tn_gauss_seidel_create(&gs, &f->problem, TN_DELASSUS_EXPLICIT, f->lambda, f->arena, &error), TN_OK);
            assert_true(tn_check_create(&check, &f->problem, gs.q, &tolerance, f->arena));
            assert_true(tn_newton_create(&s, &gs, &check, f->arena));
            tn_newton_take(&s);
            double y[SIZE], direction[SIZE], plus[SIZE], minus[SIZE], u[SIZE], u_plus[SIZE], lambda[SIZE];
            memcpy(y, s.y, sizeof y);
            tn_newton_evaluate(&s, y, s.residual, true);
            memcpy(lambda, gs.lambda, sizeof lambda);
            memcpy(u, gs.u, sizeof u);
            for (int i = 0; i < SIZE; ++i) {
                direction[i] = friction_random(seed, 10, (uint64_t)i);
                plus[i] = y[i] + 1e-6 * direction[i];
                minus[i] = y[i] - 1e-6 * direction[i];
            }
            double f_plus[SIZE], f_minus[SIZE];
            tn_newton_evaluate(&s, plus, f_plus, false);
            memcpy(u_plus, gs.u, sizeof u_plus);
            tn_newton_evaluate(&s, minus, f_minus, false);
            for (int m = 0; m < N; ++m) {
                const double *P = s.slope + 9 * m;
                sliding += P[0] != 0.0 && P[4] != 1.0;
                double bad = 0.0;
                for (int i = 0; i < 3; ++i) {
                    double exact = direction[3 * m + i];
                    for (int j = 0; j < 3; ++j) {
                        int k = 3 * m + j;
                        double du = s.scale[k] * (u_plus[k] - u[k]) / 1e-6; // u is linear in y
                        exact -= P[3 * i + j] * (direction[k] - s.rho[m] * du);
                    }
                    bad = fmax(bad, fabs(exact - (f_plus[3 * m + i] - f_minus[3 * m + i]) / 2e-6));
                }
                ++total;
                if (bad > 1e-4) {
                    ++kinks;
                } else {
                    worst = fmax(worst, bad);
                }
            }
            tn_gauss_seidel_destroy(&gs);
            friction_destroy(f);
        }
        printf("law %d: derivative off by %.1e (limit 1e-7: differences), %d kinks of %d, %d sliding\n", law, worst,
               kinks, total, sliding);
        assert_true(worst <= 1e-7 && kinks <= 2);
        assert_true(law == 2 || sliding > total / 10);
    }
}

// At a solution F vanishes, whatever rho: the solution of pgs put into it.
static void zero_at_solutions(void **state)
{
    for (int law = 0; law < 3; ++law) {
        friction_problem *f = friction_global(77, 8, 8, true, 0.3);
        f->problem.law = (tn_law)law;
        friction_solve(f, "pgs", 1e-13);
        tn_gauss_seidel gs;
        tn_check check;
        tn_newton s;
        tn_error error = {0};
        const tn_tolerance tolerance = {.natural = 1e-8};
        assert_int_equal(tn_gauss_seidel_create(&gs, &f->problem, TN_DELASSUS_EXPLICIT, f->lambda, f->arena, &error),
                         TN_OK);
        assert_true(tn_check_create(&check, &f->problem, gs.q, &tolerance, f->arena));
        assert_true(tn_newton_create(&s, &gs, &check, f->arena));
        for (int k = 0; k < 3; ++k) {
            tn_newton_take(&s);
            double norm = tn_newton_evaluate(&s, s.y, s.residual, false);
            printf("law %d: |F| = %.1e at pgs' solution (limit 1e-11)\n", law, norm);
            assert_true(norm <= 1e-11);
            for (int m = 0; m < 8; ++m) {
                s.rho[m] *= 0.1;
            }
        }
        tn_gauss_seidel_destroy(&gs);
        friction_destroy(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivative), cmocka_unit_test(zero_at_solutions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
