// qp: the convex polyhedral law against lemke and the certificate, redundant contacts, joints, warm starts; the factor
// of its working set.
#include "facets_problem.h"

#include "solver/qp/working_factor.h"

// The velocity of the convex law is unique: the same from pivoting, whatever the forces.
static void like_lemke(void **state)
{
    double worst = 0.0, apart = 0.0;
    int rounds = 0, dependent = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        static const int facets[] = {2, 4, 6, 8};
        int l = facets[seed % 4], n = 4 + (int)(seed * 7 % 27), rows = seed % 3 == 0 ? n / 2 : n;
        rows += rows % 2;
        friction_problem *f = friction_global(seed, rows, n, false, 0.9);
        dependent += l * n > 3 * rows;
        tn_law law = seed % 7 == 0 ? TN_LAW_FRICTIONLESS : TN_LAW_CONVEX;
        tn_solve_report r = facets_solve(f, "qp", law, l);
        double v[3 * FRICTION_ROWS];
        memcpy(v, f->v, sizeof v);
        assert_true(r.converged);
        worst = fmax(worst, fmax(r.certificate.natural, r.certificate.momentum));
        rounds = r.iterations > rounds ? r.iterations : rounds;
        assert_true(facets_solve(f, "lemke", law, l).converged);
        apart = fmax(apart, facets_difference(3 * rows, v, f->v));
        friction_destroy(f);
    }
    printf(
        "60 problems, %d with more rows than velocities: natural and momentum %.1e (limit %.0e), v %.1e from lemke's "
        "(limit 1e-9), at most %d changes of the working set a contact\n",
        dependent, worst, FACETS_LIMIT, apart, rounds);
    assert_true(worst <= FACETS_LIMIT && apart <= 1e-9 && dependent > 10);
}

// In the plane two directions are the round cone: ipm, newton and qp agree; auto takes qp with facets.
static void planar(void **state)
{
    double apart = 0.0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        int n = 4 + 2 * (int)(seed % 8);
        friction_problem *f = friction_global(seed, n, n, false, 0.6);
        facets_make_planar(f);
        double v[3 * FRICTION_ROWS];
        assert_true(facets_solve(f, "qp", TN_LAW_CONVEX, 0).converged);
        memcpy(v, f->v, sizeof v);
        assert_true(facets_solve(f, "ipm", TN_LAW_CONVEX, 0).converged);
        apart = fmax(apart, facets_difference(3 * n, f->v, v));
        assert_true(facets_solve(f, "newton", TN_LAW_CONVEX, 0).converged);
        apart = fmax(apart, facets_difference(3 * n, f->v, v));
        assert_string_equal(facets_solve(f, "auto", TN_LAW_CONVEX, 2).solver, "qp");
        apart = fmax(apart, facets_difference(3 * n, f->v, v));
        assert_string_equal(facets_solve(f, "auto", TN_LAW_COULOMB, 2).solver, "lemke");
        friction_destroy(f);
    }
    printf("planar: v %.1e from ipm's and newton's (limit 1e-8: tolerance 1e-10 times the condition of N)\n", apart);
    assert_true(apart <= 1e-8);
}

// Omega and anisotropic friction.
static void modified(void **state)
{
    static double omega[9 * FRICTION_CONTACTS];
    double worst = 0.0, apart = 0.0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        friction_problem *f = friction_global(seed, 10, 12, false, 0.6);
        for (int m = 0; m < 12; ++m) {
            f->mu[2 * m + 1] *= 0.4;
            for (int i = 0; i < 9; ++i) {
                omega[9 * m + i] = i % 4 == 0 ? 0.05 + 0.01 * (i / 4) : 0.004;
            }
        }
        f->contacts.softness = seed % 2 ? omega : NULL;
        tn_solve_report r = facets_solve(f, "qp", TN_LAW_CONVEX, 8);
        double v[3 * FRICTION_ROWS];
        memcpy(v, f->v, sizeof v);
        assert_true(r.converged);
        worst = fmax(worst, r.certificate.natural);
        assert_true(facets_solve(f, "lemke", TN_LAW_CONVEX, 8).converged);
        apart = fmax(apart, facets_difference(30, v, f->v));
        friction_destroy(f);
    }
    printf("Omega, two coefficients: natural %.1e (limit %.0e), v %.1e from lemke's (limit 1e-9)\n", worst,
           FACETS_LIMIT, apart);
    assert_true(worst <= FACETS_LIMIT && apart <= 1e-9);
}

// Every contact three times; solved again from the solution.
static void redundant(void **state)
{
    enum { N = 8 };
    double worst = 0.0, apart = 0.0;
    int again = 0;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        friction_problem *f = friction_global(seed, N, N, false, 0.5), *g = friction_global(seed, N, N, false, 0.5);
        int entries = g->start[N];
        for (int copy = 1; copy < 3; ++copy) {
            memcpy(g->jacobian + 9 * entries * copy, g->jacobian, (size_t)(9 * entries) * sizeof *g->jacobian);
            memcpy(g->block + entries * copy, g->block, (size_t)entries * sizeof *g->block);
            memcpy(g->offset + 3 * N * copy, g->offset, 3 * N * sizeof *g->offset);
            memcpy(g->mu + 2 * N * copy, g->mu, 2 * N * sizeof *g->mu);
            for (int m = 0; m <= N; ++m) {
                g->start[N * copy + m] = entries * copy + g->start[m];
            }
        }
        g->contacts.n_triples = 3 * N;
        assert_true(facets_solve(f, "qp", TN_LAW_CONVEX, 8).converged);
        tn_solve_report r = facets_solve(g, "qp", TN_LAW_CONVEX, 8);
        worst = fmax(worst, r.certificate.natural);
        apart = fmax(apart, facets_difference(3 * N, g->v, f->v));
        tn_solve_options options = tn_solve_options_default();
        tn_error error = {0};
        assert_int_equal(tn_problem_solve(&g->problem, "qp", &options, &g->solution, &r, &error), TN_OK);
        assert_true(r.converged);
        again = r.iterations > again ? r.iterations : again;
        friction_destroy(f);
        friction_destroy(g);
    }
    printf("every contact three times: natural %.1e (limit %.0e), v apart %.1e (limit 1e-10), solved again in %d "
           "changes a "
           "contact (limit 1)\n",
           worst, FACETS_LIMIT, apart, again);
    assert_true(worst <= FACETS_LIMIT && apart <= 1e-10 && again <= 1);
}

// Two walls that close in on a block: the answer is what the balance allows, and not called converged.
static void contradiction(void **state)
{
    friction_problem *f = friction_global(1, 2, 2, false, 0.0);
    memset(f->jacobian, 0, sizeof f->jacobian);
    f->start[1] = 1;
    f->start[2] = 2;
    f->block[0] = f->block[1] = 0;
    for (int k = 0; k < 3; ++k) {
        f->jacobian[4 * k] = 1.0;
        f->jacobian[9 + 4 * k] = k < 2 ? -1.0 : 1.0;
    }
    f->offset[0] = f->offset[3] = -1.0;
    tn_solve_report r = facets_solve(f, "qp", TN_LAW_CONVEX, 8);
    printf("contradiction: converged %d, momentum %.1e\n", r.converged, r.certificate.momentum);
    assert_true(!r.converged && r.certificate.momentum < 1e-12);
    friction_destroy(f);
}

static void refusals(void **state)
{
    friction_problem *f = friction_global(1, 4, 4, false, 0.5), *g = friction_global(1, 8, 4, true, 0.5);
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report;
    tn_error error = {0};
    f->problem.facets = 8;
    assert_int_equal(tn_problem_solve(&f->problem, "qp", &options, &f->solution, &report, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "lemke"));
    f->problem.facets = 0;
    f->problem.law = TN_LAW_CONVEX;
    assert_int_equal(tn_problem_solve(&f->problem, "qp", &options, &f->solution, &report, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "solver.facets"));
    g->problem.law = TN_LAW_CONVEX;
    g->problem.facets = 8;
    assert_int_equal(tn_problem_solve(&g->problem, "qp", &options, &g->solution, &report, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "rigid"));
    friction_destroy(f);
    friction_destroy(g);
}

// ---- the factor

enum { SIZE = 60 };

static double entry(const double B[SIZE][SIZE], int i, int j)
{
    double sum = i == j ? 1.0 : 0.0;
    for (int k = 0; k < SIZE; ++k) {
        sum += B[i][k] * B[j][k];
    }
    return sum;
}

// |L L^T - S| of the set, relative to S.
static double factor_error(const tn_working_factor *s, const int *set, const double B[SIZE][SIZE])
{
    double worst = 0.0;
    for (int i = 0; i < s->n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (int k = s->first[i] > s->first[j] ? s->first[i] : s->first[j]; k <= j; ++k) {
                sum += s->L[(size_t)i * s->stride + (size_t)k] * s->L[(size_t)j * s->stride + (size_t)k];
            }
            worst = fmax(worst, fabs(sum - entry(B, set[i], set[j])));
        }
    }
    return worst;
}

static void factor_rows(void **state)
{
    static double B[SIZE][SIZE];
    for (int i = 0; i < SIZE * SIZE; ++i) {
        B[i / SIZE][i % SIZE] = abs(i / SIZE - i % SIZE) < 12 ? 0.3 * friction_random(3, 60, (uint64_t)i) : 0.0;
    }
    tn_arena *arena = tn_arena_create(0);
    tn_working_factor s;
    assert_true(arena && tn_working_factor_create(SIZE, arena, &s));
    int set[SIZE];
    bool in[SIZE] = {false};
    double worst = 0.0;
    for (int step = 0; step < 2000; ++step) {
        int i = (int)(tn_random_u64(5, 61, (uint64_t)step) % SIZE);
        if (in[i]) {
            int at = 0;
            while (set[at] != i) {
                ++at;
            }
            tn_working_factor_remove(&s, at);
            memmove(set + at, set + at + 1, (size_t)(s.n - at) * sizeof *set);
        } else {
            double x[SIZE], left = entry(B, i, i);
            for (int k = 0; k < s.n; ++k) {
                x[k] = entry(B, set[k], i);
            }
            tn_working_factor_forward(&s, x);
            for (int k = 0; k < s.n; ++k) {
                left -= x[k] * x[k];
            }
            set[s.n] = i;
            tn_working_factor_append(&s, x, left);
        }
        in[i] = !in[i];
        worst = step % 50 == 49 ? fmax(worst, factor_error(&s, set, B)) : worst;
    }
    double x[SIZE], y[SIZE], off = 0.0;
    for (int k = 0; k < s.n; ++k) {
        x[k] = y[k] = friction_random(3, 62, (uint64_t)k);
    }
    tn_working_factor_forward(&s, x);
    tn_working_factor_backward(&s, x);
    for (int i = 0; i < s.n; ++i) {
        for (int j = 0; j < s.n; ++j) {
            y[i] -= entry(B, set[i], set[j]) * x[j];
        }
        off = fmax(off, fabs(y[i]));
    }
    printf("2000 rows in and out: L L^T off by %.1e, solve by %.1e (limits 1e-11: 2000 roundings of rows of 60)\n",
           worst, off);
    assert_true(worst <= 1e-11 && off <= 1e-11);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_lemke),  cmocka_unit_test(planar),        cmocka_unit_test(modified),
        cmocka_unit_test(redundant),   cmocka_unit_test(contradiction), cmocka_unit_test(refusals),
        cmocka_unit_test(factor_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
