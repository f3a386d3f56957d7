// ccs: its stops, and that the answer does not depend on how it is split.
#include <stdio.h>

#include "reference.h"
#include "soft_network.h"
#include "solver/ccs/ccs.h"
#include "test.h"

static tn_solve_report run(soft_network *s, const tn_solve_options *options, const tn_ccs_options *ccs)
{
    tn_solve_report report = {0};
    tn_error error = {0};
    memset(s->v, 0, sizeof s->v);
    memset(s->lambda, 0, sizeof s->lambda);
    tn_status status = tn_ccs_solve(&s->problem, options, ccs, s->arena, &s->solution, &report, &error);
    assert_int_equal(status, TN_OK);
    return report;
}

static double difference(const soft_network *s, const double *v)
{
    double worst = 0.0;
    for (int i = 0; i < 3 * s->problem.A->n_rows; i++) {
        worst = fmax(worst, fabs(s->v[i] - v[i]));
    }
    return worst;
}

// Any rho, relaxation and balancing: the same v. Limit 1e-8 m/s of velocities near 0.3, at a tolerance of 1e-11.
static void any_splitting_has_the_same_answer(void **state)
{
    static const tn_ccs_options splittings[] = {
        {0.1, 1.6, 8}, {0.02, 1.0, 0}, {0.1, 1.8, 0}, {2.0, 1.6, 8}, {0.5, 1.3, 4}, {30.0, 1.6, 6},
    };
    soft_network *s = soft_network_create(SOFT_NETWORK_PAIR, TN_LAW_COULOMB, 500.0, 0.3, 5);
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = 1e-11, .natural = 1e-11};
    options.max_iterations = 200000;
    double v[3 * SOFT_NETWORK_ROWS];
    tn_solve_report report;
    assert_int_equal(reference_solve(&s->problem, s->arena, &s->solution, &report, NULL), TN_OK);
    assert_true(report.converged);
    memcpy(v, s->v, sizeof v);
    for (size_t k = 0; k < sizeof splittings / sizeof splittings[0]; k++) {
        report = run(s, &options, &splittings[k]);
        printf("rho %g, relaxation %g, balance after %d: %d iterations, v off by %.1e (limit 1e-8)\n",
               splittings[k].rho, splittings[k].relaxation, splittings[k].balance_first, report.iterations,
               difference(s, v));
        assert_true(report.converged && difference(s, v) <= 1e-8);
        assert_true(report.setup_s > 0.0);
    }
    soft_network_destroy(s);
}

// Nothing demanded: exactly max_iterations. theta alone: that is the stop. The best iterate is what comes back.
static void stops(void **state)
{
    soft_network *s = soft_network_create(SOFT_NETWORK_GROUND, TN_LAW_COULOMB, 500.0, 0.3, 7);
    tn_ccs_options ccs = tn_ccs_options_default();
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = 0.0};
    double last = HUGE_VAL;
    for (int n = 1; n <= 64; n *= 4) {
        options.max_iterations = n;
        tn_solve_report report = run(s, &options, &ccs);
        assert_true(report.iterations == n && report.converged);
        assert_true(report.theta < last);
        last = report.theta;
    }
    options.tolerance.theta = 1e-6;
    options.max_iterations = 1000;
    tn_solve_report report = run(s, &options, &ccs);
    printf("theta %.1e after %d iterations (limit 1e-6: demanded)\n", report.theta, report.iterations);
    assert_true(report.converged && report.theta < 1e-6 && report.iterations < 1000);
    // Out of iterations.
    options.tolerance = (tn_tolerance){.natural = 1e-12};
    options.max_iterations = 3;
    report = run(s, &options, &ccs);
    assert_true(!report.converged && report.iterations == 3);
    soft_network_destroy(s);
}

// Threads change nothing, to the last bit.
static void threads(void **state)
{
    soft_network *s = soft_network_create(SOFT_NETWORK_PLATE, TN_LAW_COULOMB, 500.0, 0.3, 8);
    tn_ccs_options ccs = tn_ccs_options_default();
    tn_solve_options options = tn_solve_options_default();
    double v[3 * SOFT_NETWORK_ROWS];
    run(s, &options, &ccs);
    memcpy(v, s->v, sizeof v);
    options.n_threads = 3;
    run(s, &options, &ccs);
    assert_memory_equal(v, s->v, sizeof v);
    soft_network_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_splitting_has_the_same_answer),
        cmocka_unit_test(stops),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
