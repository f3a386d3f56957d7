// `tenon plan`: one optimal control problem with contact, solved and printed.
#include "tenon/plan.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/say.h"
#include "cli/terminal.h"
#include "tenon/version.h"

#include <stdio.h>

typedef struct plan_options {
    const char *method;
    double time, gap;
    long nodes, threads;
    bool json, csv;
} plan_options;

static void print_array(tn_json *json, const char *key, int m, int n, const double *values)
{
    tn_json_open(json, key, '[');
    for (int i = 0; i < m; i++) {
        tn_json_row(json, NULL, (size_t)n, values + (size_t)i * (size_t)n, 17);
    }
    tn_json_close(json, ']');
}

static void print_json(const tn_plan *plan, const char *method)
{
    tn_json json = {.out = stdout};
    tn_json_open(&json, NULL, '{');
    tn_json_text(&json, "status", tn_plan_status_name(plan->status));
    tn_json_text(&json, "method", method);
    tn_json_text(&json, "version", TN_VERSION);
    tn_json_number(&json, "cost", plan->cost);
    tn_json_number(&json, "bound", plan->bound);
    tn_json_number(&json, "gap", plan->gap);
    tn_json_number(&json, "residual", plan->residual);
    tn_json_integer(&json, "nodes", plan->nodes);
    tn_json_integer(&json, "iterations", plan->iterations);
    tn_json_number(&json, "wall_s", plan->seconds);
    tn_json_text(&json, "conflict", plan->conflict_text[0] ? plan->conflict_text : NULL);
    if (plan->cost < 1.0 / 0.0) {
        print_array(&json, "x", plan->horizon + 1, plan->n_x, plan->x);
        print_array(&json, "u", plan->horizon, plan->n_u, plan->u);
        print_array(&json, "c", plan->horizon, plan->n_c, plan->c);
        print_array(&json, "w", plan->horizon, plan->n_c, plan->w);
        tn_json_open(&json, "mode", '[');
        for (int k = 0; k < plan->horizon; k++) {
            tn_json_open(&json, NULL, '[');
            for (int i = 0; i < plan->n_c; i++) {
                tn_json_integer(&json, NULL, plan->mode[k * plan->n_c + i]);
            }
            tn_json_close(&json, ']');
        }
        tn_json_close(&json, ']');
    }
    tn_json_close(&json, '}');
}

static void print_names(const char *name, int n)
{
    for (int i = 0; i < n; i++) {
        printf(",%s%d", name, i);
    }
}

static void print_numbers(int n, const double *values)
{
    for (int i = 0; i < n; i++) {
        printf(",%.17g", values[i]);
    }
}

// A line a state; inputs, forces and modes of the step that begins there, none in the last line.
static void print_csv(const tn_plan *plan)
{
    printf("k");
    print_names("x", plan->n_x), print_names("u", plan->n_u), print_names("c", plan->n_c);
    print_names("w", plan->n_c), print_names("mode", plan->n_c);
    for (int k = 0; k <= plan->horizon; k++) {
        printf("\n%d", k);
        print_numbers(plan->n_x, plan->x + k * plan->n_x);
        if (k == plan->horizon) {
            for (int i = 0; i < plan->n_u + 3 * plan->n_c; i++) {
                putchar(',');
            }
            break;
        }
        print_numbers(plan->n_u, plan->u + k * plan->n_u);
        print_numbers(plan->n_c, plan->c + k * plan->n_c);
        print_numbers(plan->n_c, plan->w + k * plan->n_c);
        for (int i = 0; i < plan->n_c; i++) {
            printf(",%d", plan->mode[k * plan->n_c + i]);
        }
    }
    printf("\n");
}

static void print_text(const tn_plan *plan, const char *method)
{
    cli_say("%s by %s", tn_plan_status_name(plan->status), method);
    if (plan->conflict_text[0]) {
        cli_say(": %s", plan->conflict_text);
    }
    cli_say("\n");
    if (plan->cost < 1.0 / 0.0) {
        cli_say("cost       %.10g, bound %.10g, gap %.2g\nresidual   %.2g\n", plan->cost, plan->bound, plan->gap,
                plan->residual);
    }
    cli_say("work       %ld nodes, %ld iterations, %.3g ms\n", plan->nodes, plan->iterations, 1e3 * plan->seconds);
    for (int i = 0; i < plan->n_c && plan->cost < 1.0 / 0.0; i++) {
        cli_say("contact %-2d ", i);
        for (int k = 0; k < plan->horizon; k++) {
            cli_say("%c", ".#-"[plan->mode[k * plan->n_c + i]]);
        }
        cli_say("\n");
    }
}

static tn_status choose(const plan_options *o, tn_plan_options *chosen, tn_error *error)
{
    *chosen = tn_plan_options_default();
    const int method = tn_plan_method_find(o->method);
    if (method < 0) {
        return tn_error_set(error, TN_BAD_INPUT, "unknown method '%s'; methods: miqp, admm, mpcc, enumerate",
                            o->method);
    }
    chosen->method = (tn_plan_method)method;
    chosen->time_budget = o->time;
    chosen->node_budget = o->nodes;
    chosen->gap = o->gap;
    chosen->n_threads = o->threads > 0 ? (int)(o->threads < 1024 ? o->threads : 1024) : 1;
    return TN_OK;
}

static bool is_interrupted(void *unused)
{
    return cli_interrupted();
}

static int solve(const char *const *arguments, void *user)
{
    const plan_options *o = user;
    tn_error error = {0};
    tn_plan_problem problem = {0};
    tn_plan plan = {0};
    tn_plan_options chosen;
    tn_planner *planner = NULL;
    tn_status status = choose(o, &chosen, &error);
    if (status == TN_OK && (status = tn_plan_problem_load(arguments[0], &problem, &error)) == TN_OK &&
        (status = tn_plan_create(&problem, &plan, &error)) == TN_OK) {
        cli_interrupt_watch();
        chosen.stop = is_interrupted;
        planner = tn_planner_create(&problem, &error);
        status = planner ? tn_planner_solve(planner, &problem, &chosen, &plan, &error) : error.status;
    }
    if (status == TN_OK && o->json) {
        print_json(&plan, o->method);
    } else if (status == TN_OK && o->csv) {
        print_csv(&plan);
    } else if (status == TN_OK) {
        print_text(&plan, o->method);
    }
    const bool found = plan.status == TN_PLAN_OPTIMAL || plan.status == TN_PLAN_FEASIBLE;
    tn_planner_destroy(planner);
    tn_plan_destroy(&plan);
    tn_plan_problem_destroy(&problem);
    if (status == TN_OK && cli_interrupted()) {
        return EXIT_INTERRUPTED;
    }
    return status != TN_OK ? cli_report(&error) : found ? EXIT_DONE : EXIT_NUMERICS;
}

int cli_plan(int argc, char **argv)
{
    plan_options o = {.method = "miqp", .gap = tn_plan_options_default().gap};
    const cli_option options[] = {
        {"method", 'm', OPTION_TEXT, &o.method, "M", "miqp (default), admm, mpcc, enumerate"},
        {"time", 't', OPTION_POSITIVE, &o.time, "T", "stop after T seconds with the best plan so far (default: none)"},
        {"nodes", 'n', OPTION_COUNT, &o.nodes, "N",
         "stop after N nodes; repeats a run of as many threads exactly (default: none)"},
        {"gap", 0, OPTION_POSITIVE, &o.gap, "G", "relative gap that counts as optimal (default: 1e-9)"},
        {"threads", 'j', OPTION_COUNT, &o.threads, "N", "threads of miqp (default: 1, at most 64)"},
        {"json", 0, OPTION_FLAG, &o.json, NULL, "print the plan as one JSON object"},
        {"csv", 0, OPTION_FLAG, &o.csv, NULL, "print the plan as a table"},
    };
    const cli_syntax syntax = {
        .command = "plan",
        .arguments = "FILE",
        .summary = "Solve an optimal control problem with contact (docs/planning.md).",
        .notes = "Exit code 1: no plan was found; the output says whether there is none. Ctrl-C ends the\n"
                 "search with the best plan so far (exit code 130).\n",
        .options = options,
        .n_options = sizeof options / sizeof *options,
        .n_arguments_min = 1,
        .n_arguments_max = 1};
    return cli_obey(&syntax, argc, argv, solve, &o);
}
