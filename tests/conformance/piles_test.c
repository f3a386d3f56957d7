// Settled piles of spheres in a box (rigid/balls1000.yaml with 4 x 4 x 4 and 6 x 6 x 6 spheres, friction 0.5, 0.3 and,
// the rough one, 0.8; the 500th step of 5 ms): the strict law to an fclib error of 1e-8, from zero forces, by ipm, the
// rough one by many ways along its path. Sweeps end at 1e-6.
#include "friction_problem.h"

#include "problem/certificate.h"
#include "problem/delassus.h"
#include "problem/fclib.h"
#include "solver/check.h"
#include "solver/ipm/interior_ways.h"
#include "solver/pieces/pieces.h"
#include "solver/solver.h"

#include <time.h>

static const double BAR = 1e-8; // the project's, as is 2 s for the time
static const char FOLDER[] = TENON_SOURCE_DIR "/tests/conformance/piles";

static void solve(const char *name)
{
    char path[4096];
    tn_fclib_problem file;
    tn_error error = {0};
    tn_certificate certificate;
    tn_solve_report report = {0};
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.fclib = BAR};
    tn_arena *arena = tn_arena_create("pile", 0), *scratch = tn_arena_create("solver", 0);
    snprintf(path, sizeof path, "%s/%s.hdf5", FOLDER, name);
    assert_int_equal(tn_fclib_read(path, arena, &file, &error), TN_OK);
    const tn_problem *p = &file.problem;
    tn_solution solution = {.v = TN_PUSH(arena, double, 3 * (size_t)p->A->n_rows),
                            .lambda = TN_PUSH(arena, double, 3 * (size_t)p->rows->n_triples)};
    assert_true(solution.v && solution.lambda);
    clock_t start = clock();
    assert_int_equal(tn_solver_find("ipm")->solve(p, &options, scratch, &solution, &report, &error), TN_OK);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(tn_certificate_compute(p, &solution, true, scratch, &certificate), TN_OK);
    printf("%s: %d contacts, fclib %.1e (limit %.0e) after %d iterations, %.3f s\n", name, p->rows->n_triples,
           certificate.fclib, BAR, report.iterations, seconds);
    assert_true(report.converged && certificate.fclib <= BAR);
    tn_arena_destroy(scratch);
    tn_arena_destroy(arena);
}

static void small(void **state)
{
    (void)state;
    solve("spheres_64");
}

static void medium(void **state)
{
    (void)state;
    solve("spheres_216");
}

// A stored pile with another friction, and what its solvers share.
typedef struct pile {
    tn_arena *arena, *scratch;
    tn_problem p;
    tn_rows contacts;
    tn_solution solution; // zeros
    tn_delassus delassus;
    tn_check check;
    tn_certificate certificate;
} pile;

static void open_pile(pile *s, const char *name, double mu)
{
    char path[4096];
    tn_fclib_problem file;
    tn_error error = {0};
    tn_tolerance tolerance = {.fclib = BAR};
    *s = (pile){.arena = tn_arena_create("pile", 0), .scratch = tn_arena_create("solver", 0)};
    snprintf(path, sizeof path, "%s/%s.hdf5", FOLDER, name);
    assert_int_equal(tn_fclib_read(path, s->arena, &file, &error), TN_OK);
    s->p = file.problem;
    s->contacts = *s->p.rows;
    size_t n = (size_t)s->contacts.n_triples;
    double *friction = TN_PUSH(s->arena, double, 2 * n);
    s->solution = (tn_solution){.v = TN_PUSH(s->arena, double, 3 * (size_t)s->p.A->n_rows),
                                .lambda = TN_PUSH(s->arena, double, 3 * n)};
    assert_true(friction && s->solution.v && s->solution.lambda);
    for (size_t i = 0; i < 2 * n; i++) {
        friction[i] = mu;
    }
    s->contacts.mu = friction;
    s->p.rows = &s->contacts;
    assert_int_equal(tn_delassus_create(&s->p, tn_delassus_choose(&s->p, s->arena), s->arena, &s->delassus, &error),
                     TN_OK);
    assert_true(tn_check_create(&s->check, &s->p, s->delassus.q, &tolerance, s->arena));
}

// Of the forces in solution.
static void certify(pile *s)
{
    tn_error error = {0};
    assert_int_equal(tn_delassus_recover(&s->delassus, s->solution.lambda, s->solution.v, s->scratch, &error), TN_OK);
    assert_int_equal(tn_certificate_compute(&s->p, &s->solution, true, s->scratch, &s->certificate), TN_OK);
}

static void close_pile(pile *s)
{
    tn_delassus_destroy(&s->delassus);
    tn_arena_destroy(s->scratch);
    tn_arena_destroy(s->arena);
}

// The exact path alone, from no forces at all: it ends at the solution
// to rounding, where every other way stops at the tolerance or before it.
static void walk(double mu)
{
    pile s;
    tn_error error = {0};
    open_pile(&s, "spheres_64", mu);
    assert_true(tn_pieces_takes(&s.p));
    tn_pieces_run run = {.max_steps = 5000};
    assert_int_equal(tn_pieces_solve(&s.p, &s.check, &run, s.scratch, s.solution.lambda, &error), TN_OK);
    certify(&s);
    printf("spheres_64, friction %.2f, the exact path: fclib %.1e (limit 1e-11: Newton's method ends at 1e-11 of the "
           "velocities), %d steps\n",
           mu, s.certificate.fclib, run.steps);
    assert_true(run.arrived && s.certificate.fclib <= 1e-11);
    close_pile(&s);
}

static void exactly(void **state)
{
    (void)state;
    walk(0.3);
    walk(0.5);
    walk(0.65);
    walk(0.8);
}

// Many ways along ipm's path, from no forces: where the first ones are stopped by folds another one gets there, one of
// four or so on the rough pile (so 20 ways are far more than it takes, whatever the rounding). Where none does it ends
// within its steps.
static void try_ways(const char *name, double mu, int max_steps, bool arrives)
{
    pile s;
    tn_error error = {0};
    open_pile(&s, name, mu);
    tn_interior_ways run = {.max_steps = max_steps};
    assert_int_equal(tn_interior_ways_solve(&s.p, &s.check, &s.delassus, &run, s.scratch, s.solution.lambda, &error),
                     TN_OK);
    certify(&s);
    printf("%s, friction %.2f: fclib %.1e (limit %.0e) after %d ways, %d steps (limit %d)\n", name, mu,
           s.certificate.fclib, arrives ? BAR : 1.0, run.ways, run.steps, max_steps);
    assert_true(run.steps <= max_steps && run.arrived == arrives);
    assert_true(s.certificate.fclib <= (arrives ? BAR : 1.0)); // 1.0: that of no forces
    close_pile(&s);
}

static void many_ways(void **state)
{
    (void)state;
    try_ways("spheres_64", 0.8, 14000, true);
    try_ways("spheres_216_rough", 0.8, 14000, true); // ipm stops at 7e-6
    try_ways("spheres_216_rough", 0.8, 20, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small), cmocka_unit_test(medium), cmocka_unit_test(exactly),
                                       cmocka_unit_test(many_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
