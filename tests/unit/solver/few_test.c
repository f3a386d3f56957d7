// few: random and degenerate problems of one to ten contacts, judged by formulas of the tests' own, compared with ipm
// where the velocity is unique and with an enumeration of what touches where there is no friction.
#include "friction_problem.h"

#include "base/memory.h"
#include "solver/solver.h"

enum { MOST = 10, SIZE = 3 * MOST };

typedef enum spread { REGULAR, REDUNDANT, SKEW, FLAT, SPREADS } spread;
static const char *const SPREAD[SPREADS] = {"regular", "redundant", "unsymmetric", "flat"};

// W = B B^T + 0.1 I with B (size, size); redundant: B has half as many columns and nothing is added, q in W's range
// with something of the cones' own, so that there is a solution; skew: with 0.1 (C - C^T); flat: nothing answers along
// t2.
static void random_matrix(int n, spread kind, uint64_t seed, double *W, double *q)
{
    int size = 3 * n, columns = kind == REDUNDANT ? (size + 1) / 2 : size;
    double B[SIZE * SIZE];
    for (int i = 0; i < size * size; ++i) {
        B[i] = friction_random(seed, 1, (uint64_t)i);
    }
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            double sum = kind != REDUNDANT && i == j ? 0.1 : 0.0;
            for (int k = 0; k < columns; ++k) {
                sum += B[i * size + k] * B[j * size + k];
            }
            if (kind == SKEW) {
                sum += 0.1 * (friction_random(seed, 2, (uint64_t)(i * size + j)) -
                              friction_random(seed, 2, (uint64_t)(j * size + i)));
            }
            W[i * size + j] = kind == FLAT && (i % 3 == 2 || j % 3 == 2) ? 0.0 : sum;
        }
    }
    for (int i = 0; i < size; ++i) {
        q[i] = kind == REDUNDANT            ? (i % 3 == 0 ? tn_random_uniform(seed, 3, (uint64_t)i) : 0.0)
               : kind == FLAT && i % 3 == 2 ? 0.0
                                            : (i % 3 == 0 ? 2.0 : 0.5) * friction_random(seed, 3, (uint64_t)i);
        for (int k = 0; k < columns && kind == REDUNDANT; ++k) {
            q[i] += 2.0 * B[i * size + k] * friction_random(seed, 4, (uint64_t)k);
        }
    }
}

static friction_problem *random_problem(int n, spread kind, double mu, uint64_t seed)
{
    double W[SIZE * SIZE], q[SIZE];
    random_matrix(n, kind, seed, W, q);
    friction_problem *f = friction_local(n, W, q, mu);
    for (int m = 0; m < n && mu > 0.0; ++m) { // some of the contacts without friction
        f->mu[2 * m] = f->mu[2 * m + 1] = m % 4 == 3 ? 0.0 : mu * (0.5 + tn_random_uniform(seed, 5, (uint64_t)m));
    }
    return f;
}

// Number of contacts in each state.
typedef struct states {
    int open, stick, slide;
} states;

static void count_states(const friction_problem *f, states *s)
{
    for (int m = 0; m < f->contacts.n_triples; ++m) {
        const double *r = f->lambda + 3 * m;
        double t = sqrt(r[1] * r[1] + r[2] * r[2]), reach = f->mu[2 * m] * r[0];
        s->open += r[0] == 0.0;
        s->stick += r[0] > 0.0 && t < (1.0 - 1e-9) * reach;
        s->slide += r[0] > 0.0 && !(t < (1.0 - 1e-9) * reach);
    }
}

// All kinds and frictions, 1e-8 by the definition of the error; few alone may fail now and then, auto never.
static void random_strict(void **state)
{
    static const double frictions[] = {0.0, 0.1, 0.5, 1.5};
    enum { SEEDS = 12 };
    for (int kind = 0; kind < SPREADS; ++kind) {
        states seen = {0};
        int solved = 0, total = 0;
        double worst = 0.0;
        for (int i = 0; i < 4 * MOST * SEEDS; ++i) {
            int n = 1 + i % MOST;
            friction_problem *f = random_problem(n, (spread)kind, frictions[i / MOST % 4], 1000 + (uint64_t)i);
            tn_solve_report alone = friction_solve(f, "few", 1e-9);
            solved += alone.converged;
            assert_true(!alone.converged || friction_m6(&f->problem, f->lambda) <= 1e-7);
            tn_solve_report report = friction_solve(f, "auto", 1e-9);
            assert_true(report.converged);
            worst = fmax(worst, friction_m6(&f->problem, f->lambda));
            count_states(f, &seen);
            ++total;
            friction_destroy(f);
        }
        printf("%-11s few solved %d of %d (at least 97 %%), auto all; worst error %.1e (limit 1e-7: tolerance 1e-9 of "
               "another norm); %d open, %d stick, %d slide\n",
               SPREAD[kind], solved, total, worst, seen.open, seen.stick, seen.slide);
        assert_true(worst <= 1e-7 && solved >= 0.97 * total);
        assert_true(seen.open > 100 && seen.stick > 40 && seen.slide > 100);
    }
}

static double largest_difference(int n, const double *a, const double *b)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

// The convex law's velocities are unique: few's are ipm's.
static void convex_as_ipm(void **state)
{
    double worst = 0.0;
    for (int i = 0; i < 60; ++i) {
        friction_problem *f = random_problem(1 + i % MOST, i % 2 ? REDUNDANT : REGULAR, 0.4, 2000 + (uint64_t)i);
        double u[SIZE], other[SIZE];
        f->problem.law = TN_LAW_CONVEX;
        assert_true(friction_solve(f, "few", 1e-11).converged);
        friction_velocity(&f->problem, f->lambda, u);
        assert_true(friction_solve(f, "ipm", 1e-11).converged);
        friction_velocity(&f->problem, f->lambda, other);
        worst = fmax(worst, largest_difference(3 * f->contacts.n_triples, u, other));
        friction_destroy(f);
    }
    printf("convex law: velocities differ from ipm's by %.1e m/s at most (limit 1e-8)\n", worst);
    assert_true(worst <= 1e-8);
}

// The frictionless contacts `touching` (bits) with u_n = 0: whether that is the solution.
static bool try_set(const friction_problem *f, const double *W, unsigned touching, double *normal)
{
    int n = f->contacts.n_triples, k = 0, row[MOST];
    double A[MOST * MOST], x[MOST];
    for (int m = 0; m < n; ++m) {
        normal[m] = 0.0;
        if (touching >> m & 1u) {
            row[k++] = m;
        }
    }
    for (int i = 0; i < k; ++i) {
        x[i] = -f->offset[3 * row[i]];
        for (int j = 0; j < k; ++j) {
            A[i * k + j] = W[3 * row[i] * 3 * n + 3 * row[j]];
        }
    }
    friction_gauss(k, A, x);
    for (int i = 0; i < k; ++i) {
        if (!(x[i] >= 0.0)) {
            return false;
        }
        normal[row[i]] = x[i];
    }
    for (int m = 0; m < n; ++m) {
        double u = f->offset[3 * m];
        for (int j = 0; j < n; ++j) {
            u += W[3 * m * 3 * n + 3 * j] * normal[j];
        }
        if (u < -1e-12) {
            return false;
        }
    }
    return true;
}

static void frictionless_as_enumeration(void **state)
{
    double worst = 0.0;
    for (int i = 0; i < 50; ++i) {
        int n = 1 + i % 8;
        double W[SIZE * SIZE], q[SIZE], normal[MOST] = {0.0};
        random_matrix(n, REGULAR, 3000 + (uint64_t)i, W, q);
        friction_problem *f = friction_local(n, W, q, 0.0);
        f->problem.law = TN_LAW_FRICTIONLESS;
        assert_true(friction_solve(f, "few", 1e-12).converged);
        unsigned set = 0;
        while (set < 1u << n && !try_set(f, W, set, normal)) {
            ++set;
        }
        assert_true(set < 1u << n);
        for (int m = 0; m < n; ++m) {
            worst = fmax(worst, fabs(f->lambda[3 * m] - normal[m]));
        }
        friction_destroy(f);
    }
    printf("frictionless: forces differ from the enumeration's by %.1e N at most (limit 1e-9)\n", worst);
    assert_true(worst <= 1e-9);
}

// Free bodies of two blocks: momentum balances to rounding, and the velocity is that of the other solvers.
static void free_bodies(void **state)
{
    double worst = 0.0, balance = 0.0;
    for (int i = 0; i < 40; ++i) {
        int n = 1 + i % MOST;
        friction_problem *f = friction_global(4000 + (uint64_t)i, 4, n, false, 0.2);
        int k = 0; // A keeps its diagonal blocks alone
        for (int row = 0; row < 4; ++row) {
            const double *own = tn_blocks_find(f->problem.A, row, row);
            memmove(f->problem.A->value + 9 * row, own, 9 * sizeof *own);
            f->problem.A->column[k++] = row;
        }
        for (int row = 0; row <= 4; ++row) {
            f->problem.A->start[row] = row;
        }
        double v[12];
        tn_solve_report report = friction_solve(f, "few", 1e-11);
        assert_true(report.converged);
        balance = fmax(balance, report.certificate.momentum);
        memcpy(v, f->v, sizeof v);
        f->problem.law = i % 2 ? TN_LAW_CONVEX : TN_LAW_COULOMB;
        assert_true(friction_solve(f, "few", 1e-11).converged);
        memcpy(v, f->v, sizeof v);
        assert_true(friction_solve(f, i % 2 ? "ipm" : "pgs", 1e-11).converged);
        worst = fmax(worst, largest_difference(12, v, f->v));
        friction_destroy(f);
    }
    printf("bodies: momentum %.1e (limit 1e-14), velocities differ from pgs' and ipm's by %.1e m/s (limit 1e-9)\n",
           balance, worst);
    assert_true(balance <= 1e-14 && worst <= 1e-9);
}

// Contacts that nothing answers to, that come apart, that are there twice, and friction that nothing overcomes.
static void degenerate(void **state)
{
    const double none[36] = {0.0}, apart[6] = {1.0, 2.0, 3.0, 0.0, 0.0, 0.0};
    friction_problem *f = friction_local(2, none, apart, 0.5);
    assert_true(friction_solve(f, "few", 1e-10).converged);
    for (int i = 0; i < 6; ++i) {
        assert_true(f->lambda[i] == 0.0);
    }
    friction_destroy(f);
    const double against[3] = {-1.0, 0.0, 0.0};
    f = friction_local(1, none, against, 0.5); // cannot be pushed: no solution, and it says so
    assert_false(friction_solve(f, "few", 1e-10).converged);
    assert_true(isfinite(f->lambda[0]));
    assert_false(friction_solve(f, "auto", 1e-10).converged);
    friction_destroy(f);

    double W[36], q[6] = {-1.0, 0.4, -0.2, -1.0, 0.4, -0.2};
    for (int i = 0; i < 36; ++i) {
        W[i] = i / 6 % 3 == i % 3 ? 2.0 : 0.1;
    }
    double worst = 0.0;
    static const double mu[] = {0.0, 0.1, 0.5, 1e6};
    for (int k = 0; k < 4; ++k) {
        f = friction_local(2, W, q, mu[k]);
        assert_true(friction_solve(f, "few", 1e-10).converged);
        double u[6];
        friction_velocity(&f->problem, f->lambda, u);
        worst = fmax(worst, fmax(friction_m6(&f->problem, f->lambda), fabs(u[0])));
        assert_true(k < 3 || fabs(u[1]) + fabs(u[2]) <= 1e-9);
        friction_destroy(f);
    }
    printf("a contact twice, friction 0 to 1e6: worst error %.1e (limit 1e-9)\n", worst);
    assert_true(worst <= 1e-9);
}

// Elliptic friction and invertible contacts (Omega), against the sweeps' answer.
static void ellipse_and_omega(void **state)
{
    double worst = 0.0, omega[9 * MOST];
    for (int i = 0; i < 40; ++i) {
        friction_problem *f = random_problem(1 + i % MOST, REGULAR, 0.1, 5000 + (uint64_t)i);
        for (int m = 0; m < f->contacts.n_triples; ++m) {
            f->mu[2 * m + 1] *= m % 3 ? 0.4 : 0.0;
            for (int k = 0; k < 9; ++k) {
                omega[9 * m + k] = k % 4 == 0 ? 0.3 : 0.0;
            }
        }
        f->contacts.softness = i % 2 ? omega : NULL;
        double lambda[SIZE];
        assert_true(friction_solve(f, "few", 1e-11).converged);
        memcpy(lambda, f->lambda, sizeof lambda);
        assert_true(friction_solve(f, "pgs", 1e-11).converged);
        worst = fmax(worst, largest_difference(3 * f->contacts.n_triples, lambda, f->lambda));
        friction_destroy(f);
    }
    printf("elliptic friction and Omega: forces differ from pgs' by %.1e N at most (limit 1e-8)\n", worst);
    assert_true(worst <= 1e-8);
}

// A solution as the start is left alone; the cap on iterations holds, the best point comes back.
static void starts_and_caps(void **state)
{
    friction_problem *f = random_problem(6, REGULAR, 0.5, 77);
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report;
    double solved[18];
    assert_true(friction_solve(f, "few", 1e-9).converged);
    memcpy(solved, f->lambda, sizeof solved);
    options.tolerance = (tn_tolerance){.natural = 1e-8};
    assert_int_equal(tn_problem_solve(&f->problem, "few", &options, &f->solution, &report, NULL), TN_OK);
    assert_true(report.converged && report.iterations == 0);
    assert_memory_equal(solved, f->lambda, sizeof solved);
    double last = HUGE_VAL;
    for (int cap = 0; cap < 4; ++cap) {
        options.max_iterations = cap;
        memset(f->lambda, 0, sizeof f->lambda);
        assert_int_equal(tn_problem_solve(&f->problem, "few", &options, &f->solution, &report, NULL), TN_OK);
        printf("%d iterations: natural %.1e\n", report.iterations, report.certificate.natural);
        assert_true(report.iterations <= cap && report.certificate.natural <= last);
        last = report.certificate.natural;
    }
    friction_destroy(f);
}

static void refusals(void **state)
{
    double W[33 * 33] = {0.0}, q[33] = {0.0};
    friction_problem *many = friction_local(11, W, q, 0.5), *coupled = friction_global(5, 6, 4, false, 0.3);
    const tn_solver *few = tn_solver_find("few");
    print_message("%s; %s\n", tn_solver_refusal(few, &many->problem), tn_solver_refusal(few, &coupled->problem));
    assert_non_null(strstr(tn_solver_refusal(few, &many->problem), "ten contacts"));
    assert_non_null(strstr(tn_solver_refusal(few, &coupled->problem), "bodies"));
    friction_destroy(many);
    friction_destroy(coupled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_strict),
        cmocka_unit_test(convex_as_ipm),
        cmocka_unit_test(frictionless_as_enumeration),
        cmocka_unit_test(free_bodies),
        cmocka_unit_test(degenerate),
        cmocka_unit_test(ellipse_and_omega),
        cmocka_unit_test(starts_and_caps),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
