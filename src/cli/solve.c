// `tenon solve`: a stored contact problem solved by any solver, with its certificate; as text or JSON.
#include "base/json.h"
#include "base/nearest.h"
#include "base/timer.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/say.h"
#include "tenon/scene.h"
#include "tenon/stored.h"
#include "tenon/version.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct solve_options {
    const char *solver, *law, *tolerance, *out;
    long max_iterations, threads, facets;
    bool json;
    tn_tolerance demanded; // with `tolerance`
} solve_options;

static void set_tolerance(void *context, const char *key, double value)
{
    tn_tolerance *t = context;
    const struct {
        const char *key;
        double *value;
    } places[] = {{"momentum", &t->momentum}, {"natural", &t->natural},         {"fclib", &t->fclib},
                  {"joint", &t->joint},       {"penetration", &t->penetration}, {"theta", &t->theta}};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        if (strcmp(places[k].key, key) == 0) {
            *places[k].value = value;
        }
    }
}

static tn_status check_law(const solve_options *o, tn_error *error)
{
    const char *names[] = {tn_law_name(0), tn_law_name(1), tn_law_name(2)};
    if (!o->law || cli_index_of(o->law, tn_law_name) >= 0) {
        return TN_OK;
    }
    const char *near = tn_name_nearest(o->law, 3, names);
    return tn_error_set(error, TN_BAD_INPUT, "unknown law '%s'; %s%s%slaws: coulomb, convex, frictionless", o->law,
                        near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
}

static tn_status check_solver(const char *name, tn_error *error)
{
    char known[256] = "";
    size_t used = 0;
    if (cli_index_of(name, tn_solver_name) >= 0) {
        return TN_OK;
    }
    for (int k = 0; tn_solver_name(k) && used < sizeof known; k++) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", tn_solver_name(k));
    }
    return tn_error_set(error, TN_BAD_INPUT, "unknown solver '%s'; solvers: %s", name, known);
}

static tn_status check_options(solve_options *o, tn_error *error)
{
    tn_status status = TN_OK;
    if (o->tolerance) {
        o->demanded = (tn_tolerance){0};
        status = cli_parse_tolerances(o->tolerance, set_tolerance, &o->demanded, error);
    }
    if (status == TN_OK && o->demanded.penetration > 0.0) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "--tolerance penetration: a problem file has no geometry; use momentum, natural or fclib");
    }
    status = status == TN_OK ? check_law(o, error) : status;
    status = status == TN_OK ? check_solver(o->solver, error) : status;
    return status == TN_OK && o->out ? tn_stored_problem_write_check(o->out, error) : status;
}

// The file's law unless another one is asked for; then the default tolerances, of that law.
static tn_status settle(solve_options *o, tn_stored_problem *stored, tn_error *error)
{
    const tn_problem *problem = tn_stored_problem_get(stored);
    tn_status status = TN_OK;
    if (o->law || o->facets > 0) {
        tn_law law = o->law ? (tn_law)cli_index_of(o->law, tn_law_name) : problem->law;
        status = tn_stored_problem_set_law(stored, law, (int)fmin((double)o->facets, INT_MAX), error);
    }
    if (!o->tolerance) {
        bool strict = problem->law == TN_LAW_COULOMB && problem->facets == 0; // fclib is a figure of that law
        o->demanded = strict ? (tn_tolerance){.fclib = 1e-8} : (tn_tolerance){.momentum = 1e-8, .natural = 1e-8};
    }
    return status;
}

static bool reached(double figure, double demanded)
{
    return demanded <= 0.0 || isnan(figure) || figure <= demanded;
}

// By the certificate, never by the solver's own word; a figure that does not apply to this form is not held against it.
static bool tolerances_held(const tn_tolerance *demanded, const tn_solve_report *report)
{
    const tn_certificate *c = &report->certificate;
    bool unknown = demanded->fclib > 0.0 && isnan(c->fclib) && !report->converged;
    return !unknown && reached(c->momentum, demanded->momentum) && reached(c->natural, demanded->natural) &&
           reached(c->fclib, demanded->fclib) && reached(report->theta, demanded->theta);
}

// A problem that was read, and what is made of it.
typedef struct solve_task {
    tn_problem problem; // by the law of file or options
    tn_stored_info info;
    tn_solve_report report;
    double wall;
    double fastest;   // without contact forces [m/s]
    double unstopped; // of that
} solve_task;

// What may still approach, of the fastest velocity without contact forces. Of stored problems the worst that is solved
// to 1e-6 has 0.006; between two walls that close half of their speed is left at best.
static const double STOPPED = 0.1;

static double largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

// Figures are relative to the forces: where a problem has no solution and forces grow without end they become as small
// as one likes. What still approaches then, as a part of the fastest velocity without contact forces; what rounding
// hides counts: in W lambda, and in the balance.
static double part_unstopped(const solve_task *t, const double *lambda)
{
    const tn_blocks *W = t->problem.W;
    const tn_certificate *c = &t->report.certificate;
    double hidden = c->momentum * t->fastest;
    if (W) {
        hidden =
            DBL_EPSILON * largest(9 * W->start[W->n_rows], W->value) * largest(3 * t->problem.rows->n_triples, lambda);
    }
    double left = c->signorini_primal + hidden;
    return left > 0.0 ? left / t->fastest : 0.0;
}

// v: room, 3 A->n_rows; NULL in local form.
static tn_status find_fastest(solve_task *t, double *v, tn_error *error)
{
    const tn_rows none = {.start = t->problem.rows->start};
    tn_problem apart = t->problem;
    tn_solution solution = {.v = v};
    apart.rows = &none;
    t->fastest = largest(3 * t->problem.rows->n_triples, t->problem.rows->offset);
    tn_status status = v ? tn_problem_solve(&apart, "direct", NULL, &solution, NULL, error) : TN_OK;
    t->fastest = v ? fmax(t->fastest, largest(3 * t->problem.A->n_rows, v)) : t->fastest;
    return status;
}

static void print_json(const solve_task *t, const solve_options *o, bool held)
{
    tn_json json = {.out = stdout};
    tn_json_open(&json, NULL, '{');
    tn_json_text(&json, "outcome", held ? "done" : "tolerance not reached");
    tn_json_text(&json, "title", t->info.title);
    tn_json_text(&json, "form", t->problem.W ? "local" : "global");
    tn_json_integer(&json, "contacts", t->problem.rows->n_triples);
    tn_json_integer(&json, "velocities", t->info.n_velocities);
    tn_json_text(&json, "version", TN_VERSION);
    tn_json_text(&json, "solver", t->report.solver);
    tn_json_text(&json, "law", tn_law_name((int)t->problem.law));
    tn_json_integer(&json, "iterations", t->report.iterations);
    tn_json_bool(&json, "converged", t->report.converged);
    tn_json_number(&json, "wall_s", t->wall);
    tn_json_open(&json, "certificate", '{');
    for (int k = 0; k < TN_N_FIGURES; k++) {
        tn_json_number(&json, tn_figure_name(k), tn_figure_of(&t->report.certificate, k));
    }
    tn_json_close(&json, '}');
    tn_json_text(&json, "out", o->out);
    tn_json_close(&json, '}');
}

static void print_text(const solve_task *t, const solve_options *o)
{
    cli_say("%s form, %d contacts, %d velocities%s%s\n", t->problem.W ? "local" : "global", t->problem.rows->n_triples,
            t->info.n_velocities, *t->info.title ? ": " : "", t->info.title);
    cli_say("law %s, solver %s, %d iterations, %.3g s\n", tn_law_name((int)t->problem.law), t->report.solver,
            t->report.iterations, t->wall);
    for (int k = 0; k < TN_N_FIGURES; k++) {
        double figure = tn_figure_of(&t->report.certificate, k);
        if (!isnan(figure)) {
            cli_say("%-22s %10.2e  %s\n", tn_figure_name(k), figure, tn_figure_unit(k));
        }
    }
    if (o->out) {
        cli_say("solution               %s\n", o->out);
    }
}

static tn_status solve(solve_task *t, const solve_options *o, tn_solution *solution, tn_error *error)
{
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = o->demanded;
    options.max_iterations = o->max_iterations ? (int)fmin((double)o->max_iterations, 1e9) : options.max_iterations;
    options.n_threads = o->threads ? (int)fmin((double)o->threads, 1024.0) : 1;
    solution->lambda = calloc(3 * (size_t)t->problem.rows->n_triples + 1, sizeof(double));
    solution->v = t->problem.A ? calloc(3 * (size_t)t->problem.A->n_rows + 1, sizeof(double)) : NULL;
    if (!solution->lambda || (t->problem.A && !solution->v)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory left");
    }
    tn_status status = find_fastest(t, solution->v, error);
    if (status != TN_OK) {
        return status;
    }
    for (int i = 0; t->problem.A && i < 3 * t->problem.A->n_rows; i++) {
        solution->v[i] = 0.0;
    }
    double start = tn_timer_now();
    status = tn_problem_solve(&t->problem, o->solver, &options, solution, &t->report, error);
    t->wall = tn_timer_now() - start;
    t->unstopped = part_unstopped(t, solution->lambda);
    return status;
}

// Of a problem within its tolerances in which things still approach. The figures see an approach by 1/sqrt(1 + mu^2).
static void say_why_not(const solve_task *t, const tn_tolerance *demanded, tn_error *error)
{
    double mu = largest(2 * t->problem.rows->n_triples, t->problem.rows->mu);
    if (mu * fmax(demanded->natural, demanded->fclib) > STOPPED) {
        tn_error_set(error, TN_NUMERICS,
                     "friction of %g hides from the tolerance that of the velocity without forces %.3g is left: demand "
                     "a smaller one",
                     mu, t->unstopped);
    } else {
        tn_error_set(error, TN_NUMERICS,
                     "the tolerance was reached by forces without bounds: of the velocity without them %.3g is left or "
                     "hidden by rounding; the problem seems to have no solution",
                     t->unstopped);
    }
}

static int solve_stored(tn_stored_problem *stored, solve_options *o)
{
    tn_error error = {0};
    tn_solution solution = {0};
    tn_status status = settle(o, stored, &error);
    solve_task t = {.problem = *tn_stored_problem_get(stored), .report = {.theta = NAN}};
    tn_stored_problem_info(stored, &t.info);
    status = status == TN_OK ? solve(&t, o, &solution, &error) : status;
    if (status == TN_OK && o->out) {
        status = tn_stored_problem_write(stored, o->out, NULL, &solution, &error);
    }
    free(solution.v), free(solution.lambda);
    if (status != TN_OK) {
        return cli_report(&error);
    }
    const bool within = tolerances_held(&o->demanded, &t.report), held = within && t.unstopped <= STOPPED;
    if (o->json) {
        print_json(&t, o, held);
    } else {
        print_text(&t, o);
    }
    fflush(stdout);
    if (!within) {
        tn_error_set(&error, TN_NUMERICS, "a demanded tolerance was not reached within %d iterations",
                     t.report.iterations);
        return cli_report(&error);
    }
    if (!held) {
        say_why_not(&t, &o->demanded, &error);
        return cli_report(&error);
    }
    return EXIT_DONE;
}

static int obey(const char *const *arguments, void *user)
{
    solve_options *o = user;
    tn_error error = {0};
    tn_status status = check_options(o, &error);
    tn_stored_problem *stored = status == TN_OK ? tn_stored_problem_read(arguments[0], &error) : NULL;
    int code = stored ? solve_stored(stored, o) : cli_report(&error);
    tn_stored_problem_destroy(stored);
    return code;
}

int cli_solve(int argc, char **argv)
{
    solve_options o = {.solver = "auto"};
    const cli_option options[] = {
        {"solver", 's', OPTION_TEXT, &o.solver, "S", "auto (default), or another of `tenon info`"},
        {"law", 'l', OPTION_TEXT, &o.law, "L",
         "coulomb, convex, frictionless; default: what tenon wrote into the file, else coulomb"},
        {"facets", 0, OPTION_COUNT, &o.facets, "N",
         "polyhedral friction cone with so many directions; default: with --law none, else the file's"},
        {"tolerance", 0, OPTION_TEXT, &o.tolerance, "KEY=V,...",
         "demanded figures (default: fclib=1e-8; of another law natural, momentum)"},
        {"max-iterations", 0, OPTION_COUNT, &o.max_iterations, "N", "cap on the solver's iterations"},
        {"threads", 'j', OPTION_COUNT, &o.threads, "N", "threads"},
        {"out", 'o', OPTION_TEXT, &o.out, "F.hdf5", "write the problem with its solution (group `solution`: v, u, r)"},
        {"json", 0, OPTION_FLAG, &o.json, NULL, "print the report as one JSON object"},
    };
    const cli_syntax syntax = {
        .command = "solve",
        .arguments = "PROBLEM.hdf5",
        .summary = "Solve a friction problem stored in FCLIB's HDF5 layout (local or global form).",
        .notes =
            "Exit code 1: a demanded tolerance was not reached, or by forces without bounds alone (no solution); the\n"
            "best iterate is written all the same.\n",
        .options = options,
        .n_options = sizeof options / sizeof *options,
        .n_arguments_min = 1,
        .n_arguments_max = 1,
    };
    return cli_obey(&syntax, argc, argv, obey, &o);
}
