// `tenon mpc`: a scene under the controller of its section `mpc`, recorded with what was planned.
#include "base/order.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/say.h"
#include "cli/scene_options.h"
#include "cli/terminal.h"

#include "base/memory.h"
#include "tenon/mpc.h"
#include "tenon/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mpc_options {
    cli_scene_options scene;
    const char *out;
    bool no_record, quiet;
} mpc_options;

// What solves took and gave.
typedef struct tally {
    int n, room;
    double *seconds;
    long of[4]; // by tn_plan_status
    long late, nodes;
} tally;

typedef struct parts {
    const mpc_options *options;
    tn_model *model;
    tn_state *state;
    tn_sim *sim;
    tn_mpc *mpc;
    tn_mpc_info said;
    tn_recorder *recorder;
    tally tally;
    long done, recorded_step; // steps; -1: none
} parts;

static tn_status count(tally *t, const tn_plan *plan, double budget, tn_error *error)
{
    double *more = tn_grown(t->seconds, t->n, &t->room, sizeof *more);
    if (!more) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory left");
    }
    t->seconds = more;
    t->seconds[t->n++] = plan->seconds;
    t->of[plan->status]++;
    t->late += budget > 0.0 && plan->seconds > budget;
    t->nodes = plan->nodes > t->nodes ? plan->nodes : t->nodes;
    return TN_OK;
}

static tn_status note_poses(const parts *p, const tn_plan *plan, tn_error *error)
{
    size_t n = 7 * (size_t)tn_model_body_count(p->model);
    double *poses = isfinite(plan->cost) ? tn_calloc(TN_PLAN_POSES * n, sizeof *poses) : NULL;
    tn_status status = TN_OK;
    for (int k = 0; poses && k < TN_PLAN_POSES && status == TN_OK; k++) {
        int step = (k + 1) * plan->horizon / TN_PLAN_POSES;
        status = tn_mpc_poses(p->mpc, p->state, step, poses + (size_t)k * n, error);
    }
    status = status == TN_OK ? tn_recorder_plan_poses(p->recorder, poses, error) : status;
    tn_free(poses);
    return status;
}

static tn_status plan_now(parts *p, tn_error *error)
{
    tn_status status = tn_mpc_solve(p->mpc, p->state, error);
    status = status == TN_OK ? count(&p->tally, tn_mpc_plan(p->mpc), p->said.budget, error) : status;
    if (status == TN_OK && p->recorder) {
        status = tn_recorder_plan(p->recorder, tn_mpc_plan(p->mpc), tn_mpc_rows(p->mpc), error);
        status = status == TN_OK ? note_poses(p, tn_mpc_plan(p->mpc), error) : status;
    }
    return status;
}

// A state once; of a step that failed before it (report NULL) nothing is known but the state.
static tn_status record(parts *p, const tn_step_report *report, tn_error *error)
{
    long step = tn_state_step_count(p->state);
    if (!p->recorder || p->recorded_step == step) {
        return TN_OK;
    }
    p->recorded_step = step;
    return tn_recorder_append(p->recorder, p->sim, p->state, report, error);
}

static tn_status run(parts *p, tn_error *error)
{
    tn_model_method s;
    tn_model_get_method(p->model, &s);
    long n = (long)ceil(s.duration / s.step - 1e-6), every = lround(p->said.step / s.step);
    tn_step_report report;
    tn_status status = record(p, NULL, error);
    cli_progress progress = cli_progress_start("steps", n, p->options->quiet);
    for (p->done = 0; status == TN_OK && p->done < n && !cli_interrupted();) {
        status = p->done % every == 0 ? plan_now(p, error) : TN_OK;
        status =
            status == TN_OK ? tn_sim_step(p->sim, tn_mpc_input(p->mpc, p->state), p->state, &report, error) : status;
        p->done += status == TN_OK;
        bool due = p->done % s.record_every == 0 || p->done == n;
        status = status == TN_OK && due ? record(p, &report, error) : status;
        cli_progress_update(&progress, p->done);
    }
    cli_progress_end(&progress);
    if (status == TN_NUMERICS) {
        record(p, NULL, NULL); // the last good state
        cli_name_step(error, p->done + 1, tn_state_time(p->state) + s.step);
    }
    return status == TN_OK && p->done > 0 ? record(p, &report, error) : status;
}

static void tell(const parts *p, const char *out)
{
    tally t = p->tally;
    const tn_mpc_info *said = &p->said;
    double x[128];
    qsort(t.seconds, (size_t)t.n, sizeof *t.seconds, tn_order_doubles);
    cli_say("%d solves: %ld optimal, %ld feasible, %ld without a plan, %ld infeasible; most nodes %ld\n", t.n,
            t.of[TN_PLAN_OPTIMAL], t.of[TN_PLAN_FEASIBLE], t.of[TN_PLAN_NONE], t.of[TN_PLAN_INFEASIBLE], t.nodes);
    cli_say("time of a solve: median %.3g ms, largest %.3g ms", 1e3 * t.seconds[t.n / 2], 1e3 * t.seconds[t.n - 1]);
    if (said->budget > 0.0) {
        cli_say(", %ld beyond the budget of %.3g ms", t.late, 1e3 * said->budget);
    }
    cli_say("\n");
    if (said->n_coordinates <= 64 && tn_mpc_state(p->mpc, p->state, x)) {
        for (int i = 0; i < said->n_coordinates; i++) {
            cli_say("%s: %.6g, goal %.6g\n", said->coordinates[i], x[i], said->goal[i]);
        }
    }
    if (out) {
        cli_say("recorded: %s\n", out);
    }
}

static void default_out(const char *scene, char *out, size_t size)
{
    const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene, *dot = strrchr(name, '.');
    snprintf(out, size, "%.*s_mpc.h5", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

static bool is_interrupted(void *unused)
{
    return cli_interrupted();
}

static int obey(const char *const *arguments, void *user)
{
    const char *path = arguments[0];
    mpc_options *o = user;
    char name[512];
    tn_error error = {0};
    parts p = {.options = o, .recorded_step = -1};
    default_out(path, name, sizeof name);
    const char *out = o->no_record ? NULL : o->out ? o->out : name;
    p.model = cli_scene_compile(path, &o->scene, &error);
    p.state = p.model ? tn_state_create(p.model, &error) : NULL;
    p.sim = p.state ? tn_sim_create(p.model, &error) : NULL;
    p.mpc = p.sim ? tn_mpc_create(p.model, &error) : NULL;
    tn_status status = p.mpc ? TN_OK : TN_BAD_INPUT;
    tn_mpc_get_info(p.mpc, &p.said);
    tn_mpc_set_stop(p.mpc, is_interrupted, NULL);
    cli_interrupt_watch(); // what is begun is ended well
    if (status == TN_OK && out) {
        p.recorder = tn_recorder_create(out, p.model, &error);
        status = p.recorder ? TN_OK : TN_IO;
    }
    if (status == TN_OK) {
        status = run(&p, &error);
    }
    tn_error closing;
    if (tn_recorder_close(p.recorder, &closing) != TN_OK && status == TN_OK) {
        status = closing.status;
        error = closing;
    }
    if (p.tally.n > 0 && !o->quiet) {
        tell(&p, out);
    }
    if (status == TN_OK && cli_interrupted()) {
        fprintf(stderr, "tenon: interrupted after %ld steps\n", p.done);
    }
    int code = status != TN_OK ? cli_report(&error) : cli_interrupted() ? EXIT_INTERRUPTED : EXIT_DONE;
    tn_free(p.tally.seconds);
    tn_mpc_destroy(p.mpc);
    tn_sim_destroy(p.sim);
    tn_state_destroy(p.state);
    tn_model_destroy(p.model);
    return code;
}

int cli_mpc(int argc, char **argv)
{
    mpc_options o = {.out = NULL};
    const cli_option options[] = {
        {"out", 'o', OPTION_TEXT, &o.out, "F.h5", "recording (default: the scene's name with _mpc.h5, in this folder)"},
        {"no-record", 0, OPTION_FLAG, &o.no_record, NULL, "record nothing"},
        {"quiet", 'q', OPTION_FLAG, &o.quiet, NULL, "no progress bar, no summary"},
        CLI_SCENE_OPTIONS(o.scene),
    };
    const cli_syntax syntax = {
        .command = "mpc",
        .arguments = "SCENE",
        .summary = "Simulate a scene under the controller of its section `mpc`, which plans through contact.",
        .notes =
            "The recording has the solves' figures (plan/cost, plan/bound, plan/seconds, ...); `tenon report` draws "
            "them.\n",
        .options = options,
        .n_options = sizeof options / sizeof *options,
        .n_arguments_min = 1,
        .n_arguments_max = 1};
    return cli_obey(&syntax, argc, argv, obey, &o);
}
