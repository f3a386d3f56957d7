// Every solver on every stored problem of other projects (FCLIB files), judged by an M6 of this test's own.
//
// auto must reach the problem's bar: 1e-10 for the cases C01, C02, C04, C08, C10, C12 of the validation list, 1e-8 for
// the others, each within 10 s. Any other solver may refuse, or stop short and say so, but must not claim what it has
// not reached.
#include "friction_problem.h"

#include "base/timer.h"
#include "problem/fclib.h"
#include "solver/solver.h"

#include <dirent.h>

static const char FOLDER[] = TENON_PROBLEMS "/fclib";
enum { FILES_MAX = 128, N_FILES = 29 };
static const double SECONDS = 10.0; // the project's bar for one problem with auto

typedef struct file_list {
    int n;
    char name[FILES_MAX][256];
} file_list;

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list_files(file_list *files)
{
    files->n = 0;
    DIR *folder = opendir(FOLDER);
    if (!folder) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder)) && files->n < FILES_MAX;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && strcmp(dot, ".hdf5") == 0) {
            snprintf(files->name[files->n++], sizeof files->name[0], "%s", entry->d_name);
        }
    }
    closedir(folder);
    qsort(files->name, (size_t)files->n, sizeof files->name[0], by_name);
}

// The validation list's small problems: C01, C02, C04, C08, C10, C12.
static double bar(const char *name)
{
    static const char *const exact[] = {
        "FC3D_Example1", "FrictionContact3D_",       "Rover", "GFC3D_", "FrictionContactProblem",
        "FC2D_",         "ContactBench-sliding_cube"};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; ++i) {
        if (strncmp(name, exact[i], strlen(exact[i])) == 0) {
            return 1e-10;
        }
    }
    return 1e-8;
}

typedef struct outcome {
    tn_status status;
    tn_solve_report report;
    double m6;
    double seconds;
} outcome;

static outcome solve_file(const char *name, const char *solver, double tolerance, int max_iterations)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    tn_arena *arena = tn_arena_create(0);
    tn_fclib_problem file;
    tn_error error = {0};
    assert_non_null(arena);
    if (tn_fclib_read(path, arena, &file, &error) != TN_OK) {
        print_error("%s: %s\n", name, error.message);
        fail();
    }
    tn_solution solution = {.v = TN_PUSH(arena, double, file.problem.A ? 3 * file.problem.A->n_rows : 1),
                            .lambda = TN_PUSH(arena, double, 3 * file.contacts.n_triples)};
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = 1e-10, .fclib = tolerance};
    options.max_iterations = max_iterations;
    outcome out = {.seconds = tn_timer_now()};
    out.status = tn_problem_solve(&file.problem, solver, &options, &solution, &out.report, &error);
    out.seconds = tn_timer_now() - out.seconds;
    out.m6 = friction_m6(&file.problem, solution.lambda);
    if (out.status == TN_OK) {
        for (int i = 0; i < 3 * file.contacts.n_triples; ++i) {
            assert_true(isfinite(solution.lambda[i]));
        }
    } else {
        assert_int_equal(out.status, TN_BAD_INPUT); // a refusal
        assert_true(strlen(error.message) > 20);
    }
    tn_arena_destroy(arena);
    return out;
}

static void auto_reaches_the_bar(void **state)
{
    static file_list files;
    list_files(&files);
    assert_int_equal(files.n, N_FILES);
    int missed = 0;
    for (int i = 0; i < files.n; ++i) {
        double limit = bar(files.name[i]);
        outcome o = solve_file(files.name[i], "auto", limit, 10000);
        printf("%-34s %-6s %5d iterations, M6 %.1e (limit %.0e), fclib %.1e, %.3f s (limit %g)\n", files.name[i],
               o.report.solver, o.report.iterations, o.m6, limit, o.report.certificate.fclib, o.seconds, SECONDS);
        assert_int_equal(o.status, TN_OK);
        bool good = o.m6 <= limit && o.report.converged && o.seconds <= SECONDS;
        // The certificate's figure is the same number, but for rounding.
        good = good && fabs(o.report.certificate.fclib - o.m6) <= 1e-13 + 1e-3 * o.m6;
        missed += !good;
    }
    assert_int_equal(missed, 0);
}

static void every_solver_is_honest(void **state)
{
    static file_list files;
    list_files(&files);
    assert_int_equal(files.n, N_FILES);
    const double tolerance = 1e-6;
    for (int s = 0; tn_solver_at(s); ++s) {
        const char *solver = tn_solver_at(s)->name;
        int solved = 0, refused = 0;
        double worst = 0.0;
        for (int i = 0; i < files.n; ++i) {
            outcome o = solve_file(files.name[i], solver, tolerance, 5000);
            if (o.status != TN_OK) {
                ++refused;
                continue;
            }
            solved += o.report.converged;
            if (o.report.converged && !(o.m6 <= tolerance)) {
                print_error("%s says that it solved %s; M6 is %g\n", solver, files.name[i], o.m6);
                fail();
            }
            if (!o.report.converged) {
                printf("  %s stops short on %s: M6 %.1e\n", solver, files.name[i], o.m6);
            }
            worst = fmax(worst, o.m6);
        }
        printf("%-8s solves %d of %d to M6 %.0e, refuses %d, worst M6 %.1e\n", solver, solved, files.n, tolerance,
               refused, worst);
    }
}

// Reads a file and solves it with auto; u (3 n) from the forces by the test's own product. Caller destroys the arena.
static tn_fclib_problem *solve_known(const char *name, tn_law law, double tolerance, double **lambda, double **u,
                                     tn_arena **arena)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    *arena = tn_arena_create(0);
    tn_fclib_problem *file = TN_PUSH(*arena, tn_fclib_problem, 1);
    tn_error error = {0};
    if (tn_fclib_read(path, *arena, file, &error) != TN_OK) {
        tn_arena_destroy(*arena);
        return NULL;
    }
    file->problem.law = law;
    *lambda = TN_PUSH(*arena, double, 3 * file->contacts.n_triples);
    *u = TN_PUSH(*arena, double, 3 * file->contacts.n_triples);
    tn_solution solution = {.v = NULL, .lambda = *lambda};
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.natural = tolerance};
    tn_solve_report report;
    assert_int_equal(tn_problem_solve(&file->problem, "auto", &options, &solution, &report, &error), TN_OK);
    assert_true(report.converged);
    friction_velocity(&file->problem, *lambda, *u);
    return file;
}

static double length(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// C12: ContactBench's sliding cube, both laws' signatures; C04, C06: norms evaluated by others' solvers.
static void known_figures(void **state)
{
    double *r, *u;
    tn_arena *arena;
    tn_fclib_problem *cube = solve_known("ContactBench-sliding_cube.hdf5", TN_LAW_COULOMB, 1e-11, &r, &u, &arena);
    assert_non_null(cube);
    double sum = r[0] + r[3] + r[6] + r[9];
    printf("C12 strict: sum of normal impulses %.10f (m g dt = 0.00981, limit 1e-8), u_T (%.8f, %.8f), u_N %.1e\n", sum,
           u[1], u[2], u[0]);
    assert_true(fabs(sum - 0.00981) <= 1e-8);
    assert_true(fabs(u[1] + 0.14359691) <= 1e-7 && fabs(u[2] - 1.29237261) <= 1e-7);
    for (int m = 0; m < 4; ++m) {
        assert_true(fabs(u[3 * m]) < 1e-9);
    }
    tn_arena_destroy(arena);

    assert_non_null(solve_known("ContactBench-sliding_cube.hdf5", TN_LAW_CONVEX, 1e-10, &r, &u, &arena));
    for (int m = 0; m < 4; ++m) {
        printf("C12 convex: contact %d takes off at %.5f m/s (0.64657, limit 1e-5)\n", m, u[3 * m]);
        assert_true(fabs(u[3 * m] - 0.64657) <= 1e-5);
    }
    tn_arena_destroy(arena);

    tn_fclib_problem *rover = solve_known("Rover1039.hdf5", TN_LAW_COULOMB, 1e-11, &r, &u, &arena);
    assert_non_null(rover);
    double force = length(3 * rover->contacts.n_triples, r);
    printf("C04 Rover1039: |r| = %.7f (36.7777490, limit 1e-6)\n", force);
    assert_true(fabs(force - 36.7777490) <= 1e-6);
    tn_arena_destroy(arena);

    tn_fclib_problem *spheres = solve_known("NESpheres_10_1.hdf5", TN_LAW_COULOMB, 1e-11, &r, &u, &arena);
    assert_non_null(spheres);
    double speed = length(3 * spheres->contacts.n_triples, u);
    printf("C06 NESpheres_10_1: |u| = %.10f (3.5285500745, limit 1e-8)\n", speed);
    assert_true(fabs(speed - 3.5285500745) <= 1e-8);
    tn_arena_destroy(arena);

    // C10: q ~ 1e-15 must give r ~ 0, without dividing by zero.
    tn_fclib_problem *rest = solve_known("FrictionContactProblem00394.hdf5", TN_LAW_COULOMB, 1e-8, &r, &u, &arena);
    assert_non_null(rest);
    force = length(3 * rest->contacts.n_triples, r);
    printf("C10 00394: |r| = %.1e (limit 1e-13)\n", force);
    assert_true(force <= 1e-13);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_figures),
        cmocka_unit_test(auto_reaches_the_bar),
        cmocka_unit_test(every_solver_is_honest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
