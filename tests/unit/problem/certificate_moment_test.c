// The certificate's figures of rolling and torsional friction against values by hand, and the relative figure of many
// contacts against that of each.
#include "problem/certificate_contacts.h"

#include "base/random.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tn_certificate figures(const tn_rows *contacts, const double *lambda, const double *u, const double *scale,
                              double force_scale)
{
    tn_arena *arena = tn_arena_create(0);
    tn_problem problem = {.rows = contacts, .law = TN_LAW_COULOMB, .step = 0.01, .force_scale = force_scale};
    tn_certificate_rows rows = {.lambda = lambda, .u = u, .scale = scale};
    tn_certificate out;
    memset(&out, 0, sizeof out);
    assert_int_equal(tn_certificate_add_contacts(&problem, &rows, 1, arena, &out), TN_OK);
    tn_arena_destroy(arena);
    return out;
}

// A contact pressed by 10 N that neither opens nor slips, and its moment: at most 0.2 N m about the normal (torsion
// 20 mm), 0.5 N m across (rolling 50 mm). Residuals count as forces on the arm of 50 mm, relative to 10 N.
static void one_moment(void **unused)
{
    const struct {
        const char *what;
        double m[3], w[3], scale, natural, cone, dissipation;
    } cases[] = {
        {"held", {0.1, 0.2, -0.3}, {0, 0, 0}, 10, 0, 0, 0},
        {"torsion beyond its limit by 0.1", {-0.3, 0, 0}, {0, 0, 0}, 10, 2.0 / 10, 2.0 / 10, 0},
        {"rolling beyond its limit by 0.5", {0, 0.6, 0.8}, {0, 0, 0}, 10, 10.0 / 10, 10.0 / 10, 0},
        {"rolls against the limit", {0, -0.3, -0.4}, {0, 1.8, 2.4}, 10, 0, 0, 0},
        {"turns against the limit", {0.2, 0, 0}, {-4, 0, 0}, 10, 0, 0, 0},
        {"rolls without a moment", {0, 0, 0}, {0, 3, 0}, 1, 10.0 / 10, 0, 0.5 * 3},
        {"turns without a moment", {0, 0, 0}, {4, 0, 0}, 1, 4.0 / 10, 0, 0.2 * 4},
        {"rolls slowly with a third of it", {0, 0, 0.1}, {0, 0, 3}, 30, 2.0 / 10, 0, 0.5 * 3 + 0.3},
        {"turns with the limit instead of against", {0.2, 0, 0}, {4, 0, 0}, 1, 8.0 / 10, 0, 0.2 * 4 + 0.2 * 4},
    };
    const int pressed_by[1] = {0};
    const double mu[4] = {0.5, 0.5, 0.02, 0.05};
    const tn_rows contacts = {.n_triples = 2, .mu = mu, .n_frictions = 1, .pressed_by = pressed_by};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double lambda[6] = {10, 0, 0}, u[6] = {0}, scale[2] = {1, cases[k].scale};
        memcpy(lambda + 3, cases[k].m, sizeof cases[k].m);
        memcpy(u + 3, cases[k].w, sizeof cases[k].w);
        tn_certificate c = figures(&contacts, lambda, u, scale, 0.0);
        printf("%-42s natural %.10g, wanted %.10g; cone %.10g, wanted %.10g; dissipation %.10g, wanted %.10g W\n",
               cases[k].what, c.natural, cases[k].natural, c.cone, cases[k].cone, c.dissipation, cases[k].dissipation);
        assert_true(fabs(c.natural - cases[k].natural) <= 1e-14 && fabs(c.strict_natural - cases[k].natural) <= 1e-14);
        assert_true(fabs(c.cone - cases[k].cone) <= 1e-14);
        assert_true(fabs(c.dissipation - cases[k].dissipation) <= 1e-14);
    }
}

// |residual| / max(|lambda|, f0) over 10000 contacts: with a large f0 it is the residual over that, so both are known.
static void norm_of_many_contacts(void **unused)
{
    enum { N = 10000 }; // several chunks
    static double lambda[3 * N], u[3 * N], mu[2 * N], scale[N];
    double forces = 0.0;
    for (int i = 0; i < N; i++) {
        mu[2 * i] = mu[2 * i + 1] = 0.5;
        scale[i] = 1.0;
        for (int k = 0; k < 3; k++) {
            uint64_t n = 3 * (uint64_t)i + (uint64_t)k;
            lambda[n] = tn_random_uniform(1, 0, n) + (k == 0 ? 3.0 : 0.0);
            u[n] = 1e-3 * tn_random_normal(1, 1, n);
            forces += lambda[n] * lambda[n];
        }
    }
    const tn_rows contacts = {.n_triples = N, .mu = mu};
    double of_forces = figures(&contacts, lambda, u, scale, 0.0).natural * sqrt(forces);
    double of_floor = figures(&contacts, lambda, u, scale, 1e6).natural * 1e6;
    printf("residual %.12g N by the forces, %.12g N by a floor of 1e6 N\n", of_forces, of_floor);
    assert_true(of_floor > 1e-3 && fabs(of_forces - of_floor) <= 1e-12 * of_floor);
    assert_true(figures(&contacts, lambda, u, scale, 1e-3 * sqrt(forces)).natural * sqrt(forces) == of_forces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_moment), cmocka_unit_test(norm_of_many_contacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
