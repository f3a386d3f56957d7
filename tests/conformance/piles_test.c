// Settled piles of spheres in a box (rigid/balls1000.yaml with 4 x 4 x 4 and 6 x 6 x 6 spheres, friction 0.5 and 0.3,
// the 500th step of 5 ms): the strict law to an fclib error of 1e-8 by ipm, from zero forces. Sweeps end at 1e-6.
#include "friction_problem.h"

#include "problem/certificate.h"
#include "problem/delassus.h"
#include "problem/fclib.h"
#include "solver/check.h"
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
                            .lambda = TN_PUSH(arena, double, 3 * (size_t)p->contacts->n)};
    assert_true(solution.v && solution.lambda);
    clock_t start = clock();
    assert_int_equal(tn_solver_find("ipm")->solve(p, &options, scratch, &solution, &report, &error), TN_OK);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(tn_certificate_compute(p, &solution, true, scratch, &certificate), TN_OK);
    printf("%s: %d contacts, fclib %.1e (limit %.0e) after %d iterations, %.3f s\n", name, p->contacts->n,
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

// The exact path alone, from no forces at all: it ends at the solution
// to rounding, where every other way stops at the tolerance or before it.
static void walk(double mu)
{
    char path[4096];
    tn_fclib_problem file;
    tn_error error = {0};
    tn_check check;
    tn_certificate certificate;
    tn_tolerance tolerance = {.fclib = BAR};
    tn_arena *arena = tn_arena_create("pile", 0), *scratch = tn_arena_create("solver", 0);
    snprintf(path, sizeof path, "%s/spheres_64.hdf5", FOLDER);
    assert_int_equal(tn_fclib_read(path, arena, &file, &error), TN_OK);
    tn_problem p = file.problem;
    tn_contacts contacts = *p.contacts;
    size_t n = (size_t)contacts.n;
    double *friction = TN_PUSH(arena, double, 2 * n);
    tn_solution solution = {.v = TN_PUSH(arena, double, 3 * (size_t)p.A->n_rows),
                            .lambda = TN_PUSH(arena, double, 3 * n)};
    tn_delassus delassus = {.n = 0};
    assert_true(friction && solution.v && solution.lambda);
    for (size_t i = 0; i < 2 * n; i++) {
        friction[i] = mu;
    }
    contacts.mu = friction;
    p.contacts = &contacts;
    assert_true(tn_pieces_takes(&p));
    assert_int_equal(tn_delassus_create(&p, tn_delassus_choose(&p, arena), arena, &delassus, &error), TN_OK);
    assert_true(tn_check_create(&check, &p, delassus.q, &tolerance, arena));
    tn_pieces_run run = {.max_steps = 5000};
    assert_int_equal(tn_pieces_solve(&p, &check, &run, scratch, solution.lambda, &error), TN_OK);
    assert_int_equal(tn_delassus_recover(&delassus, solution.lambda, solution.v, scratch, &error), TN_OK);
    assert_int_equal(tn_certificate_compute(&p, &solution, true, scratch, &certificate), TN_OK);
    printf("spheres_64, friction %.2f, the exact path: fclib %.1e (limit 1e-11: Newton's method ends at 1e-11 of the "
           "velocities), %d steps\n",
           mu, certificate.fclib, run.steps);
    assert_true(run.arrived && certificate.fclib <= 1e-11);
    tn_delassus_destroy(&delassus);
    tn_arena_destroy(scratch);
    tn_arena_destroy(arena);
}

static void exactly(void **state)
{
    (void)state;
    walk(0.3);
    walk(0.5);
    walk(0.65);
    walk(0.8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small), cmocka_unit_test(medium), cmocka_unit_test(exactly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
