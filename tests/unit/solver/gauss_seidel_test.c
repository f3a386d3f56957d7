// Sweeps by components (packed, v kept up to date) against sweeps over an explicit N, and the solvers' own check
// against the certificate.
#include "friction_problem.h"

#include "problem/certificate.h"
#include "solver/gauss_seidel.h"
#include "solver/newton.h"

static const char *const LAWS[] = {"coulomb", "convex", "frictionless"};

// omega: adds 0.1 I + a little; aniso: mu2 = mu1 / 2.
static void modify(friction_problem *f, double omega[9 * FRICTION_CONTACTS], bool with_omega, bool anisotropic)
{
    for (int m = 0; m < f->contacts.n; ++m) {
        for (int i = 0; i < 9; ++i) {
            omega[9 * m + i] = i % 4 == 0 ? 0.1 : 0.01;
        }
        f->mu[2 * m + 1] = anisotropic ? 0.5 * f->mu[2 * m] : f->mu[2 * m];
    }
    f->contacts.omega = with_omega ? omega : NULL;
}

// One sweep is the same map, however N is stored: differences are rounding. Limit: 1e-12 of forces about 1.
static void same_sweeps(void **state)
{
    (void)state;
    static double omega[9 * FRICTION_CONTACTS];
    for (int variant = 0; variant < 12; ++variant) {
        friction_problem *f = friction_global((uint64_t)(30 + variant), 12, 18, false, 0.9);
        modify(f, omega, variant % 2 == 1, variant / 2 % 2 == 1);
        f->problem.law = (tn_law)(variant / 4);
        tn_gauss_seidel packed, rows;
        tn_error error = {0};
        assert_int_equal(tn_gauss_seidel_choose(&f->problem, f->arena), TN_DELASSUS_COMPONENTS);
        assert_int_equal(
            tn_gauss_seidel_create(&packed, &f->problem, TN_DELASSUS_COMPONENTS, f->lambda, f->arena, &error), TN_OK);
        assert_int_equal(tn_gauss_seidel_create(&rows, &f->problem, TN_DELASSUS_EXPLICIT, f->lambda, f->arena, &error),
                         TN_OK);
        double worst = 0.0;
        for (int k = 0; k < 20; ++k) {
            tn_gauss_seidel_sweep(&packed);
            tn_gauss_seidel_sweep(&rows);
            tn_gauss_seidel_velocity(&packed);
            tn_gauss_seidel_velocity(&rows);
            for (int i = 0; i < 3 * f->contacts.n; ++i) {
                worst = fmax(worst, fabs(packed.lambda[i] - rows.lambda[i]));
                worst = fmax(worst, fabs(packed.u[i] - rows.u[i]));
            }
        }
        printf("%s, omega %d, anisotropic %d: 20 sweeps differ by %.1e (limit 1e-12)\n", LAWS[variant / 4], variant % 2,
               variant / 2 % 2, worst);
        assert_true(worst <= 1e-12);
        // Setting the forces again rebuilds the same velocities.
        double before = packed.u[3];
        tn_gauss_seidel_set(&packed, packed.lambda);
        tn_gauss_seidel_velocity(&packed);
        assert_true(fabs(packed.u[3] - before) <= 1e-13);
        tn_gauss_seidel_destroy(&packed);
        tn_gauss_seidel_destroy(&rows);
        friction_destroy(f);
    }
}

// score = figure / tolerance / 0.9 with the certificate's own figures (strict natural: a little more), at a point that
// is no solution.
static void check_agrees_with_certificate(void **state)
{
    (void)state;
    static double omega[9 * FRICTION_CONTACTS];
    for (int variant = 0; variant < 12; ++variant) {
        friction_problem *f = friction_global((uint64_t)(50 + variant), 8, 10, false, 0.9);
        modify(f, omega, variant % 2 == 1, variant / 2 % 2 == 1);
        f->problem.law = (tn_law)(variant / 4);
        f->problem.force_scale = 0.5;
        tn_gauss_seidel gs;
        tn_error error = {0};
        assert_int_equal(tn_gauss_seidel_create(&gs, &f->problem, TN_DELASSUS_COMPONENTS, f->lambda, f->arena, &error),
                         TN_OK);
        tn_gauss_seidel_sweep(&gs);
        for (int i = 0; i < 3 * f->contacts.n; ++i) {
            gs.lambda[i] *= 1.1;
        }
        tn_gauss_seidel_set(&gs, gs.lambda);
        tn_gauss_seidel_velocity(&gs);
        memcpy(f->lambda, gs.lambda, (size_t)(3 * f->contacts.n) * sizeof *gs.lambda);
        tn_packed_recover(&gs.packed, f->lambda, f->v);
        tn_certificate c;
        assert_int_equal(tn_certificate_compute(&f->problem, &f->solution, true, f->arena, &c), TN_OK);
        tn_check check;
        const tn_tolerance natural = {.natural = 1e-3}, fclib = {.fclib = 1e-3};
        assert_true(tn_check_create(&check, &f->problem, gs.q, &natural, f->arena));
        double a = 0.9e-3 * tn_check_score(&check, gs.lambda, gs.u);
        assert_true(tn_check_create(&check, &f->problem, gs.q, &fclib, f->arena));
        double b = 0.9e-3 * tn_check_score(&check, gs.lambda, gs.u);
        printf("%s: natural %.12e, certificate %.12e; fclib %.12e, certificate %.12e (limit 1e-10 relative)\n",
               LAWS[variant / 4], a, c.natural, b, c.fclib);
        // The strict law's normal row counts by itself too: above the certificate's figure, by sqrt(1 + mu^2) at most.
        double factor = f->problem.law == TN_LAW_COULOMB ? sqrt(1.0 + 0.9 * 0.9) : 1.0;
        assert_true(a >= (1.0 - 1e-10) * c.natural && a <= (1.0 + 1e-10) * factor * c.natural && c.natural > 1e-8);
        assert_true(fabs(b - c.fclib) <= 1e-10 * c.fclib && c.fclib > 1e-8);
        tn_gauss_seidel_destroy(&gs);
        friction_destroy(f);
    }
}

// Newton converges fast where Gauss-Seidel crawls: a tall stack. The limit of 60 steps is twice a round.
static void newton_on_a_stack(void **state)
{
    (void)state;
    enum { N = 20 };
    static double W[9 * N * N], q[3 * N];
    // Unit masses on top of each other, contact k between k - 1 and k: a tridiagonal W in every direction.
    for (int k = 0; k < N; ++k) {
        for (int i = 0; i < 3; ++i) {
            int row = 3 * k + i;
            W[row * 3 * N + row] = k == 0 ? 1.0 : 2.0;
            if (k > 0) {
                W[row * 3 * N + row - 3] = W[(row - 3) * 3 * N + row] = -1.0;
            }
        }
        q[3 * k] = k == 0 ? -1.0 : 0.0;
        q[3 * k + 1] = k == 0 ? 0.4 : 0.0;
    }
    friction_problem *f = friction_local(N, W, q, 0.5);
    for (int law = 0; law < 3; ++law) {
        f->problem.law = (tn_law)law;
        tn_solve_report newton = friction_solve(f, "newton", 1e-12);
        tn_solve_report pgs = friction_solve(f, "pgs", 1e-12);
        printf("stack of %d, %s: newton %d iterations (limit 60), pgs %d; weight on the floor %.12f (exact %d)\n", N,
               LAWS[law], newton.iterations, pgs.iterations, f->lambda[0], N);
        assert_true(newton.converged && newton.iterations <= 60);
        assert_true(pgs.converged && pgs.iterations > newton.iterations);
        assert_true(fabs(f->lambda[0] - N) <= 1e-9);
    }
    friction_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_sweeps),
        cmocka_unit_test(check_agrees_with_certificate),
        cmocka_unit_test(newton_on_a_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
