// The spring-damper baseline: its formula, and that its default gains are stable.
#include <stdio.h>

#include "cond_problems.h"
#include "problem/certificate.h"
#include "solver/solvers.h"
#include "test.h"

static tn_status run(small_problem *p, const tn_solve_options *options, tn_solve_report *report)
{
    tn_arena *arena = tn_arena_create(0);
    tn_solution solution = {.v = p->v, .lambda = p->lambda};
    assert_null(tn_solver_refusal(&tn_solver_penalty, &p->problem));
    tn_status status = tn_solver_penalty.solve(&p->problem, options, arena, &solution, report, NULL);
    tn_arena_destroy(arena);
    return status;
}

// One corner deep, one just touching, one apart, one deep and fast; k = 1000 N/m, d = 10 N s/m, mu = 0.2.
static void forces_follow_the_formula(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    box_on_corners(&p, TN_LAW_COULOMB, 0.2, 100.0, arena);
    const double gap[4] = {-1e-3, 0.0, 1e-3, -1e-2};
    memcpy(p.gap, gap, sizeof gap);
    p.v[0] = 0.005; // 0.05 N of regularised friction: below mu k 1e-3 = 0.2 N; above it where nothing presses
    p.v[2] = 0.01;
    p.b[2] = -4.905;
    tn_solve_options options = {.penalty_stiffness = 1e3, .penalty_damping = 10.0};
    tn_solve_report report = {0};
    double friction[4];
    assert_int_equal(run(&p, &options, &report), TN_OK);
    assert_true(report.converged);
    const double normal[4] = {0.9, 0.0, 0.0, 9.9}, tangential[4] = {0.05, 0.0, 0.0, 0.05};
    for (int m = 0; m < 4; m++) {
        friction[m] = sqrt(p.lambda[3 * m + 1] * p.lambda[3 * m + 1] + p.lambda[3 * m + 2] * p.lambda[3 * m + 2]);
        printf("gap %+.0e m: %.6f N (%.6f), friction %.6f N (%.6f)\n", gap[m], p.lambda[3 * m], normal[m], friction[m],
               tangential[m]);
        assert_true(fabs(p.lambda[3 * m] - normal[m]) < 1e-12 && fabs(friction[m] - tangential[m]) < 1e-12);
    }
    tn_certificate certificate;
    tn_solution solution = {.v = p.v, .lambda = p.lambda};
    assert_int_equal(tn_certificate_compute(&p.problem, &solution, false, arena, &certificate), TN_OK);
    printf("momentum %.1e (limit 1e-14)\n", certificate.momentum);
    assert_true(certificate.momentum < 1e-14);

    // Ten times as fast: friction stops at mu lambda_n, against the sliding.
    memset(p.v, 0, sizeof p.v);
    p.v[0] = 1.0;
    assert_int_equal(run(&p, &options, &report), TN_OK);
    double world = 0.0;
    for (int i = 0; i < 3; i++) {
        world += p.frame[3 * i] * p.lambda[i];
    }
    printf("fast: force along the sliding %.6f N (-mu k gap = -0.2)\n", world);
    assert_true(fabs(world + 0.2) < 1e-12);

    p.problem.law = TN_LAW_FRICTIONLESS;
    assert_int_equal(run(&p, &options, &report), TN_OK);
    assert_true(p.lambda[1] == 0.0 && p.lambda[2] == 0.0);
    tn_arena_destroy(arena);
}

// Gains 0 choose themselves: a box dropped from 1 mm comes to rest with a small sag and does not blow up.
static void default_gains_are_stable(void **state)
{
    static small_problem p;
    const double h = 0.01, mass = 0.5;
    for (int midpoint = 0; midpoint < 2; midpoint++) {
        double theta = midpoint ? 0.5 : 1.0, v[6] = {0.0}, v_hat[6] = {0.0}, z = 1e-3, deepest = 0.0;
        tn_arena *arena = tn_arena_create(0);
        for (int k = 0; k < 1000; k++) {
            box_on_corners(&p, TN_LAW_COULOMB, 0.2, 1.0 / (theta * h), arena);
            for (int m = 0; m < 4; m++) {
                p.gap[m] = z;
            }
            p.b[2] = mass * v[2] / (theta * h) - mass * 9.81;
            memcpy(p.v, v_hat, sizeof v_hat);
            tn_solve_options options = {.penalty_stiffness = 0.0};
            tn_solve_report report = {0};
            assert_int_equal(run(&p, &options, &report), TN_OK);
            memcpy(v_hat, p.v, sizeof v_hat);
            for (int i = 0; i < 6; i++) {
                v[i] += (p.v[i] - v[i]) / theta;
            }
            z += h * v_hat[2];
            deepest = fmin(deepest, z);
            tn_arena_reset(arena);
        }
        // Four springs of k = 0.25 rho / (4 h) carry m g; 1/rho = theta h (1/m + r^2/I) = 8 theta h per kg at a corner.
        double sag = mass * 9.81 * 8.0 * theta * h * h / 0.25;
        // turning.
        printf("%s: sag %.6e m (%.6e), deepest %.2e m (limit 5e-2: it may not bounce through), speed %.1e m/s (limit "
               "1e-6)\n",
               midpoint ? "midpoint" : "euler", -z, sag, -deepest, fabs(v[2]));
        assert_true(fabs(z + sag) < 1e-6 && deepest > -5e-2 && fabs(v[2]) < 1e-6);
        tn_arena_destroy(arena);
    }
}

static void what_it_cannot_do_it_refuses(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    box_on_corners(&p, TN_LAW_CONVEX, 0.2, 100.0, arena);
    assert_non_null(tn_solver_refusal(&tn_solver_penalty, &p.problem));
    p.problem.law = TN_LAW_COULOMB;
    p.contacts.gap = NULL;
    assert_non_null(tn_solver_refusal(&tn_solver_penalty, &p.problem));
    tn_problem local = {.rows = &p.contacts, .W = p.problem.A};
    assert_non_null(tn_solver_refusal(&tn_solver_penalty, &local));
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_follow_the_formula),
        cmocka_unit_test(default_gains_are_stable),
        cmocka_unit_test(what_it_cannot_do_it_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
