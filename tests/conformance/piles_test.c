// Settled piles of spheres in a box (rigid/balls1000.yaml with 4 x 4 x 4 and 6 x 6 x 6 spheres, friction 0.5, 0.3 and,
// the rough one, 0.8; the 500th step of 5 ms): the strict law to an fclib error of 1e-8, from zero forces, by ipm,
// where sweeps end at 1e-6. The small pile with other friction too. The rough one is beyond it: it says so.
#include "friction_problem.h"

#include "problem/certificate.h"
#include "problem/fclib.h"
#include "solver/solver.h"

#include <time.h>

static const double BAR = 1e-8; // the project's, as is 2 s for the time
static const char FOLDER[] = TENON_PROBLEMS "/piles";

typedef struct pile {
    tn_arena *arena, *scratch;
    tn_problem p;
    tn_rows contacts;
    tn_solution solution; // zeros
    tn_solve_report report;
    tn_certificate certificate;
} pile;

// friction 0: as stored.
static void open_pile(pile *s, const char *name, double friction)
{
    char path[4096];
    tn_fclib_problem file;
    tn_error error = {0};
    *s = (pile){.arena = tn_arena_create(0), .scratch = tn_arena_create(0)};
    snprintf(path, sizeof path, "%s/%s.hdf5", FOLDER, name);
    assert_int_equal(tn_fclib_read(path, s->arena, &file, &error), TN_OK);
    s->p = file.problem;
    s->contacts = *s->p.rows;
    size_t n = (size_t)s->contacts.n_triples;
    double *mu = TN_PUSH(s->arena, double, 2 * n);
    s->solution = (tn_solution){.v = TN_PUSH(s->arena, double, 3 * (size_t)s->p.A->n_rows),
                                .lambda = TN_PUSH(s->arena, double, 3 * n)};
    assert_true(mu && s->solution.v && s->solution.lambda);
    for (size_t i = 0; i < 2 * n; i++) {
        mu[i] = friction > 0.0 ? friction : s->contacts.mu[i];
    }
    s->contacts.mu = mu;
    s->p.rows = &s->contacts;
}

static void close_pile(pile *s)
{
    tn_arena_destroy(s->scratch);
    tn_arena_destroy(s->arena);
}

// limit: of the fclib error, however hard the pile is.
static void solve(const char *name, double friction, double limit)
{
    pile s;
    tn_error error = {0};
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.fclib = BAR};
    open_pile(&s, name, friction);
    clock_t start = clock();
    assert_int_equal(tn_solver_find("ipm")->solve(&s.p, &options, s.scratch, &s.solution, &s.report, &error), TN_OK);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(tn_certificate_compute(&s.p, &s.solution, true, s.scratch, &s.certificate), TN_OK);
    printf("%s, friction %.2f: %d contacts, fclib %.1e (limit %.0e) after %d iterations, %.3f s\n", name,
           s.contacts.mu[0], s.contacts.n_triples, s.certificate.fclib, limit, s.report.iterations, seconds);
    assert_true(s.certificate.fclib <= limit);
    assert_int_equal(s.report.converged, s.certificate.fclib <= BAR);
    close_pile(&s);
}

static void small(void **state)
{
    solve("spheres_64", 0.0, BAR);
    solve("spheres_64", 0.3, BAR);
    solve("spheres_64", 0.65, BAR);
    solve("spheres_64", 0.8, BAR);
}

static void medium(void **state)
{
    solve("spheres_216", 0.0, BAR);
}

// Its path folds and ends before the solution: what sweeps and proximal steps reach is kept.
static void rough(void **state)
{
    solve("spheres_216_rough", 0.0, 3e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small), cmocka_unit_test(medium), cmocka_unit_test(rough)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
