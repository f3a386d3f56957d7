// Degenerate problems, with every solver that takes them: none may hang, crash or return numbers that are not finite.
#include "friction_problem.h"

#include "solver/solver.h"

static const char *next_solver(const friction_problem *f, int *index)
{
    for (const tn_solver *solver; (solver = tn_solver_at(*index));) {
        ++*index;
        if (strcmp(solver->name, "penalty") != 0 && !tn_solver_refusal(solver, &f->problem)) {
            return solver->name;
        }
    }
    return NULL;
}

static void assert_finite(int n, const double *x)
{
    for (int i = 0; i < n; ++i) {
        assert_true(isfinite(x[i]));
    }
}

static void no_contacts(void **state)
{
    for (int full = 0; full < 2; ++full) {
        friction_problem *f = friction_global(3, 6, 0, full, 0.3);
        const char *solver;
        for (int k = 0; (solver = next_solver(f, &k));) {
            tn_solve_report report = friction_solve(f, solver, 1e-12);
            printf("%-7s no contacts: momentum %.1e (limit 1e-12: the tolerance)\n", report.solver,
                   report.certificate.momentum);
            assert_true(report.converged && report.certificate.momentum <= 1e-12);
        }
        friction_destroy(f);
    }
    // Local form without contacts: nothing at all.
    const double none[9] = {0.0};
    friction_problem *f = friction_local(0, none, none, 0.3);
    assert_true(friction_solve(f, "auto", 1e-10).converged);
    assert_true(friction_solve(f, "pgs", 1e-10).converged);
    friction_destroy(f);
}

// mu = 0 under the friction laws is the frictionless law.
static void zero_friction(void **state)
{
    friction_problem *f = friction_global(5, 8, 8, false, 0.0);
    double v[3 * FRICTION_ROWS];
    f->problem.law = TN_LAW_FRICTIONLESS;
    friction_solve(f, "pgs", 1e-11);
    memcpy(v, f->v, sizeof v);
    for (int law = TN_LAW_COULOMB; law <= TN_LAW_FRICTIONLESS; ++law) {
        f->problem.law = (tn_law)law;
        const char *solver;
        for (int k = 0; (solver = next_solver(f, &k));) {
            assert_true(friction_solve(f, solver, 1e-11).converged);
            for (int m = 0; m < f->contacts.n_triples; ++m) {
                assert_true(f->lambda[3 * m + 1] == 0.0 && f->lambda[3 * m + 2] == 0.0);
            }
            double worst = 0.0;
            for (int i = 0; i < 24; ++i) {
                worst = fmax(worst, fabs(f->v[i] - v[i]));
            }
            printf("%-7s mu = 0, law %d: v differs from the frictionless law's by %.1e (limit 1e-9)\n", solver, law,
                   worst);
            assert_true(worst <= 1e-9);
        }
    }
    friction_destroy(f);
}

// mu = 1e6: whatever touches, sticks.
static void huge_friction(void **state)
{
    for (int law = TN_LAW_COULOMB; law <= TN_LAW_CONVEX; ++law) {
        friction_problem *f = friction_global(7, 6, 6, false, 0.0);
        for (int i = 0; i < 12; ++i) {
            f->mu[i] = 1e6;
        }
        f->problem.law = (tn_law)law;
        const char *solver;
        for (int k = 0; (solver = next_solver(f, &k));) {
            tn_solve_report report = friction_solve(f, solver, 1e-8);
            double u[3 * FRICTION_CONTACTS], worst = 0.0;
            assert_finite(18, f->lambda);
            assert_finite(18, f->v);
            friction_velocity(&f->problem, f->lambda, u);
            int touching = 0;
            for (int m = 0; m < 6; ++m) {
                if (f->lambda[3 * m] > 1e-3) {
                    ++touching;
                    worst = fmax(worst, sqrt(u[3 * m + 1] * u[3 * m + 1] + u[3 * m + 2] * u[3 * m + 2]));
                }
            }
            printf("%-7s mu = 1e6, law %d: converged %d, %d touching contacts slide at %.1e m/s at most (limit 1e-6)\n",
                   solver, law, report.converged, touching, worst);
            // First-order methods may stop short of it and must then say so.
            assert_true(!report.converged || (touching > 0 && worst <= 1e-6));
            assert_true(report.converged || strcmp(solver, "auto") != 0);
        }
        friction_destroy(f);
    }
}

// Every contact twice: N is singular, the forces are not unique, v is (mu small, convex law).
static void duplicate_contacts(void **state)
{
    enum { N = 6 };
    friction_problem *f = friction_global(11, N, N, false, 0.3), *g = friction_global(11, N, N, false, 0.3);
    int entries = g->start[N];
    memcpy(g->jacobian + 9 * entries, g->jacobian, (size_t)(9 * entries) * sizeof *g->jacobian);
    memcpy(g->block + entries, g->block, (size_t)entries * sizeof *g->block);
    memcpy(g->offset + 3 * N, g->offset, 3 * N * sizeof *g->offset);
    memcpy(g->mu + 2 * N, g->mu, 2 * N * sizeof *g->mu);
    for (int m = 0; m <= N; ++m) {
        g->start[N + m] = entries + g->start[m];
    }
    g->contacts.n_triples = 2 * N;
    for (int law = TN_LAW_COULOMB; law <= TN_LAW_FRICTIONLESS; ++law) {
        f->problem.law = g->problem.law = (tn_law)law;
        assert_true(friction_solve(f, "pgs", 1e-11).converged);
        const char *solver;
        for (int k = 0; (solver = next_solver(g, &k));) {
            assert_true(friction_solve(g, solver, 1e-11).converged);
            double worst = 0.0;
            for (int i = 0; i < 3 * N; ++i) {
                worst = fmax(worst, fabs(g->v[i] - f->v[i]));
            }
            printf("%-7s law %d, every contact twice: v differs by %.1e (limit 1e-9)\n", solver, law, worst);
            assert_true(worst <= 1e-9);
        }
    }
    friction_destroy(f);
    friction_destroy(g);
}

static void not_a_number(void **state)
{
    for (int where = 0; where < 5; ++where) {
        friction_problem *f = friction_global(13, 4, 4, false, 0.3);
        double *const places[] = {&f->b[2], &f->offset[1], &f->mu[3], &f->problem.A->value[4], &f->jacobian[5]};
        *places[where] = where % 2 ? HUGE_VAL : (double)NAN;
        const char *solver;
        for (int k = 0; (solver = next_solver(f, &k));) {
            tn_solve_options options = tn_solve_options_default();
            tn_solve_report report;
            tn_error error = {0};
            assert_int_equal(tn_problem_solve(&f->problem, solver, &options, &f->solution, &report, &error),
                             TN_BAD_INPUT); // the caller's numbers, named
            assert_non_null(strstr(error.message, "finite"));
        }
        friction_destroy(f);
    }
    // A warm start that is not finite is an error, not a start.
    friction_problem *f = friction_global(13, 4, 4, false, 0.3);
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report;
    tn_error error = {0};
    f->lambda[3] = NAN;
    assert_int_equal(tn_problem_solve(&f->problem, "auto", &options, &f->solution, &report, &error), TN_NUMERICS);
    assert_non_null(strstr(error.message, "warm start"));
    friction_destroy(f);
}

// Out of iterations: TN_OK, the best iterate, and converged false.
static void out_of_iterations(void **state)
{
    friction_problem *f = friction_global(17, 12, 12, false, 0.3);
    const char *solver;
    for (int k = 0; (solver = next_solver(f, &k));) {
        tn_solve_options options = tn_solve_options_default();
        options.tolerance = (tn_tolerance){.natural = 1e-300};
        options.max_iterations = 20;
        memset(f->lambda, 0, sizeof f->lambda);
        memset(f->v, 0, sizeof f->v);
        tn_solve_report report;
        tn_error error = {0};
        assert_int_equal(tn_problem_solve(&f->problem, solver, &options, &f->solution, &report, &error), TN_OK);
        printf("%-7s after %d iterations (limit 20 + a block of 5): natural %.1e, converged %d\n", solver,
               report.iterations, report.certificate.natural, report.converged);
        assert_false(report.converged);
        assert_true(report.iterations <= 25);
        assert_finite(36, f->lambda);
        assert_finite(36, f->v);
    }
    friction_destroy(f);
}

// Neither mass nor friction: a contact that nothing answers to.
static void immovable_contact(void **state)
{
    double W[36] = {0.0};
    for (int i = 0; i < 3; ++i) {
        W[i * 6 + i] = 1.0;
    }
    const double q[6] = {-1.0, 0.2, 0.0, 1.0, 0.0, 0.0};
    friction_problem *f = friction_local(2, W, q, 0.5);
    const char *solver;
    for (int k = 0; (solver = next_solver(f, &k));) {
        friction_solve(f, solver, 1e-10);
        printf("%-7s beside a contact without mass: r_n = %.12f (limit 1e-9 to 1)\n", solver, f->lambda[0]);
        assert_finite(6, f->lambda);
        assert_true(fabs(f->lambda[0] - 1.0) < 1e-9);
    }
    friction_destroy(f);
}

// A warm start at the answer costs next to nothing and stays there.
static void warm_start(void **state)
{
    friction_problem *f = friction_global(19, 12, 12, false, 0.3);
    const char *solver;
    for (int k = 0; (solver = next_solver(f, &k));) {
        friction_solve(f, solver, 1e-10);
        tn_solve_options options = tn_solve_options_default();
        tn_solve_report report;
        tn_error error = {0};
        assert_int_equal(tn_problem_solve(&f->problem, solver, &options, &f->solution, &report, &error), TN_OK);
        printf("%-7s warm at 1e-10, asked for 1e-8: %d iterations (limit 5)\n", solver, report.iterations);
        assert_true(report.converged && report.iterations <= 5);
    }
    friction_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_contacts),        cmocka_unit_test(zero_friction), cmocka_unit_test(huge_friction),
        cmocka_unit_test(duplicate_contacts), cmocka_unit_test(not_a_number),  cmocka_unit_test(out_of_iterations),
        cmocka_unit_test(immovable_contact),  cmocka_unit_test(warm_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
