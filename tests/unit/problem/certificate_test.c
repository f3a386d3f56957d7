// The certificate against closed forms: C01 and C02 of the friction problems that Siconos ships (data Apache-2.0, here
// as numbers), the elliptic cone against Moreau's decomposition, and what NaN does.
#include "problem/certificate.h"

#include "base/memory.h"
#include "base/random.h"
#include "math/blocks.h"
#include "problem/certificate_cone.h"
#include "problem/problem.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// More memory requests than the calls under test make; some (the arena's notes for its report) may fail unseen.
enum { REQUESTS = 80 };

static void check_below(const char *what, double measured, double limit)
{
    print_message("  %-44s %.3e  limit %.1e\n", what, measured, limit);
    assert_true(measured <= limit); // false for NaN
}

static void check_near(const char *what, double measured, double expected, double tolerance)
{
    print_message("  %-44s %.12g  expected %.12g +- %.1e\n", what, measured, expected, tolerance);
    assert_true(fabs(measured - expected) <= tolerance);
}

// A local problem with dense W of 3n rows.
typedef struct local_problem {
    tn_arena *arena;
    tn_rows contacts;
    tn_problem problem;
} local_problem;

static void local_create(local_problem *l, int n, const double *W, const double *q, const double *mu)
{
    l->arena = tn_arena_create(0);
    tn_blocks_entry *entries = TN_PUSH(l->arena, tn_blocks_entry, n * n);
    for (int b = 0; b < n * n; ++b) {
        entries[b].row = b / n;
        entries[b].column = b % n;
        for (int d = 0; d < 9; ++d) {
            entries[b].value[d] = W[(3 * (b / n) + d / 3) * 3 * n + 3 * (b % n) + d % 3];
        }
    }
    l->contacts = (tn_rows){.n_triples = n, .offset = q, .mu = mu};
    l->problem =
        (tn_problem){.W = tn_blocks_from_entries(n, n, n * n, entries, l->arena), .rows = &l->contacts, .step = 1.0};
}

static tn_certificate certify(local_problem *l, tn_law law, const double *lambda)
{
    tn_certificate out;
    double copy[64];
    memcpy(copy, lambda, 3 * (size_t)l->contacts.n_triples * sizeof *copy);
    l->problem.law = law;
    assert_int_equal(tn_certificate_compute(&l->problem, &(tn_solution){.lambda = copy}, true, l->arena, &out), TN_OK);
    return out;
}

// C01: W = I, q = (-1, 1, 3), mu = 0.1, three uncoupled contacts. Both answers in closed form.
static void test_c01(void **state)
{
    double W[81] = {0.0};
    double q[9], ncp[9], ccp[9];
    double mu[6] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    double n = (1.0 + 0.1 * sqrt(10.0)) / 1.01;
    for (int i = 0; i < 9; ++i) {
        W[10 * i] = 1.0;
        q[i] = (const double[]){-1.0, 1.0, 3.0}[i % 3];
        ncp[i] = (const double[]){1.0, -0.1 / sqrt(10.0), -0.3 / sqrt(10.0)}[i % 3];
        ccp[i] = (const double[]){n, -0.1 * n / sqrt(10.0), -0.3 * n / sqrt(10.0)}[i % 3];
    }
    local_problem l;
    local_create(&l, 3, W, q, mu);

    tn_certificate c = certify(&l, TN_LAW_COULOMB, ncp);
    assert_true(isnan(c.momentum) && isnan(c.penetration));
    check_below("C01 strict answer: natural", c.natural, 1e-15);
    check_below("C01 strict answer: fclib", c.fclib, 1e-15);
    check_below("C01 strict answer: complementarity", c.complementarity, 1e-15);
    check_below("C01 strict answer: dissipation", c.dissipation, 1e-15);
    check_below("C01 strict answer: cone", c.cone, 1e-15);
    check_below("C01 strict answer: signorini_primal", c.signorini_primal, 1e-15);

    c = certify(&l, TN_LAW_CONVEX, ccp);
    check_below("C01 convex answer: natural", c.natural, 1e-15);
    check_below("C01 convex answer: complementarity", c.complementarity, 1e-15);
    // u_n = n - 1, where the strict law wants 0 (the public cases: +0.3031958079).
    check_near("C01 convex answer: strict complementarity", c.strict_complementarity, 0.3031958079, 1e-10);
    // 9.10e-2 is evaluated from the formula in the public cases, three digits.
    check_near("C01 convex answer: fclib", c.fclib, 9.10e-2, 5e-5);
    assert_true(c.strict_natural > 0.05);

    c = certify(&l, TN_LAW_CONVEX, ncp);
    check_near("C01 strict answer under the convex law > 0", c.natural > 0.05, 1.0, 0.0);
    tn_arena_destroy(l.arena);
}

// C02: FrictionContact3D_1c and FrictionContact3D_RR_1c; answers of 10 digits from the public cases.
static void test_c02(void **state)
{
    local_problem l;
    const double W1[9] = {15, -1, -2, -1, 14, 1, -2, 1, 16};
    const double q1[3] = {-1, 2, 3}, mu1[2] = {0.1, 0.1};
    const double r1[3] = {0.0656956829, -0.0036786149, -0.0054430708};
    local_create(&l, 1, W1, q1, mu1);
    tn_certificate c = certify(&l, TN_LAW_COULOMB, r1);
    // Ten digits of r times |W| = 16 leave 1e-9 in u.
    check_below("C02 1c: fclib", c.fclib, 2e-9);
    check_below("C02 1c: natural", c.natural, 2e-8);
    double wrong[3] = {r1[0] * 1.01, r1[1], r1[2]};
    assert_true(certify(&l, TN_LAW_COULOMB, wrong).fclib > 1e-4);
    tn_arena_destroy(l.arena);
}

// A sphere-like point mass on a plane with prescribed push: everything known by hand. m = 2 kg, h = 0.1 s, A = 20 I.
typedef struct block_case {
    tn_arena *arena;
    double b[3], offset[3], mu[2], jacobian[9], frame[9];
    int start[2], block[1];
    tn_rows contacts;
    tn_problem problem;
} block_case;

static void block_create(block_case *k, double push1, double push2, double mu1, double mu2)
{
    *k = (block_case){.b = {-40.0, push1, push2},
                      .mu = {mu1, mu2},
                      .jacobian = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                      .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                      .start = {0, 1}};
    k->arena = tn_arena_create(0);
    const double A[9] = {20, 0, 0, 0, 20, 0, 0, 0, 20};
    k->contacts = (tn_rows){.n_triples = 1,
                            .frame = k->frame,
                            .offset = k->offset,
                            .mu = k->mu,
                            .start = k->start,
                            .block = k->block,
                            .jacobian = k->jacobian};
    k->problem = (tn_problem){.A = tn_blocks_from_diagonal(1, A, k->arena),
                              .b = k->b,
                              .rows = &k->contacts,
                              .step = 0.1,
                              .force_scale = 40.0};
}

static tn_certificate block_certify(block_case *k, const double lambda[3])
{
    double f[3] = {lambda[0], lambda[1], lambda[2]};
    double v[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = (k->b[i] + f[i]) / 20.0;
    }
    tn_certificate out;
    assert_int_equal(tn_certificate_compute(&k->problem, &(tn_solution){.v = v, .lambda = f}, true, k->arena, &out),
                     TN_OK);
    return out;
}

static void test_global_slide(void **state)
{
    block_case k;
    block_create(&k, 30.0, 40.0, 0.5, 0.5); // push 50 N against friction 20 N: slides
    tn_certificate c = block_certify(&k, (const double[]){40.0, -12.0, -16.0});
    check_below("sliding: momentum", c.momentum, 1e-15);
    check_below("sliding: natural", c.natural, 1e-15);
    check_below("sliding: fclib", c.fclib, 1e-15);
    check_below("sliding: dissipation", c.dissipation, 1e-14);

    // Half the friction force: inside the cone but dissipates too little: 0.5 * 40 * |u| - 10 |u|, |u| = 40 / 20.
    c = block_certify(&k, (const double[]){40.0, -6.0, -8.0});
    check_near("half friction: dissipation deficit [W]", c.dissipation, 20.0, 1e-12);
    check_below("half friction: cone", c.cone, 0.0);
    assert_true(c.natural > 0.1);

    // 1.5 times the friction: (30 - 20) / 40.
    c = block_certify(&k, (const double[]){40.0, -18.0, -24.0});
    check_near("too much friction: cone", c.cone, 0.25, 1e-14);

    // No contact force: the block sinks with 2 m/s.
    c = block_certify(&k, (const double[]){0.0, 0.0, 0.0});
    check_near("no force: signorini_primal [m/s]", c.signorini_primal, 2.0, 1e-15);
    check_near("no force: complementarity [m/s]", c.complementarity, 2.0, 1e-15);

    // Frictionless law: the normal force alone.
    k.problem.law = TN_LAW_FRICTIONLESS;
    c = block_certify(&k, (const double[]){40.0, 0.0, 0.0});
    check_below("frictionless: natural", c.natural, 0.0);
    assert_true(c.strict_natural > 0.1);
    c = block_certify(&k, (const double[]){40.0, -12.0, -16.0});
    check_near("frictionless law, friction given: natural", c.natural, 20.0 / sqrt(1600.0 + 400.0), 1e-14);
    check_near("frictionless law, friction given: cone", c.cone, 0.5, 1e-14);
    tn_arena_destroy(k.arena);
}

// Anisotropic sliding: with maximal dissipation the force is the point of the ellipse whose normal is -u_t:
// f_i = -mu_i^2 f_n u_i / sqrt(sum (mu_i u_i)^2).
static void test_global_anisotropic(void **state)
{
    const double u[2] = {0.3, -0.7}, mu[2] = {0.2, 0.6};
    double shift = sqrt(mu[0] * mu[0] * u[0] * u[0] + mu[1] * mu[1] * u[1] * u[1]);
    double f[3] = {40.0, -mu[0] * mu[0] * 40.0 * u[0] / shift, -mu[1] * mu[1] * 40.0 * u[1] / shift};
    block_case k;
    block_create(&k, 20.0 * u[0] - f[1], 20.0 * u[1] - f[2], mu[0], mu[1]);
    tn_certificate c = block_certify(&k, f);
    check_below("anisotropic sliding: natural", c.natural, 1e-14);
    check_below("anisotropic sliding: fclib", c.fclib, 1e-14);
    check_below("anisotropic sliding: cone", c.cone, 1e-15);
    check_below("anisotropic sliding: |dissipation|", fabs(c.dissipation), 1e-13);
    // Opposite to u_t on the same ellipse: less dissipation, and the natural map sees it.
    double q = sqrt(u[0] * u[0] / (mu[0] * mu[0]) + u[1] * u[1] / (mu[1] * mu[1]));
    c = block_certify(&k, (const double[]){40.0, -40.0 * u[0] / q, -40.0 * u[1] / q});
    check_below("anisotropic, opposite force: cone", c.cone, 1e-15);
    assert_true(c.natural > 1e-2);
    tn_arena_destroy(k.arena);
}

// Omega adds to u: a normal force f on Omega = w I with free velocity -40/20: u = -2 + f/20 + w f = 0.
static void test_omega(void **state)
{
    block_case k;
    block_create(&k, 0.0, 0.0, 0.5, 0.5);
    const double omega[9] = {0.05, 0, 0, 0, 0.05, 0, 0, 0, 0.05};
    k.contacts.softness = omega;
    tn_certificate c = block_certify(&k, (const double[]){20.0, 0.0, 0.0});
    check_below("invertible contact: natural", c.natural, 1e-16);
    check_below("invertible contact: fclib", c.fclib, 1e-16);
    tn_arena_destroy(k.arena);
}

// Products that the caller wants are those of the functions for them; asking for them changes no figure's bits.
static void test_products(void **state)
{
    block_case k;
    block_create(&k, 30.0, 40.0, 0.5, 0.5);
    double f[3] = {39.0, -12.0, -15.0}, v[3] = {0.9, 1.4, -0.01}, product[3], push[3] = {0.0}, u[3], kept[9];
    tn_solution solution = {.v = v, .lambda = f};
    tn_certificate_options options = {
        .with_fclib = true, .n_threads = 1, .product = kept, .push = kept + 3, .u = kept + 6};
    tn_certificate a, b;
    tn_blocks_mul(k.problem.A, v, product);
    tn_problem_add_contact_force(&k.problem, f, push);
    tn_problem_velocity(&k.problem, v, f, u);
    double both[6] = {0.0};
    tn_problem_apply(&k.problem, v, f, both, both + 3);
    assert_memory_equal(both, u, sizeof u);
    assert_memory_equal(both + 3, push, sizeof push);
    assert_int_equal(tn_certificate_compute(&k.problem, &solution, true, k.arena, &a), TN_OK);
    assert_int_equal(tn_certificate_compute_with(&k.problem, &solution, &options, k.arena, &b), TN_OK);
    a.penetration = b.penetration = a.drift = b.drift = 0.0; // NaN
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(kept, product, sizeof product);
    assert_memory_equal(kept + 3, push, sizeof push);
    assert_memory_equal(kept + 6, u, sizeof u);
    assert_true(a.momentum > 1e-3 && a.natural > 1e-3);
    assert_true(tn_certificate_momentum(&k.problem, product, push, NULL) == a.momentum);
    tn_arena_destroy(k.arena);
}

// fclib where A is one component of two coupled blocks: as by solving with all of A.
static void test_coupled_fclib(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_blocks_entry entries[4] = {
        {.row = 0, .column = 0}, {.row = 0, .column = 1}, {.row = 1, .column = 0}, {.row = 1, .column = 1}};
    for (int i = 0; i < 3; ++i) { // diagonal 2 m, coupling -m: A^-1 by hand is 1/(3 m) (2, 1; 1, 2)
        entries[0].value[4 * i] = entries[3].value[4 * i] = 20.0;
        entries[1].value[4 * i] = entries[2].value[4 * i] = -10.0;
    }
    const double b[6] = {-40.0, 30.0, 40.0, 0.0, 0.0, 0.0}, mu[2] = {0.5, 0.5}, offset[3] = {0.1, 0.0, 0.0};
    const double jacobian[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int start[2] = {0, 1}, block[1] = {0};
    tn_rows contacts = {
        .n_triples = 1, .offset = offset, .mu = mu, .start = start, .block = block, .jacobian = jacobian};
    tn_problem global = {.A = tn_blocks_from_entries(2, 2, 4, entries, arena), .b = b, .rows = &contacts, .step = 0.1};
    double f[3] = {20.0, -5.0, -3.0}, v[6] = {0.0};
    tn_certificate c;
    assert_int_equal(tn_certificate_compute(&global, &(tn_solution){.v = v, .lambda = f}, true, arena, &c), TN_OK);
    // The same contact in local form, scaled to impulses: W = 2/30 / h, q = 2/30 b + w.
    double W[9] = {0.0}, q[3], r[3];
    for (int i = 0; i < 3; ++i) {
        W[4 * i] = 2.0 / 30.0 / 0.1;
        q[i] = 2.0 / 30.0 * b[i] + offset[i];
        r[i] = 0.1 * f[i];
    }
    local_problem l;
    local_create(&l, 1, W, q, mu);
    check_near("coupled blocks: fclib against the local form", c.fclib, certify(&l, TN_LAW_COULOMB, r).fclib, 1e-14);
    tn_arena_destroy(l.arena);
    tn_arena_destroy(arena);
}

static void test_nan(void **state)
{
    for (int law = 0; law < 3; ++law) {
        for (int part = 0; part < 6; ++part) {
            for (int isotropic = 0; isotropic < 2; ++isotropic) {
                block_case k;
                block_create(&k, 1.0, 2.0, 0.3, isotropic ? 0.3 : 0.6);
                k.problem.law = (tn_law)law;
                double x[6] = {1.0, 0.1, 0.1, 0.2, 0.1, 0.1};
                x[part] = (double)NAN;
                tn_certificate c;
                assert_int_equal(
                    tn_certificate_compute(&k.problem, &(tn_solution){.v = &x[3], .lambda = x}, true, k.arena, &c),
                    TN_OK);
                assert_true(isnan(c.momentum) && isnan(c.natural) && isnan(c.strict_natural) && isnan(c.dissipation));
                assert_true(part >= 3 || isnan(c.fclib)); // fclib looks at lambda alone
                tn_arena_destroy(k.arena);
            }
        }
    }
}

static void test_empty(void **state)
{
    block_case k;
    block_create(&k, 1.0, 2.0, 0.3, 0.3);
    k.contacts.n_triples = 0;
    double v[3] = {k.b[0] / 20.0, k.b[1] / 20.0, k.b[2] / 20.0};
    tn_certificate c;
    assert_int_equal(tn_certificate_compute(&k.problem, &(tn_solution){.v = v}, true, k.arena, &c), TN_OK);
    check_below("no contacts: momentum", c.momentum, 1e-16);
    assert_true(c.natural == 0.0 && c.fclib == 0.0 && c.complementarity == 0.0);
    tn_arena_destroy(k.arena);
}

// Moreau: x = p + d with p in K, d in the polar cone, p . d = 0. The residual with f = 0, w = -x, s = 1 is -P_K(x).
static void test_cone_moreau(void **state)
{
    double worst_in = 0.0, worst_polar = 0.0, worst_product = 0.0;
    for (uint64_t i = 0; i < 200000; ++i) {
        double x[3], mu[2];
        for (uint64_t k = 0; k < 3; ++k) {
            x[k] = tn_random_normal(1, k, i) * pow(10.0, 3.0 * tn_random_normal(2, k, i));
        }
        for (uint64_t k = 0; k < 2; ++k) {
            mu[k] = pow(10.0, 4.0 * tn_random_uniform(3, k, i) - 2.0);
        }
        if (i % 4 == 0) {
            mu[1] = mu[0];
        } else if (i % 97 == 1) {
            mu[i % 2] = 0.0;
        }
        if (i % 31 == 0) {
            x[i % 3] = 0.0;
        }
        const double zero[3] = {0.0, 0.0, 0.0};
        double w[3] = {-x[0], -x[1], -x[2]};
        double out[3];
        tn_certificate_conic_residual(mu, 1.0, zero, w, out);
        double p[3] = {-out[0], -out[1], -out[2]};
        double d[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
        double minus[3] = {-d[0], -d[1], -d[2]};
        double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) * (1.0 + mu[0] + mu[1]);
        double in = tn_certificate_cone_excess(mu, p) / size;
        double polar = (tn_certificate_shift(mu, minus) + d[0]) / size;
        double product = fabs(p[0] * d[0] + p[1] * d[1] + p[2] * d[2]) / (size * size);
        worst_in = in > worst_in ? in : worst_in;
        worst_polar = polar > worst_polar ? polar : worst_polar;
        worst_product = product > worst_product ? product : worst_product;
    }
    // Rounding, relative to |x| (1 + mu_1 + mu_2), mu from 0.01 to 100 in any ratio.
    check_below("nearest point in the cone", worst_in, 1e-14);
    check_below("rest in the polar cone", worst_polar, 1e-14);
    check_below("point at right angles to the rest", worst_product, 1e-14);
}

static void test_no_memory(void **state)
{
    block_case k;
    block_create(&k, 1.0, 2.0, 0.3, 0.3);
    double x[6] = {0};
    tn_certificate c;
    int failures = 0;
    for (long n = 0; n < REQUESTS; ++n) {
        tn_arena *arena = tn_arena_create(64);
        tn_memory_fail_after(n);
        tn_status status = tn_certificate_compute(&k.problem, &(tn_solution){.v = &x[3], .lambda = x}, true, arena, &c);
        tn_memory_fail_after(-1);
        tn_arena_destroy(arena);
        assert_true(status == TN_OK || status == TN_NO_MEMORY);
        failures += status != TN_OK;
    }
    print_message("  %d requests failed in turn\n", failures);
    assert_true(failures >= 1);
    tn_arena_destroy(k.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c01),           cmocka_unit_test(test_c02),
        cmocka_unit_test(test_global_slide),  cmocka_unit_test(test_global_anisotropic),
        cmocka_unit_test(test_omega),         cmocka_unit_test(test_products),
        cmocka_unit_test(test_coupled_fclib), cmocka_unit_test(test_nan),
        cmocka_unit_test(test_empty),         cmocka_unit_test(test_cone_moreau),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
