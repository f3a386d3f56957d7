// Newton's method for crowds: many soft contacts on few bodies, judged by the certificate and beside ipm, with packs of
// every size, rigid tangents, and contacts with and without friction; the same bits for every instruction set.
#include "friction_problem.h"

#include "kernels/crowd.h"
#include "kernels/processor.h"
#include "solver/newton/crowd.h"
#include "solver/newton/newton.h"

enum { ROWS = 4, CONTACTS = 53, SEEDS = 20 };

// Contacts on the same bodies follow one another, 1 to 13 of them; softness along the normal and, of two in three,
// along the tangents and across.
typedef struct crowd_problem {
    friction_problem *f;
    double softness[9 * CONTACTS];
} crowd_problem;

static void make_entries(friction_problem *f, uint64_t seed)
{
    static const int lists[4][3] = {{1, 0}, {2, 0, 1}, {1, 3}, {2, 2, 3}}; // how many blocks, which
    int used = 0;
    for (int m = 0; m < CONTACTS; m++) {
        const int *list = lists[m < 13 ? 0 : m < 26 ? 1 : m < 27 ? 2 : m < 40 ? 3 : m % 4];
        f->start[m] = used;
        for (int e = 0; e < list[0]; e++, used++) {
            f->block[used] = list[1 + e];
            for (int k = 0; k < 9; k++) {
                f->jacobian[9 * used + k] = (k % 4 == 0 ? (e == 0 ? 1.0 : -1.0) : 0.0) +
                                            0.3 * friction_random(seed, 2, (uint64_t)(9 * used + k));
            }
        }
    }
    f->start[CONTACTS] = used;
}

static crowd_problem create(uint64_t seed, tn_law law, double mu_max)
{
    crowd_problem c = {.f = friction_global(seed, ROWS, CONTACTS, true, mu_max)};
    make_entries(c.f, seed);
    for (int m = 0; m < CONTACTS; m++) {
        double *R = c.softness + 9 * m, size = pow(10.0, 3.0 * friction_random(seed, 6, (uint64_t)m) - 3.0);
        R[0] = size;
        if (m % 3 != 0) {
            R[4] = R[8] = 0.5 * size;
            R[1] = R[3] = 0.2 * size;
        }
        if (m % 5 == 0) {
            c.f->mu[2 * m] = c.f->mu[2 * m + 1] = 0.0;
        }
        c.f->offset[3 * m] -= 1.5; // most are pressed
    }
    c.f->problem.law = law;
    return c;
}

static void set_softness(crowd_problem *c)
{
    c->f->contacts.softness = c->softness; // the struct has its place now
}

static void test_laws(void **state)
{
    static const tn_law laws[] = {TN_LAW_COULOMB, TN_LAW_CONVEX, TN_LAW_FRICTIONLESS};
    for (int k = 0; k < 3; k++) {
        double worst = 0.0, apart = 0.0;
        // The strict law's steps may cycle for a while; the others minimise a convex function.
        int steps = 0, sliding = 0, open = 0, most = laws[k] == TN_LAW_COULOMB ? 400 : 40;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            crowd_problem c = create(seed, laws[k], 0.6), d = create(seed, laws[k], 0.6);
            set_softness(&c);
            set_softness(&d);
            const tn_tolerance tolerance = {.momentum = 1e-11, .natural = 1e-11};
            assert_true(tn_newton_suits_velocities(&c.f->problem) && tn_newton_crowd_takes(&c.f->problem, &tolerance));
            tn_solve_report report = friction_solve(c.f, "newton", 1e-11);
            assert_true(report.converged);
            worst = fmax(worst, fmax(report.certificate.natural, report.certificate.momentum));
            steps = report.iterations > steps ? report.iterations : steps;
            if (laws[k] != TN_LAW_COULOMB) { // one solution
                friction_solve(d.f, "ipm", 1e-10);
                for (int i = 0; i < 3 * ROWS; i++) {
                    apart = fmax(apart, fabs(c.f->v[i] - d.f->v[i]));
                }
            }
            for (int m = 0; m < CONTACTS; m++) {
                const double *l = c.f->lambda + 3 * m;
                open += l[0] == 0.0;
                sliding += c.f->mu[2 * m] > 0.0 && l[0] > 0.0 && hypot(l[1], l[2]) > 0.999 * c.f->mu[2 * m] * l[0];
            }
            friction_destroy(c.f);
            friction_destroy(d.f);
        }
        print_message("law %d: figures %.1e (limit 1e-11), from ipm %.1e m/s (1e-8), at most %d steps (%d), %d open, "
                      "%d sliding\n",
                      (int)laws[k], worst, apart, steps, most, open, sliding);
        assert_true(worst <= 1e-11 && apart <= 1e-8 && steps <= most && open > 20);
        assert_true(laws[k] == TN_LAW_FRICTIONLESS ? sliding == 0 : sliding > 50);
    }
}

// What is at hand after a look, a Newton step and another look.
typedef struct passes {
    tn_crowd_figures first, second;
    double K[3 * ROWS * 16], force[3 * ROWS], push[3 * ROWS], lambda[3 * CONTACTS];
} passes;

static void run(crowd_problem *c, const char *kind, passes *out)
{
    tn_crowd crowd;
    double v[3 * ROWS], dv[3 * ROWS];
    *out = (passes){.first = {0.0, 0.0}};
    for (int i = 0; i < 3 * ROWS; i++) {
        v[i] = friction_random(1, 8, (uint64_t)i);
        dv[i] = 0.1 * friction_random(1, 9, (uint64_t)i);
    }
    memset(c->f->lambda, 0, sizeof c->f->lambda);
    assert_true(tn_crowd_create(&crowd, &c->f->problem, c->f->lambda, kind, c->f->arena));
    crowd.factor = 0.3;
    out->first = tn_crowd_look(&crowd, v, out->push);
    tn_crowd_linearise(&crowd, 16, out->K, out->force);
    tn_crowd_follow(&crowd, dv);
    out->second = tn_crowd_look(&crowd, dv, out->push);
    tn_crowd_keep(&crowd);
    tn_crowd_forces(&crowd, out->lambda);
}

static void test_bits(void **state)
{
    static const char *const kinds[] = {"avx2", "avx512"};
    for (int k = 0; k < 4; k++) {
        crowd_problem c = create(7, k % 2 ? TN_LAW_CONVEX : TN_LAW_COULOMB, k < 2 ? 0.6 : 0.0);
        set_softness(&c);
        passes plain, other;
        run(&c, "baseline", &plain);
        assert_true(plain.second.force > 0.0 && plain.second.natural > 0.0);
        for (int i = 0; i < 2; i++) {
            if (tn_processor_runs(kinds[i])) {
                run(&c, kinds[i], &other);
                assert_memory_equal(&plain, &other, sizeof plain);
            }
        }
        friction_destroy(c.f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_laws), cmocka_unit_test(test_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
