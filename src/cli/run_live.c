// `tenon run --live`: between two steps, on the thread that simulates. view/live.h moves the frames.
#include "base/memory.h"
#include "base/timer.h"
#include "cli/browser.h"
#include "cli/run.h"
#include "cli/terminal.h"
#include "record/recorder.h"
#include "state/state.h"
#include "view/live.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NOTE_SIZE = 400, NAP_US = 2000 };
static const double patience_seconds = 2.0; // for a page that is loaded anew

// Solver and law: what a viewer may choose.
typedef struct choice {
    char solver[TN_LIVE_NAME];
    tn_law law;
} choice;

struct cli_live {
    tn_live *view;
    tn_state *initial;
    choice scene, tried, good; // the scene's; the one in use; the last one that took a step
    long chosen_at;            // steps done when `tried` was chosen
    bool attended;             // somebody looked last time
    bool paused, pulling, full;
    long steps_asked; // while paused
    tn_grab grab;
    long n_pulls, first_pull;     // since the start; step of the first
    double pace;                  // simulated seconds a second; 0: no bound
    double pace_wall, pace_time;  // where it counts from [s]
    char interfered[NOTE_SIZE];   // what was changed, in order
    char all[NOTE_SIZE + 80];     // with the pulls
    char message[160], said[160]; // for people
    tn_live_state said_state;
};

static void note(cli_live *live, const char *what, const char *which, long step)
{
    size_t n = strlen(live->interfered);
    if (n + 80 > sizeof live->interfered) {
        snprintf(live->interfered + n, sizeof live->interfered - n, live->full ? "" : ", and more");
        live->full = true;
        return;
    }
    snprintf(live->interfered + n, sizeof live->interfered - n, "%s%s %s from step %ld on", n ? ", " : "", what, which,
             step + 1);
}

static void say(cli_run_parts *r, tn_live_state state)
{
    cli_live *live = r->live;
    live->said_state = state;
    tn_live_news news = {.state = state,
                         .solver = live->tried.solver,
                         .law = cli_law_name(live->tried.law),
                         .pace = live->pace,
                         .message = live->message};
    tn_live_say(live->view, &news);
}

// ---- what viewers ask

static void use(cli_run_parts *r, const choice *wanted)
{
    r->live->tried = *wanted;
    r->live->chosen_at = r->done;
    tn_sim_set_solver(r->sim, wanted->solver);
    r->model->settings.law = wanted->law; // the problems from the next step on
}

static void choose_solver(cli_run_parts *r, const char *name)
{
    cli_live *live = r->live;
    choice wanted = live->tried;
    snprintf(wanted.solver, sizeof wanted.solver, "%s", name);
    if (!tn_solver_find(name)) {
        snprintf(live->message, sizeof live->message, "there is no solver '%s'", name);
    } else if (strcmp(name, live->tried.solver) != 0) {
        use(r, &wanted);
        note(live, "solver", name, r->state->step_count);
    }
}

static void choose_law(cli_run_parts *r, const char *name)
{
    cli_live *live = r->live;
    choice wanted = live->tried;
    for (int law = TN_LAW_COULOMB; law <= TN_LAW_FRICTIONLESS; law++) {
        if (strcmp(cli_law_name((tn_law)law), name) == 0) {
            wanted.law = (tn_law)law;
            if (wanted.law != live->tried.law) {
                use(r, &wanted);
                note(live, "law", name, r->state->step_count);
            }
            return;
        }
    }
    snprintf(live->message, sizeof live->message, "there is no law '%s'", name);
}

static void release(cli_run_parts *r)
{
    r->live->pulling = false;
    tn_sim_set_grab(r->sim, NULL);
}

static void pull(cli_run_parts *r, const tn_live_command *command)
{
    cli_live *live = r->live;
    if (!live->pulling || live->grab.body != command->body) {
        if (!tn_grab_start(r->state, command->body, command->point, &live->grab)) {
            release(r);
            snprintf(live->message, sizeof live->message, "this body does not move freely");
            return;
        }
        live->pulling = true;
        tn_sim_set_grab(r->sim, &live->grab);
        live->message[0] = '\0';
        live->first_pull = live->n_pulls++ == 0 ? r->state->step_count + 1 : live->first_pull;
    }
    memcpy(live->grab.target, command->target, sizeof live->grab.target);
}

static void count_pace(cli_run_parts *r)
{
    r->live->pace_wall = tn_timer_now();
    r->live->pace_time = tn_state_time(r->state);
}

// From the start again, with the recording anew; a chosen solver and law stay.
static tn_status reset(cli_run_parts *r, tn_error *error)
{
    cli_live *live = r->live;
    release(r);
    live->interfered[0] = '\0';
    live->full = false;
    live->n_pulls = 0;
    tn_status status = tn_state_copy(r->state, live->initial, error);
    r->done = live->chosen_at = 0;
    if (strcmp(live->tried.solver, live->scene.solver) != 0) {
        note(live, "solver", live->tried.solver, r->state->step_count);
    }
    if (live->tried.law != live->scene.law) {
        note(live, "law", cli_law_name(live->tried.law), r->state->step_count);
    }
    count_pace(r);
    return status == TN_OK ? cli_run_begin(r, error) : status;
}

static tn_status obey(cli_run_parts *r, const tn_live_command *command, tn_error *error)
{
    cli_live *live = r->live;
    switch (command->action) {
    case TN_LIVE_PAUSE:
        live->paused = true;
        break;
    case TN_LIVE_RESUME:
        live->paused = false;
        count_pace(r);
        break;
    case TN_LIVE_STEP:
        live->paused = true;
        live->steps_asked++;
        break;
    case TN_LIVE_RESET:
        return reset(r, error);
    case TN_LIVE_SOLVER:
        choose_solver(r, command->name);
        break;
    case TN_LIVE_LAW:
        choose_law(r, command->name);
        break;
    case TN_LIVE_PACE:
        live->pace = command->value;
        count_pace(r);
        break;
    case TN_LIVE_PULL:
        pull(r, command);
        break;
    default:
        release(r);
        break;
    }
    return TN_OK;
}

static tn_status obey_all(cli_run_parts *r, bool *any, tn_error *error)
{
    tn_live_command command;
    tn_status status = TN_OK;
    while (status == TN_OK && tn_live_next(r->live->view, &command)) {
        bool hand = command.action == TN_LIVE_PULL || command.action == TN_LIVE_RELEASE;
        *any = *any || !hand;
        if (!hand) {
            r->live->message[0] = '\0';
        }
        status = obey(r, &command, error);
    }
    return status;
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

// Nobody looks any more: on as if nobody had.
static void leave_alone(cli_run_parts *r)
{
    cli_live *live = r->live;
    tn_live_command forgotten;
    while (tn_live_next(live->view, &forgotten)) {
    }
    release(r);
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

tn_status cli_live_turn(cli_run_parts *r, const tn_step_report *report, tn_error *error)
{
    cli_live *live = r->live;
    if (tn_live_viewers(live->view) == 0 && !live->attended) {
        return TN_OK;
    }
    live->attended = true;
    if (r->done > live->chosen_at) {
        live->good = live->tried;
    }
    double last_seen = tn_timer_now();
    for (;;) {
        bool any = false;
        tn_status status = obey_all(r, &any, error);
        status = status == TN_OK ? tn_live_show(live->view, r->state, r->done > 0 ? report : NULL, error) : status;
        if (status != TN_OK || cli_interrupted()) {
            return status;
        }
        if (any || live->said_state != state_of(r) || strcmp(live->message, live->said) != 0) {
            say(r, state_of(r));
            memcpy(live->said, live->message, sizeof live->said);
        }
        double now = tn_timer_now();
        bool waits = r->done >= r->n_steps || live->paused;
        last_seen = tn_live_viewers(live->view) > 0 ? now : last_seen;
        if (tn_live_viewers(live->view) == 0 && (!waits || now - last_seen > patience_seconds)) {
            leave_alone(r);
            return TN_OK;
        }
        if ((live->paused || !is_early(r)) && may_step(r)) {
            return TN_OK;
        }
        usleep(NAP_US);
    }
}

bool cli_live_forgives(cli_run_parts *r, const tn_error *error)
{
    cli_live *live = r->live;
    bool chosen = live && (strcmp(live->tried.solver, live->good.solver) != 0 || live->tried.law != live->good.law);
    if (!chosen && !(live && live->pulling)) {
        return false;
    }
    snprintf(live->message, sizeof live->message, "taken back: %.140s", error->message);
    if (chosen) {
        choice good = live->good;
        use(r, &good);
        note(live, "solver", good.solver, r->state->step_count);
        note(live, "law", cli_law_name(good.law), r->state->step_count);
    } else {
        release(r);
    }
    return true;
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
    live->scene.law = r->model->settings.law;
    snprintf(live->scene.solver, sizeof live->scene.solver, "%s", r->model->settings.solver);
    live->tried = live->good = live->scene;
    live->initial = tn_state_create(r->model, error);
    if (!live->initial || tn_state_copy(live->initial, r->state, error) != TN_OK) {
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
        tn_free(live);
    }
}
