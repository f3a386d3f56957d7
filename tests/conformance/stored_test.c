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

static const char FOLDER[] = TENON_DATA_DIR "/fc3d";
enum { FILES_MAX = 128 };
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
    tn_arena *arena = tn_arena_create("stored", 0);
    tn_fclib_problem file;
    tn_error error = {0};
    assert_non_null(arena);
    if (tn_fclib_read(path, arena, &file, &error) != TN_OK) {
        print_error("%s: %s\n", name, error.message);
        fail();
    }
    tn_solution solution = {.v = TN_PUSH(arena, double, file.problem.A ? 3 * file.problem.A->n_rows : 1),
                            .lambda = TN_PUSH(arena, double, 3 * file.contacts.n)};
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = 1e-10, .fclib = tolerance};
    options.max_iterations = max_iterations;
    outcome out = {.seconds = tn_timer_now()};
    out.status = tn_problem_solve(&file.problem, solver, &options, &solution, &out.report, &error);
    out.seconds = tn_timer_now() - out.seconds;
    out.m6 = friction_m6(&file.problem, solution.lambda);
    if (out.status == TN_OK) {
        for (int i = 0; i < 3 * file.contacts.n; ++i) {
            assert_true(isfinite(solution.lambda[i]));
        }
    } else {
        assert_int_equal(out.status, TN_BAD_INPUT); // a refusal
        assert_true(strlen(error.message) > 20);
    }
    tn_arena_destroy(arena);
    return out;
}

static void skip_loudly(int n)
{
    if (n == 0) {
        print_message("SKIPPED: no problem files in %s (CMake option TENON_DATA_DIR)\n", FOLDER);
        skip();
    }
}

static void auto_reaches_the_bar(void **state)
{
    (void)state;
    static file_list files;
    list_files(&files);
    skip_loudly(files.n);
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
    (void)state;
    static file_list files;
    list_files(&files);
    skip_loudly(files.n);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_reaches_the_bar),
        cmocka_unit_test(every_solver_is_honest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
