#include "base/arena.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/timer.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/run.h"
#include "cli/say.h"
#include "problem/fclib.h"
#include "solver/solver.h"
#include "tenon/version.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct solve_options {
    const char *solver, *law, *tolerance, *out;
    long max_iterations, threads, facets;
    bool json;
    tn_law chosen_law;
    tn_tolerance demanded;
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

static tn_status choose_law(solve_options *o, tn_error *error)
{
    const char *names[] = {"coulomb", "convex", "frictionless"};
    o->chosen_law = TN_LAW_COULOMB;
    if (!o->law) {
        return TN_OK;
    }
    for (int k = 0; k < 3; k++) {
        if (strcmp(o->law, names[k]) == 0) {
            o->chosen_law = (tn_law)k;
            return TN_OK;
        }
    }
    const char *near = cli_nearest(o->law, 3, names);
    return tn_error_set(error, TN_BAD_INPUT, "unknown law '%s'; %s%s%slaws: coulomb, convex, frictionless", o->law,
                        near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
}

static const tn_solver *choose_solver(const char *name, tn_error *error)
{
    const tn_solver *solver = tn_solver_find(name);
    if (!solver) {
        char known[256] = "";
        size_t used = 0;
        for (int k = 0; tn_solver_at(k) && used < sizeof known; k++) {
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", tn_solver_at(k)->name);
        }
        tn_error_set(error, TN_BAD_INPUT, "unknown solver '%s'; solvers: %s", name, known);
    }
    return solver;
}

static tn_status parse(int argc, char **argv, solve_options *o, const char **path, bool *help, tn_error *error)
{
    const cli_option options[] = {
        {"solver", 's', OPTION_TEXT, &o->solver, "S", "auto (default), or another of `tenon info`"},
        {"law", 'l', OPTION_TEXT, &o->law, "L", "coulomb (default), convex, frictionless"},
        {"facets", 0, OPTION_COUNT, &o->facets, "N", "polyhedral friction cone with so many directions"},
        {"tolerance", 0, OPTION_TEXT, &o->tolerance, "KEY=V,...", "demanded figures (default: fclib=1e-8)"},
        {"max-iterations", 0, OPTION_COUNT, &o->max_iterations, "N", "cap on the solver's iterations"},
        {"threads", 'j', OPTION_COUNT, &o->threads, "N", "threads"},
        {"out", 'o', OPTION_TEXT, &o->out, "F.hdf5", "write the problem with its solution (group `solution`: v, u, r)"},
        {"json", 0, OPTION_FLAG, &o->json, NULL, "print the report as one JSON object"},
    };
    const cli_syntax syntax = {
        .command = "solve",
        .arguments = "PROBLEM.hdf5",
        .summary = "Solve a friction problem stored in FCLIB's HDF5 layout (local or global form).",
        .notes = "Exit code 1: a demanded tolerance was not reached; the best iterate is written all the same.\n",
        .options = options,
        .n_options = sizeof options / sizeof *options,
        .n_arguments_min = 1,
        .n_arguments_max = 1,
    };
    int n_arguments;
    tn_status status = cli_parse(&syntax, argc, argv, path, &n_arguments, help, error);
    if (status != TN_OK || *help) {
        return status;
    }
    if (o->tolerance) {
        o->demanded = (tn_tolerance){0};
        status = cli_parse_tolerances(o->tolerance, set_tolerance, &o->demanded, error);
    }
    if (status == TN_OK && o->demanded.penetration > 0.0) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "--tolerance penetration: a problem file has no geometry; use momentum, natural or fclib");
    }
    if (status == TN_OK && o->facets != 0 && o->facets != 2 && (o->facets < 4 || o->facets > 1000 || o->facets % 2)) {
        return tn_error_set(error, TN_BAD_INPUT, "--facets is %ld, expected 2, or an even number from 4 to 1000",
                            o->facets);
    }
    return status == TN_OK ? choose_law(o, error) : status;
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

static void print_json(const tn_fclib_problem *p, const solve_options *o, const tn_solve_report *report, double wall,
                       bool held)
{
    tn_json json = {.out = stdout};
    tn_json_open(&json, NULL, '{');
    tn_json_text(&json, "outcome", held ? "done" : "tolerance not reached");
    tn_json_text(&json, "title", p->title);
    tn_json_text(&json, "form", p->problem.W ? "local" : "global");
    tn_json_integer(&json, "contacts", p->contacts.n_triples);
    tn_json_integer(&json, "velocities", p->n_velocities);
    tn_json_text(&json, "version", TN_VERSION);
    tn_json_text(&json, "solver", report->solver);
    tn_json_text(&json, "law", cli_law_name(o->chosen_law));
    tn_json_integer(&json, "iterations", report->iterations);
    tn_json_bool(&json, "converged", report->converged);
    tn_json_number(&json, "wall_s", wall);
    tn_json_open(&json, "certificate", '{');
    for (int k = 0; k < TN_N_FIGURES; k++) {
        tn_json_number(&json, tn_figure_name(k), tn_figure_of(&report->certificate, k));
    }
    tn_json_close(&json, '}');
    tn_json_text(&json, "out", o->out);
    tn_json_close(&json, '}');
}

static void print_text(const tn_fclib_problem *p, const solve_options *o, const tn_solve_report *report, double wall)
{
    cli_say("%s form, %d contacts, %d velocities%s%s\n", p->problem.W ? "local" : "global", p->contacts.n_triples,
            p->n_velocities, *p->title ? ": " : "", p->title);
    cli_say("law %s, solver %s, %d iterations, %.3g s\n", cli_law_name(o->chosen_law), report->solver,
            report->iterations, wall);
    for (int k = 0; k < TN_N_FIGURES; k++) {
        double figure = tn_figure_of(&report->certificate, k);
        if (!isnan(figure)) {
            cli_say("%-22s %10.2e  %s\n", tn_figure_name(k), figure, tn_figure_unit(k));
        }
    }
    if (o->out) {
        cli_say("solution               %s\n", o->out);
    }
}

static tn_status solve_read(const tn_fclib_problem *p, const tn_solver *solver, const solve_options *o, tn_arena *arena,
                            tn_solve_report *report, tn_solution *solution, tn_error *error)
{
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = o->demanded;
    options.max_iterations = o->max_iterations ? (int)fmin((double)o->max_iterations, 1e9) : options.max_iterations;
    options.n_threads = o->threads ? (int)fmin((double)o->threads, 1024.0) : 1;
    solution->lambda = TN_PUSH(arena, double, 3 * p->contacts.n_triples);
    solution->v = p->problem.A ? TN_PUSH(arena, double, 3 * p->problem.A->n_rows) : NULL;
    if (!solution->lambda || (p->problem.A && !solution->v)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory left");
    }
    return tn_solver_run(solver, &p->problem, &options, arena, solution, report, error);
}

// The file's own law is strict Coulomb; another one is the caller's wish.
static int solve_file(const char *path, const solve_options *o, tn_arena *arena)
{
    tn_error error = {0};
    tn_fclib_problem p;
    tn_solve_report report = {.theta = NAN};
    tn_solution solution;
    const tn_solver *solver = choose_solver(o->solver ? o->solver : "auto", &error);
    if (!solver || (o->out && tn_fclib_write_check(o->out, &error) != TN_OK) ||
        tn_fclib_read(path, arena, &p, &error) != TN_OK) {
        return cli_report(&error);
    }
    p.problem.law = o->chosen_law;
    p.problem.facets = (int)o->facets;
    double start = tn_timer_now();
    tn_status status = solve_read(&p, solver, o, arena, &report, &solution, &error);
    double wall = tn_timer_now() - start;
    if (status == TN_OK && o->out) {
        status = tn_fclib_write_solution(o->out, &p, &solution, &error);
    }
    if (status != TN_OK) {
        return cli_report(&error);
    }
    bool held = tolerances_held(&o->demanded, &report);
    if (o->json) {
        print_json(&p, o, &report, wall, held);
    } else {
        print_text(&p, o, &report, wall);
    }
    fflush(stdout);
    if (!held) {
        tn_error_set(&error, TN_NUMERICS, "a demanded tolerance was not reached within %d iterations",
                     report.iterations);
        return cli_report(&error);
    }
    return EXIT_DONE;
}

int cli_solve(int argc, char **argv)
{
    solve_options o = {.demanded = {.fclib = 1e-8}};
    tn_error error = {0};
    const char *path = NULL;
    bool help = false;
    if (parse(argc, argv, &o, &path, &help, &error) != TN_OK) {
        return cli_report(&error);
    }
    if (help) {
        return EXIT_DONE;
    }
    tn_arena *arena = tn_arena_create("solve", 0);
    if (!arena) {
        tn_error_set(&error, TN_NO_MEMORY, "no memory left");
        return cli_report(&error);
    }
    int code = solve_file(path, &o, arena);
    tn_arena_destroy(arena);
    return code;
}
