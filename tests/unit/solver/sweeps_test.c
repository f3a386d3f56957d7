// Sweeps over the rows of a local problem (pgs without bodies) against closed forms: moments, invertible contacts; and
// that what comes back is the best iterate.
#include "tenon/problem.h"

#include "math/blocks.h"
#include "solver/gauss_seidel.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 30 };

// u = W lambda + q with W a chain: own 1 on the diagonal, next 1 beside it.
typedef struct chain {
    tn_arena *arena;
    double q[3 * MOST], mu[2 * MOST], omega[9 * MOST], lambda[3 * MOST];
    tn_rows contacts;
    tn_problem problem;
} chain;

static void chain_start(chain *c, int n, double own, double next)
{
    tn_blocks_entry entries[3 * MOST];
    int k = 0;
    memset(c, 0, sizeof *c);
    c->arena = tn_arena_create(0);
    for (int i = 0; i < n; i++) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) {
            double w = i == j ? own : next;
            entries[k++] = (tn_blocks_entry){.row = i, .column = j, .value = {w, 0, 0, 0, w, 0, 0, 0, w}};
        }
        c->mu[2 * i] = c->mu[2 * i + 1] = 0.5;
    }
    c->contacts = (tn_rows){.n_triples = n, .offset = c->q, .mu = c->mu};
    c->problem = (tn_problem){.W = tn_blocks_from_entries(n, n, k, entries, c->arena),
                              .rows = &c->contacts,
                              .law = TN_LAW_COULOMB,
                              .step = 0.01};
}

// Sweeps from zero, by themselves: what polishes a solution afterwards is not part of them. Returns the score of what
// is left, *run what the run says.
static double chain_sweep(chain *c, double natural, tn_gauss_seidel_run *run)
{
    tn_gauss_seidel gs;
    tn_check of;
    tn_error error = {0};
    const tn_tolerance tolerance = {.natural = natural};
    tn_delassus_kind kind = tn_gauss_seidel_choose(&c->problem, c->arena);
    memset(c->lambda, 0, sizeof c->lambda);
    assert_int_equal(tn_gauss_seidel_create(&gs, &c->problem, kind, c->lambda, c->arena, &error), TN_OK);
    assert_true(tn_check_create(&of, &c->problem, gs.q, &tolerance, c->arena));
    assert_int_equal(tn_gauss_seidel_solve(&gs, &of, run, c->arena), TN_OK);
    memcpy(c->lambda, gs.lambda, 3 * (size_t)c->contacts.n_triples * sizeof *gs.lambda);
    double left = tn_check_score(&of, gs.lambda, gs.u);
    tn_gauss_seidel_destroy(&gs);
    return left;
}

static void check(const char *what, double value, double wanted, double limit)
{
    printf("%-52s %.12g, wanted %.12g +- %.1g\n", what, value, wanted, limit);
    assert_true(fabs(value - wanted) <= limit);
}

// A contact pressed by 2 N and its moment, which turns: at most 0.02 x 2 about the normal, 0.05 x 2 across.
static void moments(void **state)
{
    const int pressed_by[1] = {0};
    chain c;
    chain_start(&c, 2, 0.5, 0.0);
    c.q[0] = -1.0;
    c.q[3] = -3.0;
    c.q[4] = 1.8;
    c.q[5] = -2.4;
    c.mu[2] = 0.02;
    c.mu[3] = 0.05;
    c.contacts.n_frictions = 1;
    c.contacts.pressed_by = pressed_by;
    tn_gauss_seidel_run run = {.max_sweeps = 1000};
    assert_true(chain_sweep(&c, 1e-12, &run) <= 1.0);
    check("pressed by", c.lambda[0], 2.0, 1e-11);
    check("moment about the normal", c.lambda[3], 0.04, 1e-12);
    check("moment across", c.lambda[4], -0.1 * 0.6, 1e-12);
    check("moment across", c.lambda[5], 0.1 * 0.8, 1e-12);
    tn_arena_destroy(c.arena);
}

// omega = 0.3 1 on top of W = 0.5 1: 1/0.8 N along the normal, and 0.4/0.8 N of friction, which sticks.
static void invertible_contacts(void **state)
{
    chain c;
    chain_start(&c, 2, 0.5, 0.0);
    for (int i = 0; i < 2; i++) {
        c.q[3 * i] = -1.0;
        c.q[3 * i + 1] = 0.4;
        for (int k = 0; k < 3; k++) {
            c.omega[9 * i + 4 * k] = 0.3;
        }
    }
    c.contacts.softness = c.omega;
    tn_gauss_seidel_run run = {.max_sweeps = 1000};
    assert_true(chain_sweep(&c, 1e-12, &run) <= 1.0);
    for (int i = 0; i < 2; i++) {
        check("normal force", c.lambda[3 * i], 1.25, 1e-11);
        check("friction", c.lambda[3 * i + 1], -0.5, 1e-11);
    }
    tn_arena_destroy(c.arena);
}

// A chain that sweeps solve slowly, stopped anywhere: the score of a run is that of the forces and velocities that it
// leaves.
static void best_iterate(void **state)
{
    chain c;
    chain_start(&c, MOST, 2.0, -0.99);
    for (int i = 0; i < MOST; i++) {
        c.q[3 * i] = -1.0 - 0.1 * (i % 3);
        c.q[3 * i + 1] = 0.3 * sin(i);
    }
    for (int most = 5; most <= 100; most += 5) {
        tn_gauss_seidel_run run = {.max_sweeps = most};
        double left = chain_sweep(&c, 1e-10, &run);
        printf("%d sweeps: score %.6g, of what is left %.6g\n", run.sweeps, run.score, left);
        assert_true(fabs(left - run.score) <= 1e-9 * run.score + 1e-5); // u is found anew
    }
    tn_arena_destroy(c.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moments), cmocka_unit_test(invertible_contacts),
                                       cmocka_unit_test(best_iterate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
