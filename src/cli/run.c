#include "cli/run.h"

#include "base/timer.h"
#include "cli/command.h"
#include "cli/terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    OUT_SIZE = 512,
    SAVE_EVERY = 60, // [s]: a checkpoint of a million nodes takes a fraction of a second
};

static tn_status check_options(const cli_run_options *o, tn_error *error)
{
    if (o->steps && o->scene.time > 0.0) {
        return tn_error_set(error, TN_BAD_INPUT, "give --time or --steps, not both");
    }
    if (o->no_record && o->out) {
        return tn_error_set(error, TN_BAD_INPUT, "give --out or --no-record, not both");
    }
    if (o->save_every > 0.0 && !o->save) {
        return tn_error_set(error, TN_BAD_INPUT, "--save-every goes with --save");
    }
    if (!o->live && (o->port || o->no_browser || o->linger > 0.0)) {
        return tn_error_set(error, TN_BAD_INPUT, "--port, --no-browser and --linger go with --live");
    }
    if (o->port > 65535) {
        return tn_error_set(error, TN_BAD_INPUT, "--port: %ld is no port; the largest is 65535", o->port);
    }
    return TN_OK;
}

// scenes/heap.yaml -> heap.h5, in the current folder.
static void default_out(const char *scene, char *out, size_t size)
{
    const char *slash = strrchr(scene, '/');
    const char *name = slash ? slash + 1 : scene;
    const char *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    snprintf(out, size, "%.*s.h5", length, name);
}

// Steps to take from the state's time on; a duration that is a multiple of h up to rounding takes exactly that many.
static long steps_to_go(const cli_run_parts *r)
{
    if (r->options->steps) {
        return r->options->steps;
    }
    double left = ceil((r->method.duration - tn_state_time(r->state)) / r->method.step - 1e-6);
    return left > 0.0 ? (long)fmin(left, 1e15) : 0;
}

// What the run is to reach: so that a recording that ends before says so.
static tn_status note_beginning(const cli_run_parts *r, tn_error *error)
{
    double planned = tn_state_time(r->state) + (double)steps_to_go(r) * r->method.step;
    const tn_note note = {"planned_time", NULL, planned};
    return tn_recording_note(r->out, 1, &note, error);
}

tn_status cli_run_begin(cli_run_parts *r, tn_error *error)
{
    if (tn_summarizer_start(r->summarizer, r->state, error) != TN_OK) {
        return error->status;
    }
    r->recorded_step = tn_state_step_count(r->state);
    if (r->options->no_record) {
        return TN_OK;
    }
    tn_recorder_close(r->recorder, NULL);
    r->recorder = tn_recorder_create(r->out, r->model, error);
    if (!r->recorder || note_beginning(r, error) != TN_OK) {
        return TN_IO;
    }
    return tn_recorder_append(r->recorder, r->sim, r->state, NULL, error);
}

// What the start's velocities contradict, before they are completed.
static tn_status look_at_velocities(cli_run_parts *r, tn_error *error)
{
    r->start = (tn_velocity_mismatch){.joint = -1};
    if (tn_state_time(r->state) > 0.0) {
        return TN_OK;
    }
    tn_status status = tn_state_velocity_mismatch(r->state, &r->start, error);
    return status == TN_OK ? tn_state_project_velocities(r->state, error) : status;
}

static tn_status prepare(cli_run_parts *r, const char *scene, cli_run_options *options, tn_error *error)
{
    r->model = cli_scene_compile(scene, &options->scene, error);
    r->state = r->model ? tn_state_create(r->model, error) : NULL;
    r->sim = r->state ? tn_sim_create(r->model, error) : NULL;
    r->summarizer = r->sim ? tn_summarizer_create(error) : NULL;
    if (!r->summarizer) {
        return TN_BAD_INPUT;
    }
    tn_model_get_method(r->model, &r->method);
    if (options->resume && tn_state_load(r->state, options->resume, error) != TN_OK) {
        return TN_BAD_INPUT;
    }
    if (options->resume && steps_to_go(r) == 0) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "%s: its state is at %.9g s, which is not before the end of the run, %.9g s: give a later "
                            "--time, or --steps to add",
                            options->resume, tn_state_time(r->state), r->method.duration);
    }
    if (options->resume && r->out && !options->out && access(r->out, F_OK) == 0) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "%s is there and would be replaced, perhaps by what follows it: name the recording of "
                            "what follows with --out",
                            r->out);
    }
    if (options->save && r->out && strcmp(options->save, r->out) == 0) {
        return tn_error_set(error, TN_BAD_INPUT, "--save and --out both name %s", r->out);
    }
    tn_status status = options->save ? tn_state_save_check(options->save, error) : TN_OK;
    status = status == TN_OK ? look_at_velocities(r, error) : status;
    cli_interrupt_watch(); // what is begun is ended well
    // A port that is taken leaves the recording alone that the new one replaces.
    status = status == TN_OK && options->live ? cli_live_start(r, error) : status;
    return status == TN_OK ? cli_run_begin(r, error) : status;
}

static tn_status record(cli_run_parts *r, const tn_step_report *report, tn_error *error)
{
    if (!r->recorder || r->recorded_step == tn_state_step_count(r->state)) {
        return TN_OK;
    }
    r->recorded_step = tn_state_step_count(r->state);
    return tn_recorder_append(r->recorder, r->sim, r->state, report, error);
}

// What a run that is killed can go on from.
static tn_status save_now_and_then(cli_run_parts *r, tn_error *error)
{
    const cli_run_options *o = r->options;
    if (!o->save || tn_timer_now() - r->saved < (o->save_every > 0.0 ? o->save_every : SAVE_EVERY)) {
        return TN_OK;
    }
    tn_status status = tn_state_save(r->state, o->save, error);
    r->saved = tn_timer_now();
    return status;
}

static cli_outcome stopped_by(tn_status status)
{
    return status == TN_NUMERICS ? RUN_DIVERGED : RUN_FAILED;
}

static tn_status take_step(cli_run_parts *r, tn_step_report *report, tn_error *error)
{
    tn_status status = cli_live_apply(r, error);
    status = status == TN_OK ? tn_sim_step(r->sim, cli_live_input(r), r->state, report, error) : status;
    if (status != TN_OK) {
        return cli_live_forgives(r, error) ? TN_OK : status;
    }
    r->done++;
    r->natural = report->solve.certificate.natural;
    status = tn_summarizer_add(r->summarizer, report, error);
    bool due = tn_state_step_count(r->state) % r->method.record_every == 0 || r->done == r->n_steps;
    status = status == TN_OK && due ? record(r, report, error) : status;
    return status == TN_OK ? save_now_and_then(r, error) : status;
}

// The last good state, whatever record.every says. After a step that failed its contacts and forces are gone.
static tn_status record_last(cli_run_parts *r, tn_status status, const tn_step_report *report, tn_error *error)
{
    if (status == TN_NUMERICS) {
        record(r, r->done > 0 ? report : NULL, NULL);
        return status;
    }
    return status == TN_OK && r->done > 0 && cli_interrupted() ? record(r, report, error) : status;
}

// Step until done, diverged or interrupted.
static cli_outcome step_all(cli_run_parts *r, tn_error *error)
{
    r->n_steps = steps_to_go(r);
    tn_step_report report = {0};
    tn_status status = TN_OK;
    cli_progress progress = cli_progress_start("steps", r->n_steps, r->options->quiet);
    for (;;) {
        if (r->live) {
            status = cli_live_turn(r, r->done > 0 ? &report : NULL, error);
        }
        if (status != TN_OK || r->done >= r->n_steps || cli_interrupted()) {
            break;
        }
        status = take_step(r, &report, error);
        cli_progress_update(&progress, r->done);
    }
    status = record_last(r, status, &report, error);
    cli_progress_end(&progress);
    if (status != TN_OK) {
        return stopped_by(status);
    }
    return r->done < r->n_steps ? RUN_INTERRUPTED : RUN_DONE;
}

static void simulate(cli_run_parts *r, cli_run_result *result)
{
    r->begun = r->saved = tn_timer_now();
    result->outcome = step_all(r, &result->error);
    result->wall = tn_timer_now() - r->begun - cli_live_stood(r->live);
    result->interfered = cli_live_interfered(r->live);
    if (result->outcome == RUN_DIVERGED) {
        cli_name_step(&result->error, tn_state_step_count(r->state) + 1, tn_state_time(r->state) + r->method.step);
    }
    tn_summarizer_finish(r->summarizer, &result->summary);
    if (result->outcome == RUN_DONE && result->summary.n_missed > 0) {
        result->outcome = RUN_MISSED;
    }
    if (result->outcome == RUN_DONE && r->options->strict && cli_run_is_far(&result->summary)) {
        result->outcome = RUN_FAR;
    }
}

// That the run was interfered with must be said; its outcome is told if nobody holds the file.
static tn_status note_end(const char *out, const cli_run_result *result, tn_error *error)
{
    const tn_note outcome = {"outcome", cli_outcome_name(result->outcome), 0.0};
    const tn_note interfered = {"interfered", result->interfered, 0.0};
    tn_recording_note(out, 1, &outcome, NULL);
    return result->interfered ? tn_recording_note(out, 1, &interfered, error) : TN_OK;
}

// Close the recording and write the checkpoint, also after a failure: what is there is kept.
static void finish(cli_run_parts *r, cli_run_result *result)
{
    tn_error error, save_error;
    tn_status status = tn_recorder_close(r->recorder, &error);
    r->recorder = NULL;
    if (status == TN_OK && !r->options->no_record) {
        status = note_end(r->out, result, &error);
    }
    if (r->options->save && tn_state_save(r->state, r->options->save, &save_error) != TN_OK && status == TN_OK) {
        status = save_error.status;
        error = save_error;
    }
    if (status != TN_OK) {
        if (result->outcome == RUN_DIVERGED || result->outcome == RUN_FAILED) {
            cli_report(&result->error);
        }
        result->outcome = RUN_FAILED;
        result->error = error;
    }
}

static void destroy(cli_run_parts *r)
{
    cli_live_stop(r->live);
    tn_recorder_close(r->recorder, NULL);
    tn_summarizer_destroy(r->summarizer);
    tn_sim_destroy(r->sim);
    tn_state_destroy(r->state);
    tn_model_destroy(r->model);
}

static void explain(const cli_run_result *result)
{
    const tn_summary *s = &result->summary;
    tn_error missed = {.status = TN_NUMERICS};
    switch (result->outcome) {
    case RUN_DIVERGED:
    case RUN_FAILED:
        cli_report(&result->error);
        break;
    case RUN_MISSED:
        snprintf(missed.message, sizeof missed.message,
                 "%ld of %ld steps did not reach a demanded tolerance; the first one is step %ld", s->n_missed,
                 s->n_steps, s->first_missed);
        cli_report(&missed);
        break;
    case RUN_FAR:
        snprintf(missed.message, sizeof missed.message,
                 "--strict: %ld of %ld steps miss by far what they aim at, in %ld the energy is above what it was "
                 "before",
                 s->n_far, s->n_steps, s->n_gaining);
        cli_report(&missed);
        break;
    case RUN_INTERRUPTED:
        fprintf(stderr, "tenon: interrupted after %ld steps\n", s->n_steps);
        break;
    case RUN_DONE:
        break;
    }
}

static int exit_code(cli_outcome outcome)
{
    static const int codes[] = {
        [RUN_DONE] = EXIT_DONE,         [RUN_MISSED] = EXIT_NUMERICS,         [RUN_FAR] = EXIT_NUMERICS,
        [RUN_DIVERGED] = EXIT_NUMERICS, [RUN_INTERRUPTED] = EXIT_INTERRUPTED, [RUN_FAILED] = EXIT_BAD_INPUT};
    return codes[outcome];
}

static int run_scene(const char *const *arguments, void *user)
{
    cli_run_options *options = user;
    char out[OUT_SIZE];
    default_out(arguments[0], out, sizeof out);
    cli_run_result result = {.out = options->no_record ? NULL : options->out ? options->out : out};
    cli_run_parts r = {.options = options, .out = result.out};
    tn_status status = check_options(options, &result.error);
    status = status == TN_OK ? prepare(&r, arguments[0], options, &result.error) : status;
    if (status != TN_OK) {
        destroy(&r);
        return cli_report(&result.error);
    }
    status = tn_state_overlaps(r.state, &result.overlaps, &result.error);
    if (status != TN_OK) {
        destroy(&r);
        return cli_report(&result.error);
    }
    result.start = r.start;
    simulate(&r, &result);
    result.tighter.natural = NAN;
    if (result.outcome == RUN_DONE && !options->quiet) {
        cli_run_try_tighter(&r, &result.tighter);
    }
    finish(&r, &result);
    if (options->json) {
        cli_run_print_json(r.model, &result);
    } else if (!options->quiet) {
        cli_run_print_text(r.model, &result);
    }
    fflush(stdout);
    explain(&result);
    destroy(&r);
    return exit_code(result.outcome);
}

int cli_run(int argc, char **argv)
{
    cli_run_options o = {0};
    const cli_option options[] = {
        {"out", 'o', OPTION_TEXT, &o.out, "F.h5", "recording (default: the scene's name with .h5, in this folder)"},
        {"no-record", 0, OPTION_FLAG, &o.no_record, NULL, "record nothing"},
        {"steps", 'n', OPTION_COUNT, &o.steps, "N", "take this many steps, instead of --time"},
        CLI_SCENE_OPTIONS(o.scene),
        {"save", 0, OPTION_TEXT, &o.save, "F", "write a checkpoint of the last state, now and then of the present one"},
        {"save-every", 0, OPTION_POSITIVE, &o.save_every, "S", "seconds between checkpoints (default: 60)"},
        {"resume", 0, OPTION_TEXT, &o.resume, "F", "start from a checkpoint of the same scene"},
        {"json", 0, OPTION_FLAG, &o.json, NULL, "print the summary as one JSON object"},
        {"strict", 0, OPTION_FLAG, &o.strict, NULL, "exit code 1 where steps miss by far what they aim at"},
        {"live", 0, OPTION_FLAG, &o.live, NULL, "show the run in the browser while it runs"},
        {"port", 'p', OPTION_COUNT, &o.port, "N", "--live: port of 127.0.0.1; default: a free one"},
        {"no-browser", 0, OPTION_FLAG, &o.no_browser, NULL, "--live: do not open the desktop's browser"},
        {"linger", 0, OPTION_POSITIVE, &o.linger, "S", "--live: at its end wait S seconds for pages at most"},
        {"quiet", 'q', OPTION_FLAG, &o.quiet, NULL, "no progress bar, no summary"},
    };
    const cli_syntax syntax = {
        .command = "run",
        .arguments = "SCENE",
        .summary = "Simulate a scene (YAML or JSON, see docs/scene.md) and record it (HDF5, see docs/recording.md).",
        .notes =
            "Exit code 1: the simulation diverged, or a step did not reach a demanded tolerance; what was recorded\n"
            "stays. Ctrl-C ends the run after the step and leaves a valid recording (exit code 130).\n"
            "A live run stays at its end as long as a page looks, or --linger seconds; Ctrl-C ends that too (exit "
            "code\n"
            "as without a page).\n",
        .options = options,
        .n_options = sizeof options / sizeof *options,
        .n_arguments_min = 1,
        .n_arguments_max = 1,
    };
    return cli_obey(&syntax, argc, argv, run_scene, &o);
}
