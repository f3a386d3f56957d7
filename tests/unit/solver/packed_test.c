// Packed sweeps against one contact after the other by the general local solve, and the packed figures against the
// certificate.
#include "friction_problem.h"

#include "problem/bound.h"
#include "problem/certificate.h"
#include "solver/packed/single.h"
#include "solver/packed/solve.h"

static const char *const LAWS[] = {"coulomb", "convex", "frictionless"};

typedef enum softness_kind {
    RIGID,
    SPRINGS, // another R along the normal for each contact, another across; some rigid
    FULL,    // 0.1 I + a little, and every third contact a spring with tangents that differ
} softness_kind;

// aniso: mu2 = mu1 / 2 at every other contact.
static void modify(friction_problem *f, double omega[9 * FRICTION_CONTACTS], softness_kind kind, bool anisotropic)
{
    for (int m = 0; m < f->contacts.n_triples; ++m) {
        double normal = m % 4 == 1 ? 0.0 : 0.3 + 0.1 * m, across = m % 3 == 0 ? 0.0 : 0.2 / (1 + m);
        for (int i = 0; i < 9; ++i) {
            double spring = i == 0 ? normal : i == 4 || i == 8 ? across + (kind == FULL && i == 8 ? 0.1 : 0.0) : 0.0;
            double full = i % 4 == 0 ? 0.1 : 0.01;
            omega[9 * m + i] = kind == SPRINGS || m % 3 == 2 ? spring : full;
        }
        f->mu[2 * m + 1] = anisotropic && m % 2 == 0 ? 0.5 * f->mu[2 * m] : f->mu[2 * m];
    }
    f->contacts.softness = kind == RIGID ? NULL : omega;
}

static tn_packed create(friction_problem *f)
{
    tn_packed packed;
    tn_error error = {0};
    const tn_solution start = {.v = TN_PUSH(f->arena, double, 3 * (size_t)f->problem.A->n_rows),
                               .lambda = TN_PUSH(f->arena, double, 3 * (size_t)f->contacts.n_triples)};
    memcpy(start.lambda, f->lambda, 3 * (size_t)f->contacts.n_triples * sizeof *start.lambda);
    assert_int_equal(tn_packed_create(&packed, &f->problem, &start, 1, f->arena, &error), TN_OK);
    assert_true(tn_packed_complete(&packed, f->arena));
    return packed;
}

// u of contact m, Omega included.
static void velocity_of(const friction_problem *f, int m, double u[3])
{
    double all[3 * FRICTION_CONTACTS];
    friction_velocity(&f->problem, f->lambda, all);
    for (int i = 0; i < 3; ++i) {
        u[i] = all[3 * m + i];
        for (int k = 0; f->contacts.softness && k < 3; ++k) {
            u[i] += f->contacts.softness[9 * m + 3 * i + k] * f->lambda[3 * m + k];
        }
    }
}

// The contact's W by differences (u is linear in the forces), then the general solve.
static void solve_contact(friction_problem *f, int m)
{
    double W[9], now[3], q[3], u[3];
    double *lambda = f->lambda + 3 * m;
    memcpy(now, lambda, sizeof now);
    memset(lambda, 0, sizeof now);
    velocity_of(f, m, q);
    for (int k = 0; k < 3; ++k) {
        lambda[k] = 1.0;
        velocity_of(f, m, u);
        lambda[k] = 0.0;
        for (int i = 0; i < 3; ++i) {
            W[3 * i + k] = u[i] - q[i];
        }
    }
    memcpy(lambda, now, sizeof now);
    tn_bound bound = tn_problem_bound(&f->problem, m, NULL);
    tn_set_solve(&bound, W, q, lambda);
}

// Limit: 1e-11 of forces about 1, the differences' rounding over two sweeps.
static void same_sweeps(void **state)
{
    static double omega[9 * FRICTION_CONTACTS];
    int packed_contacts = 0, rest_contacts = 0;
    for (int variant = 0; variant < 18; ++variant) {
        friction_problem *f = friction_global((uint64_t)(30 + variant), 12, 18, false, 0.9);
        softness_kind kind = (softness_kind)(variant % 3);
        modify(f, omega, kind, variant / 3 % 2 == 1);
        f->problem.law = (tn_law)(variant / 6);
        tn_packed packed = create(f);
        for (int k = 0; k < TN_PACK * packed.packs.n; ++k) {
            packed.packs.packs[k / TN_PACK].relax[k % TN_PACK] = 1.0;
            packed_contacts += packed.order.id[k] >= 0;
        }
        rest_contacts += packed.rest.n;
        bool all = kind != FULL && variant / 3 % 2 == 0;
        assert_true(!all || packed.rest.n == 0); // springs go into packs
        assert_true(kind != FULL || packed.rest.n == f->contacts.n_triples);
        for (int sweep = 0; sweep < 2; ++sweep) {
            tn_packed_sweep(&packed);
            for (int k = 0; k < TN_PACK * packed.packs.n; ++k) {
                if (packed.order.id[k] >= 0) {
                    solve_contact(f, packed.order.id[k]);
                }
            }
            for (int k = 0; k < packed.rest.n; ++k) {
                solve_contact(f, packed.rest.id[packed.rest.item[k].first_row]);
            }
        }
        double lambda[3 * FRICTION_CONTACTS], worst = 0.0;
        tn_packed_get(&packed, lambda);
        for (int m = 0; m < f->contacts.n_triples; ++m) {
            for (int i = 0; i < 3; ++i) {
                worst = fmax(worst, fabs(lambda[3 * m + i] - f->lambda[3 * m + i]));
            }
        }
        printf("%s, softness %d, anisotropic %d: 2 sweeps differ by %.1e (limit 1e-11)\n", LAWS[variant / 6], (int)kind,
               variant / 3 % 2, worst);
        assert_true(worst <= 1e-11);
        // Setting the forces again rebuilds the same velocities.
        int n_x = TN_PACK * packed.lines.n;
        double *x = TN_PUSH(f->arena, double, n_x);
        memcpy(x, packed.x, (size_t)n_x * sizeof *x);
        tn_packed_set(&packed, lambda);
        for (int i = 0; i < n_x; ++i) {
            assert_true(fabs(packed.x[i] - x[i]) <= 1e-13);
        }
        friction_destroy(f);
    }
    printf("%d contacts in packs, %d one by one\n", packed_contacts, rest_contacts);
    assert_true(packed_contacts > 0 && rest_contacts > 0);
}

// score = figure / tolerance / 0.9 with the certificate's own figures (strict natural: a little more), at a point that
// is no solution.
static void check_agrees_with_certificate(void **state)
{
    static double omega[9 * FRICTION_CONTACTS];
    for (int variant = 0; variant < 18; ++variant) {
        friction_problem *f = friction_global((uint64_t)(50 + variant), 8, 10, false, 0.9);
        softness_kind kind = (softness_kind)(variant % 3);
        modify(f, omega, kind, variant / 3 % 2 == 1);
        f->problem.law = (tn_law)(variant / 6);
        f->problem.force_scale = 0.5;
        tn_packed packed = create(f);
        tn_check_sums sums;
        tn_packed_sums(&packed, &sums); // without forces
        double q_norm = sqrt(sums.velocity);
        tn_packed_sweep(&packed);
        tn_packed_get(&packed, f->lambda);
        for (int i = 0; i < 3 * f->contacts.n_triples; ++i) {
            f->lambda[i] *= 1.1;
        }
        tn_packed_set(&packed, f->lambda);
        tn_packed_recover(&packed, f->lambda, f->v);
        tn_certificate c;
        assert_int_equal(tn_certificate_compute(&f->problem, &f->solution, true, f->arena, &c), TN_OK);
        const tn_tolerance natural = {.natural = 1e-3}, fclib = {.fclib = 1e-3};
        tn_packed_sums(&packed, &sums);
        tn_check check = tn_check_of_sums(&f->problem, q_norm, &natural);
        double a = 0.9e-3 * tn_check_score_sums(&check, &sums);
        check = tn_check_of_sums(&f->problem, q_norm, &fclib);
        double b = 0.9e-3 * tn_check_score_sums(&check, &sums);
        printf("%s: natural %.12e, certificate %.12e; fclib %.12e, certificate %.12e (limit 1e-10 relative)\n",
               LAWS[variant / 6], a, c.natural, b, c.fclib);
        // The strict law's normal row counts by itself too: above the certificate's figure, by sqrt(1 + mu^2) at most.
        double factor = f->problem.law == TN_LAW_COULOMB ? sqrt(1.0 + 0.9 * 0.9) : 1.0;
        assert_true(a >= (1.0 - 1e-10) * c.natural && a <= (1.0 + 1e-10) * factor * c.natural && c.natural > 1e-8);
        assert_true(fabs(b - c.fclib) <= 1e-10 * c.fclib && c.fclib > 1e-8);
        friction_destroy(f);
    }
}

// Springs in single precision: sums at forces that are no solution against double's, then a solve that ends in single
// precision, judged by the certificate. Springs far softer than the bodies' mobility go in double from the start.
static void springs_in_single_precision(void **state)
{
    static double omega[9 * FRICTION_CONTACTS];
    for (int law = 0; law < 3; ++law) {
        friction_problem *f = friction_global((uint64_t)(80 + law), 12, 18, false, 0.9);
        modify(f, omega, SPRINGS, false);
        f->problem.law = (tn_law)law;
        tn_packed packed = create(f); // complete, for forces
        tn_packed_sweep(&packed);
        tn_packed_get(&packed, f->lambda);
        tn_check_sums exact, sums;
        tn_packed_sums(&packed, &exact);
        tn_error error = {0};
        assert_int_equal(tn_packed_create(&packed, &f->problem, &f->solution, 1, f->arena, &error), TN_OK);
        assert_non_null(packed.single);
        tn_packed_single single;
        assert_true(tn_packed_single_create(&single, &packed, f->arena));
        tn_packed_single_sums(&single, true, &sums);
        const double ratio[4] = {sums.natural / exact.natural, sums.fclib / exact.fclib, sums.force / exact.force,
                                 sums.velocity / exact.velocity};
        for (int i = 0; i < 4; ++i) {
            printf("%s, sum %d: off by %.1e (limit 1e-5)\n", LAWS[law], i, fabs(ratio[i] - 1.0));
            assert_true(fabs(ratio[i] - 1.0) <= 1e-5);
        }
        memset(f->lambda, 0, sizeof f->lambda);
        assert_int_equal(tn_packed_create(&packed, &f->problem, &f->solution, 1, f->arena, &error), TN_OK);
        const tn_tolerance natural = {.natural = 1e-5};
        tn_check check = tn_check_of_sums(&f->problem, 0.0, &natural);
        tn_gauss_seidel_run run = {.max_sweeps = 1000};
        assert_int_equal(tn_packed_solve(&packed, &check, &run, f->arena), TN_OK);
        tn_packed_get(&packed, f->lambda);
        tn_packed_recover(&packed, f->lambda, f->v);
        tn_certificate c;
        assert_int_equal(tn_certificate_compute(&f->problem, &f->solution, false, f->arena, &c), TN_OK);
        printf("%s: %d sweeps, natural %.1e (limit 1e-5), in double %d\n", LAWS[law], run.sweeps, c.natural,
               packed.packs.packs != NULL);
        assert_true(c.natural <= 1e-5 && run.sweeps < 1000 && !packed.packs.packs);
        for (int m = 0; m < f->contacts.n_triples; ++m) {
            omega[9 * m] = 1e4;
        }
        assert_int_equal(tn_packed_create(&packed, &f->problem, &f->solution, 1, f->arena, &error), TN_OK);
        assert_true(!packed.single && packed.rest.n == 0);
        friction_destroy(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_sweeps),
        cmocka_unit_test(check_agrees_with_certificate),
        cmocka_unit_test(springs_in_single_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
