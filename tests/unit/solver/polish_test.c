// What a solver returns is made exact: random problems of every law are solved roughly and judged by the certificate
// before and after; forces at bounds by comparison with the bounds, to the bit.
#include "facets_problem.h"
#include "joint_problem.h"

#include "problem/active.h"
#include "problem/certificate.h"
#include "solver/polish.h"
#include "solver/solver.h"

static void check_most(const char *what, double value, double limit)
{
    printf("%-58s %.3g, limit %.3g\n", what, value, limit);
    assert_true(value <= limit);
}

// The solution after a rough solve by tn_solver_call and after tn_polish, both certified.
typedef struct rough {
    tn_certificate before, after;
    bool converged;
    int steps;
} rough;

static rough polish(const tn_problem *p, tn_solution *s, const char *solver, double tolerance, int iterations)
{
    bool exact = strcmp(solver, "lemke") == 0; // made rough: forces off by a thousandth
    rough r = {.steps = 0};
    tn_error error = {0};
    tn_arena *arena = tn_arena_create(0);
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = tolerance, .natural = tolerance, .joint = tolerance};
    options.max_iterations = iterations;
    tn_solve_report report = {.theta = NAN};
    assert_int_equal(tn_solver_call(tn_solver_find(solver), p, &options, arena, s, &report, &error), TN_OK);
    for (int i = 0; exact && i < 3 * p->rows->n_triples; i++) {
        s->lambda[i] *= 1.0 + 1e-3 * friction_random(9, 9, (uint64_t)i);
    }
    assert_int_equal(tn_certificate_compute(p, s, false, arena, &r.before), TN_OK);
    report.iterations = 0;
    assert_int_equal(tn_polish(p, false, &options, arena, s, &report), TN_OK);
    assert_int_equal(tn_certificate_compute(p, s, false, arena, &r.after), TN_OK);
    r.steps = report.iterations;
    r.converged = report.converged;
    tn_arena_destroy(arena);
    return r;
}

// No figure is worse but for rounding.
static void assert_no_worse(const rough *r)
{
    const double least = 1e-12;
    assert_true(isnan(r->after.momentum) || r->after.momentum <= fmax(r->before.momentum, least));
    assert_true(r->after.natural <= fmax(r->before.natural, least));
    assert_true(r->after.complementarity <= fmax(r->before.complementarity, least));
    assert_true(r->after.joint <= fmax(r->before.joint, least));
    assert_true(r->after.cone <= fmax(r->before.cone, least));
}

// ---- contacts of all laws

typedef struct kind {
    const char *name, *solver;
    tn_law law;
    int facets;
    bool anisotropic;
    int least_exact; // of PROBLEMS
} kind;

enum { PROBLEMS = 60 };

static friction_problem *make_problem(const kind *k, int i)
{
    friction_problem *f = friction_global((uint64_t)(i + 1), 2 + 2 * (i % 5), 2 + i % 13, false, 0.8);
    f->problem.law = k->law;
    f->problem.facets = k->facets;
    f->problem.force_scale = f->problem.velocity_scale = 0.01;
    for (int m = 0; m < f->contacts.n_triples && k->anisotropic; m++) {
        f->mu[2 * m + 1] *= m % 3 == 0 ? 0.0 : 0.3;
    }
    return f;
}

static void test_contacts(void **unused)
{
    // The strict law may have no solution, or Newton's method another active set than the right one: then the
    // solver's forces stay.
    static const kind kinds[] = {
        {"strict", "pgs", TN_LAW_COULOMB, 0, false, 57},
        {"strict, two coefficients", "pgs", TN_LAW_COULOMB, 0, true, 57},
        {"strict, ipm", "ipm", TN_LAW_COULOMB, 0, false, 57},
        {"convex", "ipm", TN_LAW_CONVEX, 0, false, 57},
        {"convex, two coefficients", "apgd", TN_LAW_CONVEX, 0, true, 57},
        {"frictionless", "ipm", TN_LAW_FRICTIONLESS, 0, false, 60},
        {"strict, 8 facets", "lemke", TN_LAW_COULOMB, 8, false, 57},
        {"strict, 4 facets, two coefficients", "lemke", TN_LAW_COULOMB, 4, true, 57},
        {"strict, 2 facets", "lemke", TN_LAW_COULOMB, 2, false, 57},
        {"convex, 8 facets", "lemke", TN_LAW_CONVEX, 8, false, 57},
        {"convex, 4 facets, two coefficients", "qp", TN_LAW_CONVEX, 4, true, 57},
        {"convex, 2 facets", "lemke", TN_LAW_CONVEX, 2, false, 57},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        int exact = 0, open = 0, moved = 0;
        double worst = 0.0;
        for (int i = 0; i < PROBLEMS; i++) {
            friction_problem *f = make_problem(&kinds[k], i);
            rough r = polish(&f->problem, &f->solution, kinds[k].solver, 1e-3, 10000);
            assert_no_worse(&r);
            moved += r.steps > 0;
            bool good = r.after.natural <= 1e-13 && r.after.momentum <= 1e-13 && r.after.complementarity <= 1e-13;
            exact += good;
            worst = good ? fmax(worst, r.after.natural) : worst;
            for (int m = 0; good && m < f->contacts.n_triples; m++) {
                const double *l = f->lambda + 3 * m;
                if (!tn_contact_is_closed(&f->problem, m, f->v, f->lambda)) {
                    assert_true(l[0] == 0.0 && l[1] == 0.0 && l[2] == 0.0);
                    open++;
                }
            }
            friction_destroy(f);
        }
        printf("%-36s %s: exact %d of %d (at least %d), steps in %d, natural at most %.1e, open contacts %d\n",
               kinds[k].name, kinds[k].solver, exact, PROBLEMS, kinds[k].least_exact, moved, worst, open);
        assert_true(exact >= kinds[k].least_exact);
        assert_true(open > 0);
    }
}

// Moments: the last three row blocks are such, of the first three contacts.
static void test_moments(void **unused)
{
    static const int pressed_by[3] = {0, 1, 2};
    int exact = 0, at_limit = 0;
    double worst = 0.0;
    for (int i = 0; i < PROBLEMS; i++) {
        friction_problem *f = friction_global((uint64_t)(i + 1), 8, 8, false, 0.8);
        f->problem.force_scale = f->problem.velocity_scale = 0.01;
        f->contacts.n_frictions = 3;
        f->contacts.pressed_by = pressed_by;
        for (int m = 5; m < 8; m++) {
            f->mu[2 * m + 1] *= 0.5;
        }
        rough r = polish(&f->problem, &f->solution, "pgs", 1e-3, 10000);
        assert_no_worse(&r);
        bool good = r.after.natural <= 1e-13 && r.after.momentum <= 1e-13;
        exact += good;
        worst = good ? fmax(worst, r.after.natural) : worst;
        for (int k = 0; good && k < 3; k++) {
            double most = f->mu[2 * (5 + k)] * f->lambda[3 * k];
            assert_true(fabs(f->lambda[3 * (5 + k)]) <= most * (1.0 + 1e-13)); // rounding
            at_limit += most > 0.0 && fabs(f->lambda[3 * (5 + k)]) >= most * (1.0 - 1e-13);
        }
        friction_destroy(f);
    }
    printf("moments: exact %d of %d, natural at most %.1e, torsions at their limit %d\n", exact, PROBLEMS, worst,
           at_limit);
    assert_true(exact >= PROBLEMS - 3 && at_limit > 0);
}

// ---- rows of joints: bounds to the bit, redundant rows

static void test_joints(void **unused)
{
    static const char *const solvers[] = {"ipm", "newton", "auto"};
    const joint_choice choice = {.bodies = 6,
                                 .loops = true,
                                 .twice = true,
                                 .bounded = true,
                                 .compliant = true,
                                 .contacts = 3,
                                 .mu = 0.3,
                                 .step = 0.01};
    for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
        int exact = 0, small = 0, bounded = 0, exactly = 0;
        double worst = 0.0;
        for (int i = 0; i < PROBLEMS; i++) {
            joint_choice c = choice;
            c.bodies = 1 + i % choice.bodies;
            joint_problem *s = joint_create((uint64_t)(i + 1), &c);
            rough r = polish(&s->problem, &s->solution, solvers[k], 1e-5, 10000);
            assert_no_worse(&r);
            bool fits = 3 * s->contacts.n_triples + s->joints.n_singles <= TN_POLISH_ROWS;
            bool good = fits && r.after.natural <= 1e-12 && r.after.momentum <= 1e-13 && r.after.joint <= 1e-10;
            small += fits;
            exact += good;
            worst = good ? fmax(worst, fmax(r.after.joint, r.after.natural)) : worst;
            for (int j = 0; good && j < s->joints.n_singles; j++) {
                tn_active at = tn_single_active(&s->joints, j, s->problem.A, s->v, s->f[j]);
                double bound = at == TN_ACTIVE_LOW ? s->lower[j] : s->upper[j];
                // Exactly the bound, but where the row holds there by chance.
                assert_true(at == TN_ACTIVE_INSIDE || fabs(s->f[j] - bound) <= 1e-13 * fmax(1.0, fabs(bound)));
                exactly += at != TN_ACTIVE_INSIDE && s->f[j] == bound;
                bounded += at != TN_ACTIVE_INSIDE;
            }
            joint_destroy(s);
        }
        printf("%-8s exact %d of %d small ones, figures at most %.1e, rows at bounds %d, to the bit %d\n", solvers[k],
               exact, small, worst, bounded, exactly);
        assert_true(exact >= small - 2 && small >= PROBLEMS / 2 && exactly >= bounded - 4 && bounded > 0);
    }
}

// ---- what is left alone

static void test_left_alone(void **unused)
{
    friction_problem *f = friction_global(3, 6, 8, false, 0.5), *g = friction_global(3, 30, 50, false, 0.5);
    // Few iterations were asked for: a tenth of 9 is none.
    rough r = polish(&f->problem, &f->solution, "pgs", 1e-12, 9);
    assert_int_equal(r.steps, 0);
    assert_memory_equal(&r.before, &r.after, offsetof(tn_certificate, fclib));
    // More rows than polishing takes.
    r = polish(&g->problem, &g->solution, "pgs", 1e-3, 10000);
    assert_true(3 * g->contacts.n_triples > TN_POLISH_ROWS);
    assert_int_equal(r.steps, 0);
    friction_destroy(f);
    friction_destroy(g);
    // All of A is one component: elastic bodies.
    f = friction_global(3, 6, 8, true, 0.5);
    r = polish(&f->problem, &f->solution, "newton", 1e-3, 10000);
    assert_int_equal(r.steps, 0);
    friction_destroy(f);
    // penalty's forces are springs', not the law's.
    static const double gap[8] = {0.0};
    f = friction_global(3, 6, 8, false, 0.5);
    f->contacts.gap = gap;
    assert_true(tn_solver_find("penalty")->own_law);
    tn_solve_report report = friction_solve(f, "penalty", 1e-8);
    check_most("penalty stays soft: 1e-6 over its natural figure", 1e-6 / report.certificate.natural, 1.0);
    friction_destroy(f);
}

// Newton's steps that get nowhere from forces that are far off end before the last of the 20 that there may be. Of 3000
// problems 0.5 % do not.
static void test_steps_in_vain(void **unused)
{
    enum { ROUGH = 200, MOST = 20 };
    int vain = 0, early = 0, exact = 0;
    for (uint64_t seed = 1; seed <= ROUGH; seed++) {
        friction_problem *f = friction_global(seed, 10, 26, false, 0.7);
        rough r = polish(&f->problem, &f->solution, "pgs", 0.3, 10000);
        exact += r.after.natural <= 1e-12;
        vain += r.after.natural == r.before.natural;
        early += r.after.natural == r.before.natural && r.steps < MOST;
        friction_destroy(f);
    }
    printf("of %d rough ones %d become exact, %d get nowhere, %d of these end early\n", ROUGH, exact, vain, early);
    assert_true(exact >= 70 && vain > 0 && early >= vain - vain / 50);
}

// A light body under a heavy one, local form: W = [[1/m + 1/M, -1/m], [-1/m, 1/m]] of the normals, from forces that
// are right to 1e-6 of the load.
static void test_mass_ratio(void **unused)
{
    const double light = 0.1, heavy = 1e7, g = 0.01 * 9.81; // m/h [kg/s], h g [m/s]
    double W[36] = {0.0}, q[6] = {-g, 0.0, 0.0, 0.0, 0.0, 0.0};
    // Contact 0: light on floor; 1: heavy on light.
    W[0] = 1.0 / light;
    W[3] = W[18] = -1.0 / light;
    W[21] = 1.0 / light + 1.0 / heavy;
    for (int k = 0; k < 2; k++) {
        W[7 * (3 * k + 1)] = W[7 * (3 * k + 2)] = 1.0 / light;
    }
    friction_problem *f = friction_local(2, W, q, 0.5);
    f->problem.force_scale = heavy * g;
    f->problem.velocity_scale = g;
    double exact[2] = {(light + heavy) * g, heavy * g};
    f->lambda[0] = exact[0] * (1.0 + 1e-6);
    f->lambda[3] = exact[1] * (1.0 - 1e-6);
    tn_arena *arena = tn_arena_create(0);
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report = {.converged = true};
    assert_int_equal(tn_polish(&f->problem, false, &options, arena, &f->solution, &report), TN_OK);
    tn_arena_destroy(arena);
    // W holds 1/M beside 1/m with an error of 1e-16 M/m of itself.
    const double limit = 4.0 * 2.2e-16 * heavy / light;
    check_most("load of the floor, relative", fabs(f->lambda[0] / exact[0] - 1.0), limit);
    check_most("load of the light body, relative", fabs(f->lambda[3] / exact[1] - 1.0), limit);
    // u of the light body is (f_0 - f_1)/m - h g.
    check_most("weight between them: relative error", fabs((f->lambda[0] - f->lambda[3]) / (light * g) - 1.0), 1e-6);
    friction_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts),   cmocka_unit_test(test_moments),       cmocka_unit_test(test_joints),
        cmocka_unit_test(test_left_alone), cmocka_unit_test(test_steps_in_vain), cmocka_unit_test(test_mass_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
