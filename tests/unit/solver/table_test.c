// The table, the defaults, refusals, and what every solve has in common: no memory of its own, running out of memory.
#include "friction_problem.h"

#include "base/memory.h"
#include "solver/solver.h"

static void defaults(void **state)
{
    // As include/tenon/problem.h documents them.
    tn_solve_options o = tn_solve_options_default();
    assert_true(o.tolerance.momentum == 1e-8 && o.tolerance.natural == 1e-8 && o.tolerance.fclib == 0.0);
    assert_true(o.tolerance.penetration == 0.0 && o.tolerance.theta == 0.0);
    assert_int_equal(o.max_iterations, 10000);
    assert_int_equal(o.n_threads, 1);
}

static void table(void **state)
{
    int n = 0;
    for (; tn_solver_at(n); ++n) {
        const tn_solver *s = tn_solver_at(n);
        assert_ptr_equal(tn_solver_find(s->name), s);
        assert_true(strlen(s->summary) > 10 && s->solve);
    }
    assert_true(n >= 4);
    assert_null(tn_solver_at(-1));
    assert_null(tn_solver_find("no such solver"));
    static const char *const demanded[] = {"auto", "cond", "pgs", "apgd"};
    for (int i = 0; i < 4; ++i) {
        assert_non_null(tn_solver_find(demanded[i]));
    }
}

static void refusals(void **state)
{
    const double W[9] = {2, 0.5, 0, 0, 2, 0, 0, 0, 2}, q[3] = {-1, 0, 0};
    friction_problem *f = friction_local(1, W, q, 0.5);
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report;
    tn_error error = {0};
    tn_solution no_room = {.v = f->solution.v};
    assert_int_equal(tn_problem_solve(&f->problem, "auto", &options, &no_room, &report, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "missing"));
    assert_int_equal(tn_problem_solve(&f->problem, "nonsense", &options, &f->solution, &report, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "unknown solver 'nonsense'"));
    assert_int_equal(tn_problem_solve(&f->problem, "apgd", &options, &f->solution, &report, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "not symmetric"));
    assert_int_equal(tn_problem_solve(&f->problem, "direct", &options, &f->solution, &report, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "contacts"));
    // auto names the solver that did the work.
    assert_int_equal(tn_problem_solve(&f->problem, "auto", &options, &f->solution, &report, &error), TN_OK);
    assert_string_equal(report.solver, "few");
    friction_destroy(f);
}

// What a solver lacks is said with those that have it, as the table's flags and refusals find them.
static void lacks(void **state)
{
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report;
    tn_error error = {0};
    friction_problem *f = friction_global(3, 4, 4, false, 0.5);
    f->problem.facets = 4;
    assert_int_equal(tn_problem_solve(&f->problem, "ccs", &options, &f->solution, &report, &error), TN_BAD_INPUT);
    print_message("%s\n", error.message);
    assert_non_null(strstr(error.message, "round friction cone only"));
    const char *list = strstr(error.message, "; taken by: ");
    assert_non_null(list);
    for (int n = 0; tn_solver_at(n); ++n) {
        const tn_solver *s = tn_solver_at(n);
        bool named = strstr(list, s->name) != NULL, takes = !tn_solver_refusal(s, &f->problem);
        assert_true(named == takes || strcmp(s->name, "auto") == 0);
        assert_true(!takes || (s->sets & TN_TAKES_POLYHEDRA));
    }
    friction_destroy(f);
}

// With a warm arena a solve by components asks for no memory at all.
static void no_allocation(void **state)
{
    static const char *const names[] = {"auto", "pgs", "apgd", "newton"};
    friction_problem *f = friction_global(21, 12, 16, false, 0.3);
    for (int s = 0; s < 4; ++s) {
        tn_arena *arena = tn_arena_create(0);
        tn_solve_options options = tn_solve_options_default();
        long count = 0;
        for (int k = 0; k < 3; ++k) {
            memset(f->lambda, 0, sizeof f->lambda);
            tn_solve_report report;
            count = tn_memory_count();
            assert_int_equal(
                tn_solver_run(tn_solver_find(names[s]), &f->problem, &options, arena, &f->solution, &report, NULL),
                TN_OK);
            count = tn_memory_count() - count;
            tn_arena_reset(arena);
        }
        printf("%s: %ld requests for memory in the third solve (limit 0)\n", names[s], count);
        assert_int_equal(count, 0);
        tn_arena_destroy(arena);
    }
    friction_destroy(f);
}

// Few contacts have room on the stack: tn_problem_solve asks for no memory.
static void few_without_memory(void **state)
{
    double W[144], q[12];
    for (int i = 0; i < 144; ++i) {
        W[i] = i % 13 == 0 ? 2.0 : 0.1;
    }
    for (int i = 0; i < 12; ++i) {
        q[i] = i % 3 == 0 ? -1.0 : 0.3 * i;
    }
    friction_problem *f = friction_local(4, W, q, 0.4);
    long count = tn_memory_count();
    tn_solve_report report = friction_solve(f, "auto", 1e-8);
    count = tn_memory_count() - count;
    printf("4 contacts: %ld requests for memory (limit 0)\n", count);
    assert_true(report.converged);
    assert_int_equal(count, 0);
    friction_destroy(f);
}

// tn_solver_run with an arena of its own.
static tn_status solve_in_arena(friction_problem *f, const char *name, tn_error *error)
{
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report;
    tn_arena *arena = tn_arena_create(0);
    if (!arena) {
        return TN_NO_MEMORY;
    }
    tn_status status = tn_solver_run(tn_solver_find(name), &f->problem, &options, arena, &f->solution, &report, error);
    tn_arena_destroy(arena);
    return status;
}

// Every request for memory fails once: TN_NO_MEMORY, no crash, no leak (the sanitizer build looks).
static void out_of_memory(void **state)
{
    static const char *const names[] = {"auto", "pgs", "apgd", "newton", "ccs", "pgs-dense", "apgd-dense", "ipm"};
    for (int full = 0; full < 2; ++full) {
        friction_problem *f = friction_global(23, 12, 16, full, 0.3);
        for (int s = 0; s < 8; ++s) {
            int failed = 0;
            for (long after = 0; after < 60; ++after) {
                memset(f->lambda, 0, sizeof f->lambda);
                memset(f->v, 0, sizeof f->v);
                tn_error error = {0};
                tn_memory_fail_after(after);
                tn_status status = solve_in_arena(f, names[s], &error);
                tn_memory_fail_after(-1);
                assert_true(status == TN_OK || status == TN_NO_MEMORY);
                failed += status == TN_NO_MEMORY;
            }
            printf("%s, A %s: %d of 60 solves were without memory\n", names[s], full ? "full" : "in components",
                   failed);
            assert_true(failed > 0 && failed < 60);
        }
        friction_destroy(f);
    }
}

// Says so from the second time on that it is asked.
static bool stop(void *user)
{
    return ++*(int *)user >= 2;
}

// Solvers that might go on for long, for an exactness that nothing reaches, and with a cap that a test can bear: each
// asks, and ends when it is told to.
static void stopped(void **state)
{
    static const char *const names[] = {"auto", "cond", "nodal", "ccs", "pgs", "apgd", "ipm", "dense", "newton", "qp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        friction_problem *f = friction_global(23, 12, 40, false, 0.3);
        bool program = strcmp(names[i], "qp") == 0;
        f->problem.facets = program ? 4 : 0;
        f->problem.law = program ? TN_LAW_CONVEX : TN_LAW_COULOMB;
        int asked = 0;
        f->problem.stop = stop;
        f->problem.user = &asked;
        tn_solve_options options = tn_solve_options_default();
        options.tolerance = (tn_tolerance){.natural = 1e-300, .momentum = 1e-300};
        tn_solve_report report = {0};
        tn_error error = {0};
        tn_status status = tn_problem_solve(&f->problem, names[i], &options, &f->solution, &report, &error);
        print_message("%s: asked %d times, %d iterations\n", names[i], asked, report.iterations);
        assert_int_equal(status, TN_INTERRUPTED);
        assert_true(asked >= 2 && asked <= 40 && report.iterations <= 200);
        friction_destroy(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),      cmocka_unit_test(table),         cmocka_unit_test(refusals),
        cmocka_unit_test(lacks),         cmocka_unit_test(no_allocation), cmocka_unit_test(few_without_memory),
        cmocka_unit_test(out_of_memory), cmocka_unit_test(stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
