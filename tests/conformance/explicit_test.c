// Problems whose answers are known in numbers, solved by every solver that takes them. Strict law (NCP) and convex law
// (CCP) each show their own signature: where bodies slide, the convex answer differs by 30 % and separates.
#include "friction_problem.h"

#include "solver/solver.h"

// Name of the next solver from *index on that takes the problem, or NULL. The penalty baseline obeys another law.
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

static void expect(const char *what, const char *solver, int n, const double *got, const double *expected, double limit)
{
    double worst = 0.0;
    for (int i = 0; i < n; ++i) {
        worst = fmax(worst, fabs(got[i] - expected[i]));
    }
    printf("%-28s %-7s off by %.1e (limit %.0e)\n", what, solver, worst, limit);
    assert_true(worst <= limit);
}

// C01: Siconos' FC3D_Example1: three uncoupled contacts, W = I, q = (-1, 1, 3), mu = 0.1. Closed form.
// Tolerance 1e-10: the validation list's.
static void c01_identity(void **state)
{
    const char *solver;
    enum { N = 3 };
    double W[9 * N * N] = {0.0}, q[3 * N];
    for (int i = 0; i < 3 * N; ++i) {
        W[i * 3 * N + i] = 1.0;
        q[i] = (const double[]){-1.0, 1.0, 3.0}[i % 3];
    }
    friction_problem *f = friction_local(N, W, q, 0.1);
    double s = sqrt(10.0), n = (1.0 + 0.1 * s) / 1.01, u[3 * N];
    const double strict[3] = {1.0, -0.1 / s, -0.3 / s}, convex[3] = {n, -0.1 * n / s, -0.3 * n / s};
    assert_true(fabs(convex[0] - 1.3031958079) < 1e-10);
    for (int k = 0; (solver = next_solver(f, &k));) {
        f->problem.law = TN_LAW_COULOMB;
        assert_true(friction_solve(f, solver, 1e-11).converged);
        for (int m = 0; m < N; ++m) {
            expect("C01 strict: r", solver, 3, f->lambda + 3 * m, strict, 1e-10);
        }
        friction_velocity(&f->problem, f->lambda, u);
        expect("C01 strict: u", solver, 3, u, (const double[]){0.0, 0.9683772234, 2.9051316702}, 1e-10);

        f->problem.law = TN_LAW_CONVEX;
        tn_solve_report report = friction_solve(f, solver, 1e-11);
        for (int m = 0; m < N; ++m) {
            expect("C01 convex: r", solver, 3, f->lambda + 3 * m, convex, 1e-10);
        }
        friction_velocity(&f->problem, f->lambda, u);
        double u_t = sqrt(u[1] * u[1] + u[2] * u[2]), m6 = friction_m6(&f->problem, f->lambda);
        printf("C01 convex lifts off at u_n = %.10f = mu |u_t| (0.3031958079); strict M6 of it %.3e (9.10e-02)\n", u[0],
               m6);
        assert_true(fabs(u[0] - 0.1 * u_t) < 1e-10 && fabs(u[0] - 0.3031958079) < 1e-9);
        assert_true(fabs(m6 - 9.10e-2) < 5e-4);
        assert_true(fabs(report.certificate.fclib - m6) < 1e-12); // the certificate does not hide it
    }
    friction_destroy(f);
}

// C02: Siconos' FrictionContact3D_1c and _RR_1c; unique solutions evaluated to a residual of 3e-17, ten digits given.
static void c02_one_contact(void **state)
{
    const char *solver;
    const double W[9] = {15, -1, -2, -1, 14, 1, -2, 1, 16}, q[3] = {-1, 2, 3};
    friction_problem *f = friction_local(1, W, q, 0.1);
    double u[3];
    for (int k = 0; (solver = next_solver(f, &k));) {
        f->problem.law = TN_LAW_COULOMB;
        friction_solve(f, solver, 1e-12);
        expect("C02 1c strict: r", solver, 3, f->lambda, (const double[]){0.0656956829, -0.0036786149, -0.0054430708},
               1e-10);
        friction_velocity(&f->problem, f->lambda, u);
        expect("C02 1c strict: u", solver, 3, u, (const double[]){0.0, 1.8773606376, 2.7778408863}, 1e-9);
        f->problem.law = TN_LAW_CONVEX;
        friction_solve(f, solver, 1e-12);
        expect("C02 1c convex: r_n", solver, 1, f->lambda, (const double[]){0.0871792791}, 1e-10);
    }
    friction_destroy(f);

    // Printed to four digits in the list: three decimals of the answer carry over.
    const double R[9] = {.01344, -9.421e-7, .001486, -9.421e-7, .1061, .0001733, .001486, .0001733, .001442};
    f = friction_local(1, R, (const double[]){-.1458, -.2484, -.1515}, 0.6);
    for (int k = 0; (solver = next_solver(f, &k));) {
        f->problem.law = TN_LAW_COULOMB;
        friction_solve(f, solver, 1e-10);
        expect("C02 RR_1c strict: r", solver, 3, f->lambda, (const double[]){10.2058760557, 1.9318883677, 5.8107980104},
               0.01);
        f->problem.law = TN_LAW_CONVEX;
        friction_solve(f, solver, 1e-10);
        expect("C02 RR_1c convex: r_n", solver, 1, f->lambda, (const double[]){15.1768842572}, 0.02);
    }
    friction_destroy(f);
}

// One contact on one block: A dense or diagonal 3x3, J = I.
static friction_problem *one_block(const double A[9], const double b[3], const double w[3], double mu)
{
    friction_problem *f = friction_global(1, 1, 1, true, 0.0);
    memcpy(f->problem.A->value, A, 9 * sizeof *A);
    memcpy(f->b, b, 3 * sizeof *b);
    memcpy(f->offset, w, 3 * sizeof *w);
    for (int i = 0; i < 9; ++i) {
        f->jacobian[i] = i % 4 == 0 ? 1.0 : 0.0;
    }
    f->mu[0] = f->mu[1] = mu;
    f->problem.step = 1.0;
    f->problem.force_scale = f->problem.velocity_scale = 1.0; // b may be zero
    return f;
}

// C08: Siconos' global problems GFC3D_Example00, its badly scaled twin, and Example1. J = H^T = I; 1e-10 relative, or
// the digits that the list gives.
static void c08_global(void **state)
{
    const char *solver;
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0.0, 0.0, 0.0}, down[3] = {-1, -1, -1};
    friction_problem *f = one_block(identity, down, zero, 0.1);
    double t = 0.1 / sqrt(2.0);
    for (int k = 0; (solver = next_solver(f, &k));) {
        f->problem.law = TN_LAW_COULOMB;
        friction_solve(f, solver, 1e-11);
        expect("C08 Example00 strict: r", solver, 3, f->lambda, (const double[]){1.0, t, t}, 1e-10);
        expect("C08 Example00 strict: v", solver, 3, f->v, (const double[]){0.0, t - 1.0, t - 1.0}, 1e-10);
        // The convex answer is the projection of (1, 1, 1) on the cone (W = I).
        f->problem.law = TN_LAW_CONVEX;
        friction_solve(f, solver, 1e-11);
        double n = (1.0 + 0.1 * sqrt(2.0)) / 1.01;
        expect("C08 Example00 convex: r", solver, 3, f->lambda, (const double[]){n, n * t, n * t}, 1e-10);
        assert_true(f->v[0] > 0.1); // takes off at mu |u_t|
        assert_true(fabs(f->v[0] - 0.1 * sqrt(f->v[1] * f->v[1] + f->v[2] * f->v[2])) < 1e-9);
    }
    friction_destroy(f);

    // Sliding: u_i = (r_i - 1) / M_i = -x r_i, so r_i = 1 / (1 + M_i x) with |r_t| = 0.1; bisection on x. The list's
    // third number is 1.8e-10 off this (its residual of 2e-14 does not see that: the tangent's mobility is 1e-4).
    double low = 0.0, high = 100.0;
    for (int i = 0; i < 200; ++i) {
        double x = 0.5 * (low + high), r1 = 1.0 / (1.0 + x), r2 = 1.0 / (1.0 + 1e4 * x);
        *(r1 * r1 + r2 * r2 > 0.01 ? &low : &high) = x;
    }
    const double sliding[3] = {1.0, 1.0 / (1.0 + low), 1.0 / (1.0 + 1e4 * low)};
    const double listed[3] = {1.0, 0.0999999994, 1.11108036e-5};
    const double badly[9] = {1e-4, 0, 0, 0, 1, 0, 0, 0, 1e4};
    f = one_block(badly, down, zero, 0.1);
    for (int k = 0; (solver = next_solver(f, &k));) {
        friction_solve(f, solver, 1e-12);
        expect("C08 badly scaled: r", solver, 3, f->lambda, sliding, 1e-9); // condition 1e8
        expect("C08 badly scaled, list: r", solver, 3, f->lambda, listed, 5e-10);
    }
    friction_destroy(f);

    // Evaluated to 40 digits from the sliding equations; the list prints 7.97453450 for the last, two digits swapped.
    const double M[9] = {106.5, 81, 126.5, 81, 91.5, 110, 126.5, 110, 163.5};
    f = one_block(M, zero, (const double[]){-2.5, -10, -5.5}, 0.5);
    for (int k = 0; (solver = next_solver(f, &k));) {
        friction_solve(f, solver, 1e-11);
        expect("C08 Example1: r", solver, 3, f->lambda, (const double[]){24.4161219211, 9.2435673614, 7.9745354004},
               1e-9);
        double u[3];
        friction_velocity(&f->problem, f->lambda, u);
        expect("C08 Example1: u", solver, 3, u, (const double[]){0.0, -9.19137335, -7.92950701}, 1e-8);
    }
    friction_destroy(f);
}

// C14: Drake's unit test of its PGS solver (multibody/contact_solvers/test/pgs_solver_test.cc), order (n, t1, t2) here:
// v* = -1, A^-1 = diag(3, 12, 4), J = I. mu = 1000 stops it; mu = 0 leaves the tangents. Limit 1e-13 for the exact
// local solve (theirs), the solver's tolerance for the others.
static void c14_drake(void **state)
{
    const char *solver;
    const double A[9] = {1.0 / 3, 0, 0, 0, 1.0 / 12, 0, 0, 0, 1.0 / 4}, zero[3] = {0.0, 0.0, 0.0};
    const double b[3] = {-1.0 / 3, -1.0 / 12, -1.0 / 4};
    friction_problem *f = one_block(A, b, zero, 1000.0);
    for (int k = 0; (solver = next_solver(f, &k));) {
        double limit = strcmp(solver, "pgs") == 0 ? 1e-13 : 1e-8;
        for (int law = TN_LAW_COULOMB; law <= TN_LAW_CONVEX; ++law) {
            f->problem.law = (tn_law)law; // nothing slides: both laws agree
            if (tn_solver_refusal(tn_solver_find(solver), &f->problem)) {
                continue; // of the strict law only
            }
            friction_solve(f, solver, 1e-12);
            expect("C14 mu = 1000: r", solver, 3, f->lambda, (const double[]){1.0 / 3, 1.0 / 12, 0.25}, limit);
            expect("C14 mu = 1000: v", solver, 3, f->v, zero, limit);
        }
        f->mu[0] = f->mu[1] = 0.0;
        f->problem.law = TN_LAW_COULOMB;
        friction_solve(f, solver, 1e-12);
        expect("C14 mu = 0: r", solver, 3, f->lambda, (const double[]){1.0 / 3, 0.0, 0.0}, limit);
        expect("C14 mu = 0: v", solver, 3, f->v, (const double[]){0.0, -1.0, -1.0}, limit);
        f->mu[0] = f->mu[1] = 1000.0;
    }
    friction_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c01_identity),
        cmocka_unit_test(c02_one_contact),
        cmocka_unit_test(c08_global),
        cmocka_unit_test(c14_drake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
