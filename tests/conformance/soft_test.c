// Solvers agree on elastic problems: nodal contacts, node on node, and a rigid plate on face points; all laws, soft and
// stiff, with and without Omega. The bar is the project's 1e-8 of |v| where the solution is unique (mu about 0.3).
#include <stdio.h>

#include "reference.h"
#include "soft_network.h"
#include "solver/solver.h"
#include "test.h"

static const double LIMIT = 1e-8; // of |v|
static const double TOLERANCE =
    1e-12; // of each solver: the natural map sees the slow modes of a stiff body thousandfold

static const char *const kind_names[] = {"ground", "pair", "plate"};

// The solvers that factor A; cond and nodal have tests of their own kind.
static const char *const names[] = {"newton", "ccs", "pgs", "pgs-dense", "apgd", "apgd-dense"};
enum { N_NAMES = sizeof names / sizeof names[0] };

static double relative_difference(int n, const double *v, const double *w)
{
    double difference = 0.0, norm = 0.0;
    for (int i = 0; i < n; i++) {
        difference += (v[i] - w[i]) * (v[i] - w[i]);
        norm += w[i] * w[i];
    }
    return sqrt(difference / norm);
}

typedef struct tally {
    double worst[N_NAMES];
    int iterations[N_NAMES];
    int open, sticking, sliding;
} tally;

static void count_states(const soft_network *s, tally *t)
{
    const tn_rows *c = &s->contacts;
    for (int m = 0; m < c->n_triples; m++) {
        double u[3];
        tn_vec3_copy(u, c->offset + 3 * m);
        for (int e = c->start[m]; e < c->start[m + 1]; e++) {
            tn_mat3_add_vec(u, c->jacobian + 9 * e, s->v + 3 * c->block[e]);
        }
        double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
        t->open += s->lambda[3 * m] == 0.0;
        t->sticking += s->lambda[3 * m] > 0.0 && slip < 1e-7;
        t->sliding += s->lambda[3 * m] > 0.0 && slip >= 1e-7;
    }
}

static void compare(soft_network *s, tally *t)
{
    int n = 3 * s->problem.A->n_rows;
    double reference[3 * SOFT_NETWORK_ROWS];
    tn_solve_report report;
    tn_error error = {0};
    assert_int_equal(reference_solve(&s->problem, s->arena, &s->solution, &report, &error), TN_OK);
    assert_true(report.converged && report.certificate.momentum <= 1e-12 && report.certificate.natural <= 1e-12);
    memcpy(reference, s->v, sizeof reference);
    if (!s->contacts.softness) {
        count_states(s, t);
    }
    for (int k = 0; k < N_NAMES; k++) {
        tn_solve_options options = tn_solve_options_default();
        options.tolerance = (tn_tolerance){.momentum = TOLERANCE, .natural = TOLERANCE};
        options.max_iterations = 100000;
        memset(s->v, 0, sizeof s->v);
        memset(s->lambda, 0, sizeof s->lambda);
        for (int i = 0; k == 0 && i < n; i++) { // the reference is newton's, from zeros
            s->v[i] = 0.1 * soft_network_random(99, 1, i);
        }
        tn_status status = tn_problem_solve(&s->problem, names[k], &options, &s->solution, &report, &error);
        if (status != TN_OK || !report.converged) {
            print_error("%s: status %d %s, converged %d, momentum %.1e, natural %.1e after %d\n", names[k], status,
                        error.message, report.converged, report.certificate.momentum, report.certificate.natural,
                        report.iterations);
            fail();
        }
        t->worst[k] = fmax(t->worst[k], relative_difference(n, s->v, reference));
        t->iterations[k] = report.iterations > t->iterations[k] ? report.iterations : t->iterations[k];
        assert_true(isfinite(report.setup_s) && report.setup_s >= 0.0);
    }
}

static void run(tn_law law, bool omega, double mu)
{
    static const double stiffness[] = {50.0, 5000.0};
    for (int kind = 0; kind < SOFT_NETWORK_KINDS; kind++) {
        tally t = {0};
        for (int k = 0; k < 4; k++) {
            soft_network *s =
                soft_network_create((soft_network_kind)kind, law, stiffness[k % 2], mu, (uint64_t)(4 * kind + k + 1));
            s->contacts.softness = omega ? s->omega : NULL;
            compare(s, &t);
            soft_network_destroy(s);
        }
        printf("law %d, %s: %d contacts open, %d sticking, %d sliding\n", law, kind_names[kind], t.open, t.sticking,
               t.sliding);
        for (int k = 0; k < N_NAMES; k++) {
            printf("  %-10s v off by %.1e (limit %.0e), at most %d iterations\n", names[k], t.worst[k], LIMIT,
                   t.iterations[k]);
            assert_true(t.worst[k] <= LIMIT);
        }
        assert_true(omega || law == TN_LAW_FRICTIONLESS || (t.open > 10 && t.sliding > 10));
    }
}

static void strict_law(void **state)
{
    run(TN_LAW_COULOMB, false, 0.3);
}

static void convex_law(void **state)
{
    run(TN_LAW_CONVEX, false, 0.3);
}

static void frictionless_law(void **state)
{
    run(TN_LAW_FRICTIONLESS, false, 0.3);
}

static void invertible_contacts(void **state)
{
    run(TN_LAW_COULOMB, true, 0.3);
    run(TN_LAW_CONVEX, true, 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict_law),
        cmocka_unit_test(convex_law),
        cmocka_unit_test(frictionless_law),
        cmocka_unit_test(invertible_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
