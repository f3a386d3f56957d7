// Solvers agree: 200 random small problems with well-conditioned W and mu <= 0.3, where the solution is unique, solved
// by every solver that takes them: same v to 1e-8 (the project's bar). Half have A in components, half a full A.
#include "friction_problem.h"

#include "solver/solver.h"

enum { PROBLEMS = 200 };
static const double LIMIT = 1e-8;      // relative to |v|
static const double TOLERANCE = 1e-11; // of each solver: the condition of N is below 100

// Anisotropic friction and invertible contacts (Omega) by turns.
static void modify(friction_problem *f, int k, double omega[9 * FRICTION_CONTACTS])
{
    for (int m = 0; m < f->contacts.n_triples; ++m) {
        f->mu[2 * m + 1] *= k % 3 == 0 ? 1.0 : 0.4;
        for (int i = 0; i < 9; ++i) {
            omega[9 * m + i] = i % 4 == 0 ? 0.05 + 0.01 * (i / 4) : 0.004;
        }
    }
    f->contacts.softness = k % 3 == 1 ? NULL : omega;
}

static void compare(tn_law law, bool modified)
{
    static const char *const names[] = {"cond", "apgd", "newton", "auto", "ccs", "pgs-dense", "apgd-dense", "ipm"};
    enum { N_NAMES = sizeof names / sizeof names[0] };
    static double omega[9 * FRICTION_CONTACTS];
    double worst[N_NAMES] = {0.0};
    int solved[N_NAMES] = {0}, sliding = 0, sticking = 0, open = 0;
    for (int k = 0; k < PROBLEMS; ++k) {
        int n_rows = 2 + 2 * (k % 5), n = n_rows;
        friction_problem *f = friction_global((uint64_t)(k + 1), n_rows, n, k % 2 == 1, 0.3);
        f->problem.law = law;
        if (modified) {
            modify(f, k, omega);
        }
        double v[3 * FRICTION_ROWS], norm = 0.0, u[3 * FRICTION_CONTACTS];
        assert_true(friction_solve(f, "pgs", TOLERANCE).converged);
        memcpy(v, f->v, sizeof v);
        for (int i = 0; i < 3 * n_rows; ++i) {
            norm += v[i] * v[i];
        }
        norm = sqrt(norm);
        friction_velocity(&f->problem, f->lambda, u);
        for (int m = 0; m < n; ++m) {
            double slip = sqrt(u[3 * m + 1] * u[3 * m + 1] + u[3 * m + 2] * u[3 * m + 2]);
            open += f->lambda[3 * m] == 0.0;
            sliding += f->lambda[3 * m] > 0.0 && slip > 1e-6;
            sticking += f->lambda[3 * m] > 0.0 && slip <= 1e-6;
        }
        for (int s = 0; s < N_NAMES; ++s) {
            const tn_solver *solver = tn_solver_find(names[s]);
            if (!solver || tn_solver_refusal(solver, &f->problem)) {
                continue;
            }
            bool converged = friction_solve(f, names[s], TOLERANCE).converged;
            double difference = 0.0;
            for (int i = 0; i < 3 * n_rows; ++i) {
                difference += (f->v[i] - v[i]) * (f->v[i] - v[i]);
            }
            ++solved[s];
            worst[s] = fmax(worst[s], sqrt(difference) / norm);
            if (!converged || sqrt(difference) > LIMIT * norm) {
                print_error("problem %d, %s: converged %d, v differs by %g\n", k, names[s], converged,
                            sqrt(difference) / norm);
            }
        }
        friction_destroy(f);
    }
    printf("law %d: contacts open %d, sticking %d, sliding %d\n", law, open, sticking, sliding);
    assert_true(open > PROBLEMS / 4 && sliding > PROBLEMS / 4);
    for (int s = 0; s < N_NAMES; ++s) {
        printf("  %-10s solved %d, v differs from pgs by %.1e at most (limit %.0e)\n", names[s], solved[s], worst[s],
               LIMIT);
        assert_true(worst[s] <= LIMIT);
    }
    assert_int_equal(solved[1], PROBLEMS);
    assert_int_equal(solved[2], PROBLEMS);
    for (int s = 3; s < N_NAMES; ++s) {
        assert_int_equal(solved[s], PROBLEMS);
    }
}

static void strict_law(void **state)
{
    compare(TN_LAW_COULOMB, false);
}

static void convex_law(void **state)
{
    compare(TN_LAW_CONVEX, false);
}

static void frictionless_law(void **state)
{
    compare(TN_LAW_FRICTIONLESS, false);
}

static void modifiers(void **state)
{
    compare(TN_LAW_COULOMB, true);
    compare(TN_LAW_CONVEX, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict_law),
        cmocka_unit_test(convex_law),
        cmocka_unit_test(frictionless_law),
        cmocka_unit_test(modifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
