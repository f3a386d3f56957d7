// `tenon run --live`: between two steps, on the thread that simulates. view/live.h moves the frames.
#include "cli/run_live.h"

#include "base/memory.h"
#include "base/timer.h"
#include "cli/browser.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAP_US = 2000 };
static const double patience_seconds = 2.0; // for a page that is loaded anew

static void say(cli_run_parts *r, tn_live_state state)
{
    cli_live *live = r->live;
    live->said_state = state;
    live->said_step = tn_state_step_count(r->state);
    tn_live_news news = {.state = state,
                         .solver = live->tried.solver,
                         .law = live->tried.law,
                         .pace = live->pace,
                         .time = tn_state_time(r->state),
                         .message = live->message};
    tn_live_say(live->view, &news);
}

// ---- between two steps

// The next step would be ahead of the pace that was asked for.
static bool is_early(const cli_run_parts *r)
{
    const cli_live *live = r->live;
    return live->pace > 0.0 &&
           tn_timer_now() - live->pace_wall < (tn_state_time(r->state) - live->pace_time) / live->pace;
}

static tn_live_state state_of(const cli_run_parts *r)
{
    return r->done >= r->n_steps ? TN_LIVE_ENDED : r->live->paused ? TN_LIVE_PAUSED : TN_LIVE_RUNNING;
}

// Nothing goes on until somebody says so.
static bool stands(const cli_run_parts *r)
{
    return r->done >= r->n_steps || r->live->paused;
}

// Nobody looks any more: on as if nobody had.
static void leave_alone(cli_run_parts *r)
{
    cli_live *live = r->live;
    cli_live_release(r);
    live->attended = live->paused = false;
    live->steps_asked = 0;
    live->pace = 0.0;
    live->message[0] = '\0';
    say(r, state_of(r));
}

// A step may be taken now.
static bool may_step(cli_run_parts *r)
{
    cli_live *live = r->live;
    if (r->done >= r->n_steps || (live->paused && live->steps_asked == 0)) {
        return false;
    }
    live->steps_asked -= live->steps_asked > 0;
    return true;
}

// Nobody has come yet, and somebody may: a short run is over before a browser has started.
static bool is_awaited(const cli_run_parts *r)
{
    return !r->live->seen && (r->options->linger > 0.0 || isatty(STDERR_FILENO));
}

// The end, and a page to stay for: what waits is written, and the terminal says why nothing goes on.
static tn_status arrive(cli_run_parts *r, tn_error *error)
{
    r->live->ended_at = tn_timer_now();
    if (!r->options->quiet) {
        cli_progress_say(r->live->seen ? "At its end; it stays until the page is closed, or Ctrl-C."
                                       : "At its end, and nobody has looked yet: open the page, or Ctrl-C.");
    }
    return r->recorder ? tn_recorder_flush(r->recorder, error) : TN_OK;
}

// Nothing keeps the run from going on, or from ending. A page that is loaded anew comes back within the patience.
static bool is_released(cli_run_parts *r, double now)
{
    cli_live *live = r->live;
    bool ended = r->done >= r->n_steps;
    if (tn_live_viewers(live->view) > 0) {
        live->seen = true;
        live->last_seen = now;
    } else if (!(ended && is_awaited(r)) && (!stands(r) || now - live->last_seen > patience_seconds)) {
        return true;
    }
    return ended && r->options->linger > 0.0 && now - live->ended_at > r->options->linger;
}

// News that nobody asked for: the state is another, what stands still does so at another step, or a message has
// changed.
static bool has_news(const cli_run_parts *r)
{
    const cli_live *live = r->live;
    return live->said_state != state_of(r) || (stands(r) && live->said_step != tn_state_step_count(r->state)) ||
           strcmp(live->message, live->said) != 0;
}

// One look at what viewers want.
static tn_status attend(cli_run_parts *r, const tn_step_report *report, tn_error *error)
{
    cli_live *live = r->live;
    bool any = false;
    tn_status status = cli_live_obey(r, &any, error);
    if (status == TN_OK && r->done >= r->n_steps && live->ended_at == 0.0) {
        status = arrive(r, error);
    }
    status = status == TN_OK ? tn_live_show(live->view, r->state, r->done > 0 ? report : NULL, error) : status;
    if (status == TN_OK && (any || has_news(r))) {
        say(r, state_of(r));
        memcpy(live->said, live->message, sizeof live->said);
    }
    return status;
}

tn_status cli_live_turn(cli_run_parts *r, const tn_step_report *report, tn_error *error)
{
    cli_live *live = r->live;
    if (tn_live_viewers(live->view) == 0 && !live->attended && !(r->done >= r->n_steps && is_awaited(r))) {
        return TN_OK;
    }
    live->attended = true;
    if (r->done > live->chosen_at) {
        live->good = live->before = live->tried;
    }
    double now = live->last_seen = tn_timer_now();
    for (;;) {
        tn_status status = attend(r, report, error);
        if (status != TN_OK || cli_interrupted()) {
            return status;
        }
        if (is_released(r, now)) {
            leave_alone(r);
            return TN_OK;
        }
        if ((live->paused || !is_early(r)) && may_step(r)) {
            return TN_OK;
        }
        bool stood = stands(r);
        usleep(NAP_US);
        double then = now;
        now = tn_timer_now();
        live->stood += stood ? now - then : 0.0;
    }
}

// The newest choice first: what was chosen just before it may be fine. Then all that has not taken a step.
static void take_back(cli_run_parts *r)
{
    cli_live *live = r->live;
    cli_choice back = cli_live_same(&live->tried, &live->before) ? live->good : live->before;
    live->before = back;
    cli_live_use(r, &back);
    cli_live_note(live, "solver", back.solver, tn_state_step_count(r->state));
    cli_live_note(live, "law", back.law, tn_state_step_count(r->state));
}

bool cli_live_forgives(cli_run_parts *r, const tn_error *error)
{
    cli_live *live = r->live;
    bool chosen = live && !cli_live_same(&live->tried, &live->good);
    if (!chosen && !(live && live->pulling)) {
        return false;
    }
    snprintf(live->message, sizeof live->message, "taken back: %.140s", error->message);
    if (chosen) {
        take_back(r);
    } else {
        cli_live_release(r);
    }
    return true;
}

double cli_live_stood(const cli_live *live)
{
    return live ? live->stood : 0.0;
}

const char *cli_live_interfered(cli_live *live)
{
    if (!live || (live->n_pulls == 0 && live->interfered[0] == '\0')) {
        return NULL;
    }
    size_t n = 0;
    if (live->n_pulls > 0) {
        n = (size_t)snprintf(live->all, sizeof live->all, "pulled %ld times from step %ld on%s", live->n_pulls,
                             live->first_pull, live->interfered[0] ? ", " : "");
    }
    snprintf(live->all + n, sizeof live->all - n, "%s", live->interfered);
    return live->all;
}

// ---- start and stop

tn_status cli_live_start(cli_run_parts *r, tn_error *error)
{
    cli_live *live = tn_calloc(1, sizeof *live);
    if (!live) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the live view");
    }
    r->live = live;
    snprintf(live->scene.law, sizeof live->scene.law, "%s", r->method.law);
    snprintf(live->scene.solver, sizeof live->scene.solver, "%s", r->method.solver);
    live->tried = live->before = live->good = live->scene;
    live->initial = tn_state_create(r->model, error);
    live->wrench = tn_calloc(6 * (size_t)tn_model_body_count(r->model), sizeof *live->wrench);
    live->node_force = tn_calloc(3 * (size_t)tn_model_node_total(r->model) + 1, sizeof *live->node_force);
    if (!live->wrench || !live->node_force || !live->initial ||
        tn_state_copy(live->initial, r->state, error) != TN_OK) {
        return TN_NO_MEMORY;
    }
    live->view = tn_live_start(r->model, r->sim, r->state, (int)r->options->port, error);
    if (!live->view) {
        return TN_IO;
    }
    say(r, TN_LIVE_RUNNING);
    cli_show_page(stderr, tn_live_port(live->view), "the run goes on meanwhile, Ctrl-C ends it",
                  !r->options->no_browser);
    return TN_OK;
}

void cli_live_stop(cli_live *live)
{
    if (live) {
        tn_live_stop(live->view);
        tn_state_destroy(live->initial);
        tn_free(live->wrench);
        tn_free(live->node_force);
        tn_free(live);
    }
}
