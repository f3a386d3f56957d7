// nodal against an independent reference, and its own promises.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "cond_problems.h"
#include "solver/nodal.h"
#include "solver/solvers.h"

enum { PROBLEMS = 200 };

static const char *const law_names[] = {"coulomb", "convex", "frictionless"};

static tn_solve_options tight(double tolerance)
{
    return (tn_solve_options){.tolerance = {.momentum = tolerance, .natural = tolerance},
                              .max_iterations = 20000,
                              .k_v = INFINITY,
                              .n_threads = 1};
}

static tn_status run(small_problem *p, const tn_solve_options *options, int coarse_after, tn_solve_report *report)
{
    tn_arena *arena = tn_arena_create("nodal_test", 0);
    assert_non_null(arena);
    tn_solution solution = {.v = p->v, .lambda = p->lambda};
    tn_error error = {0};
    tn_nodal_options nodal = tn_nodal_options_default();
    nodal.coarse_after = coarse_after;
    *report = (tn_solve_report){0};
    tn_status status = tn_nodal_solve(&p->problem, options, &nodal, arena, &solution, report, &error);
    tn_arena_destroy(arena);
    return status;
}

static void cold(small_problem *p)
{
    memset(p->v, 0, sizeof p->v);
    memset(p->lambda, 0, sizeof p->lambda);
}

static double difference(const small_problem *p, const double *v)
{
    double worst = 0.0;
    for (int i = 0; i < 3 * p->problem.A->n_rows; i++) {
        worst = fmax(worst, fabs(p->v[i] - v[i]));
    }
    return worst;
}

static void make_random(small_problem *p, int kind, tn_law law, uint64_t seed, tn_arena *arena)
{
    if (kind == 0) {
        random_bodies(p, law, seed, arena);
    } else if (kind == 1) {
        random_mixed(p, law, seed, arena);
    } else {
        random_nodes(p, law, seed, kind == 3, arena);
    }
}

// Solve p by the reference and by nodal from zeros; returns the largest difference in v [m/s].
static double against_reference(small_problem *p, int coarse_after, int *iterations)
{
    double v[3 * MAX_BLOCKS];
    double change = reference_solve(p, 20000);
    assert_true(change < 1e-13);
    memcpy(v, p->v, sizeof v);
    cold(p);
    tn_solve_options options = tight(1e-12);
    tn_solve_report report;
    assert_int_equal(run(p, &options, coarse_after, &report), TN_OK);
    assert_true(report.converged);
    *iterations = report.iterations > *iterations ? report.iterations : *iterations;
    return difference(p, v);
}

// mu <= 0.3 and W well conditioned: the solution is unique, so whoever finds one finds this one.
static void compare(int coarse_after)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create("nodal_test", 0);
    for (int law = TN_LAW_COULOMB; law <= TN_LAW_FRICTIONLESS; law++) {
        for (int kind = 0; kind < 4; kind++) {
            double worst = 0.0;
            int iterations = 0;
            for (int s = kind; s < PROBLEMS; s += 4) {
                tn_arena_reset(arena);
                make_random(&p, kind, (tn_law)law, (uint64_t)s, arena);
                worst = fmax(worst, against_reference(&p, coarse_after, &iterations));
            }
            printf("%-12s %d: largest |dv| of %d problems %.1e m/s (limit 1e-8), at most %d iterations\n",
                   law_names[law], kind, PROBLEMS / 4, worst, iterations);
            assert_true(worst < 1e-8);
        }
    }
    tn_arena_destroy(arena);
}

static void random_problems_agree_with_the_reference(void **state)
{
    (void)state;
    compare(TN_NODAL_COARSE_NEVER);
}

// The same with the coarse level from the first step on: slaves of all kinds, groups without places.
static void with_coarse_level(void **state)
{
    (void)state;
    compare(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_agree_with_the_reference),
        cmocka_unit_test(with_coarse_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
