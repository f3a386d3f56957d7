// Packed sweeps against one contact after the other by the general local solve, and the packed figures against the
// certificate.
#include "friction_problem.h"

#include "problem/bound.h"
#include "problem/certificate.h"
#include "solver/packed/packed.h"

static const char *const LAWS[] = {"coulomb", "convex", "frictionless"};

// omega: adds 0.1 I + a little; aniso: mu2 = mu1 / 2 at every other contact.
static void modify(friction_problem *f, double omega[9 * FRICTION_CONTACTS], bool with_omega, bool anisotropic)
{
    for (int m = 0; m < f->contacts.n_triples; ++m) {
        for (int i = 0; i < 9; ++i) {
            omega[9 * m + i] = i % 4 == 0 ? 0.1 : 0.01;
        }
        f->mu[2 * m + 1] = anisotropic && m % 2 == 0 ? 0.5 * f->mu[2 * m] : f->mu[2 * m];
    }
    f->contacts.softness = with_omega ? omega : NULL;
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
    (void)state;
    static double omega[9 * FRICTION_CONTACTS];
    int packed_contacts = 0, rest_contacts = 0;
    for (int variant = 0; variant < 12; ++variant) {
        friction_problem *f = friction_global((uint64_t)(30 + variant), 12, 18, false, 0.9);
        modify(f, omega, variant % 2 == 1, variant / 2 % 2 == 1);
        f->problem.law = (tn_law)(variant / 4);
        tn_packed packed = create(f);
        for (int k = 0; k < TN_PACK * packed.packs.n; ++k) {
            packed.packs.packs[k / TN_PACK].relax[k % TN_PACK] = 1.0;
            packed_contacts += packed.order.id[k] >= 0;
        }
        rest_contacts += packed.rest.n;
        for (int sweep = 0; sweep < 2; ++sweep) {
            tn_packed_sweep(&packed);
            for (int k = 0; k < TN_PACK * packed.packs.n; ++k) {
                if (packed.order.id[k] >= 0) {
                    solve_contact(f, packed.order.id[k]);
                }
            }
            for (int k = 0; k < packed.rest.n; ++k) {
                solve_contact(f, packed.rest.id[k]);
            }
        }
        double lambda[3 * FRICTION_CONTACTS], u[3 * FRICTION_CONTACTS], expected[3], worst = 0.0;
        tn_packed_get(&packed, lambda);
        assert_true(tn_packed_velocity(&packed, f->arena, u));
        for (int m = 0; m < f->contacts.n_triples; ++m) {
            velocity_of(f, m, expected);
            for (int i = 0; i < 3; ++i) {
                worst = fmax(worst, fabs(lambda[3 * m + i] - f->lambda[3 * m + i]));
                worst = fmax(worst, fabs(u[3 * m + i] - expected[i]));
            }
        }
        printf("%s, omega %d, anisotropic %d: 2 sweeps differ by %.1e (limit 1e-11)\n", LAWS[variant / 4], variant % 2,
               variant / 2 % 2, worst);
        assert_true(worst <= 1e-11);
        // Setting the forces again rebuilds the same velocities.
        double again[3 * FRICTION_CONTACTS];
        tn_packed_set(&packed, lambda);
        assert_true(tn_packed_velocity(&packed, f->arena, again));
        for (int i = 0; i < 3 * f->contacts.n_triples; ++i) {
            assert_true(fabs(u[i] - again[i]) <= 1e-13);
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
    (void)state;
    static double omega[9 * FRICTION_CONTACTS];
    for (int variant = 0; variant < 12; ++variant) {
        friction_problem *f = friction_global((uint64_t)(50 + variant), 8, 10, false, 0.9);
        modify(f, omega, variant % 2 == 1, variant / 2 % 2 == 1);
        f->problem.law = (tn_law)(variant / 4);
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
               LAWS[variant / 4], a, c.natural, b, c.fclib);
        // The strict law's normal row counts by itself too: above the certificate's figure, by sqrt(1 + mu^2) at most.
        double factor = f->problem.law == TN_LAW_COULOMB ? sqrt(1.0 + 0.9 * 0.9) : 1.0;
        assert_true(a >= (1.0 - 1e-10) * c.natural && a <= (1.0 + 1e-10) * factor * c.natural && c.natural > 1e-8);
        assert_true(fabs(b - c.fclib) <= 1e-10 * c.fclib && c.fclib > 1e-8);
        friction_destroy(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_sweeps),
        cmocka_unit_test(check_agrees_with_certificate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
