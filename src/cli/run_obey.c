// What viewers of a live run ask, on the thread that simulates.
#include "base/timer.h"
#include "cli/options.h"
#include "cli/run_live.h"
#include "tenon/stored.h"

#include <stdio.h>
#include <string.h>

void cli_live_note(cli_live *live, const char *what, const char *which, long step)
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

bool cli_live_same(const cli_choice *a, const cli_choice *b)
{
    return strcmp(a->solver, b->solver) == 0 && strcmp(a->law, b->law) == 0;
}

void cli_live_use(cli_run_parts *r, const cli_choice *wanted)
{
    if (strcmp(r->live->tried.law, wanted->law) != 0) {
        tn_state_wake(r->state, -1, NULL); // without memory they sleep on
    }
    r->live->tried = *wanted;
    r->live->fresh = true;
    r->live->chosen_at = r->done;
}

static void choose(cli_run_parts *r, const char *what, const cli_choice *wanted, const char *name)
{
    cli_live *live = r->live;
    if (!cli_live_same(wanted, &live->tried)) {
        live->before = live->tried;
        cli_live_use(r, wanted);
        cli_live_note(live, what, name, tn_state_step_count(r->state));
    }
}

// what: "solver" or "law", of these names; place: its own in `wanted`.
static void choose_named(cli_run_parts *r, const char *what, const char *name, const char *(*names)(int),
                         cli_choice *wanted, char place[TN_LIVE_NAME])
{
    if (cli_index_of(name, names) >= 0) {
        snprintf(place, TN_LIVE_NAME, "%s", name);
        choose(r, what, wanted, name);
    } else {
        snprintf(r->live->message, sizeof r->live->message, "there is no %s '%s'", what, name);
    }
}

tn_status cli_live_apply(cli_run_parts *r, tn_error *error)
{
    cli_live *live = r->live;
    if (!live || !live->fresh) {
        return TN_OK;
    }
    char solver[64], law[64];
    const char *set[] = {solver, law};
    snprintf(solver, sizeof solver, "solver.name=%s", live->tried.solver);
    snprintf(law, sizeof law, "law=%s", live->tried.law);
    live->fresh = false;
    return tn_sim_set(r->sim, 2, set, error);
}

void cli_live_release(cli_run_parts *r)
{
    r->live->pulling = false;
}

const tn_input *cli_live_input(cli_run_parts *r)
{
    cli_live *live = r->live;
    if (!live || !live->pulling) {
        return NULL;
    }
    memset(live->wrench, 0, 6 * (size_t)tn_model_body_count(r->model) * sizeof *live->wrench);
    memset(live->node_force, 0, 3 * (size_t)tn_model_node_total(r->model) * sizeof *live->node_force);
    tn_grab_pull(&live->grab, r->state, live->wrench, live->node_force);
    live->input = (tn_input){.wrench = live->wrench, .node_force = live->node_force};
    return &live->input;
}

static void pull(cli_run_parts *r, const tn_live_command *command)
{
    cli_live *live = r->live;
    if (!live->pulling || live->grab.body != command->body) {
        if (!tn_grab_start(r->state, command->body, command->point, &live->grab)) {
            cli_live_release(r);
            snprintf(live->message, sizeof live->message, "this body does not move freely");
            return;
        }
        live->pulling = true;
        live->message[0] = '\0';
        live->first_pull = live->n_pulls++ == 0 ? tn_state_step_count(r->state) + 1 : live->first_pull;
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
    cli_live_release(r);
    live->interfered[0] = '\0';
    live->full = false;
    live->n_pulls = 0;
    tn_status status = tn_state_copy(r->state, live->initial, error);
    r->done = live->chosen_at = 0;
    if (strcmp(live->tried.solver, live->scene.solver) != 0) {
        cli_live_note(live, "solver", live->tried.solver, tn_state_step_count(r->state));
    }
    if (strcmp(live->tried.law, live->scene.law) != 0) {
        cli_live_note(live, "law", live->tried.law, tn_state_step_count(r->state));
    }
    status = status == TN_OK ? cli_run_begin(r, error) : status;
    live->stood = live->ended_at = 0.0;
    count_pace(r);
    r->begun = live->pace_wall;
    return status;
}

static tn_status obey(cli_run_parts *r, const tn_live_command *command, tn_error *error)
{
    cli_live *live = r->live;
    cli_choice wanted = live->tried;
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
        choose_named(r, "solver", command->name, tn_solver_name, &wanted, wanted.solver);
        break;
    case TN_LIVE_LAW:
        choose_named(r, "law", command->name, tn_law_name, &wanted, wanted.law);
        break;
    case TN_LIVE_PACE:
        live->pace = command->value;
        count_pace(r);
        break;
    case TN_LIVE_PULL:
        pull(r, command);
        break;
    default:
        cli_live_release(r);
        break;
    }
    return TN_OK;
}

tn_status cli_live_obey(cli_run_parts *r, bool *any, tn_error *error)
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
