#include "base/json.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/timer.h"
#include "view/live_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double frame_seconds = 1.0 / 30.0;

// ---- start and stop

// A recording of the first frame, in a file without a name: what a page reads of a recording that does not change.
static tn_recording *record_first(const tn_live *live, const tn_state *state, tn_error *error)
{
    char path[] = P_tmpdir "/tenon-live-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) {
        tn_error_set(error, TN_IO, "cannot write %s: %s", path, strerror(errno));
        return NULL;
    }
    close(file);
    tn_recorder *recorder = tn_recorder_create(path, live->model, error);
    tn_status status = recorder ? tn_recorder_append(recorder, live->sim, state, NULL, error) : TN_IO;
    if (recorder) {
        tn_status closed = tn_recorder_close(recorder, status == TN_OK ? error : NULL);
        status = status == TN_OK ? closed : status;
    }
    tn_recording *recording = status == TN_OK ? tn_recording_open(path, error) : NULL;
    unlink(path);
    return recording;
}

static tn_status start(tn_live *live, const tn_state *state, int port, tn_error *error)
{
    bool room = true;
    for (int k = 0; k < 3; k++) {
        room = tn_frame_rows_create(live->model, &live->rows[k]) && room;
    }
    live->back = &live->rows[0];
    live->middle = &live->rows[1];
    live->front = &live->rows[2];
    live->shown_step = -1;
    if (!room) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the live view");
    }
    live->recording = record_first(live, state, error);
    live->view = live->recording ? tn_view_open(live->recording, 1, error) : NULL;
    live->server = live->view ? tn_view_serve(live->view, live, port, error) : NULL;
    return live->server ? TN_OK : TN_IO;
}

tn_live *tn_live_start(const tn_model *model, const tn_sim *sim, const tn_state *state, int port, tn_error *error)
{
    if (!model || !sim || !state || state->model != model || port < 0 || port > 65535) {
        tn_error_set(error, TN_BAD_INPUT,
                     "a live view needs a simulation, a state of its model and a port up to 65535");
        return NULL;
    }
    tn_live *live = tn_calloc(1, sizeof *live);
    if (!live || pthread_mutex_init(&live->lock, NULL) != 0) {
        tn_free(live);
        tn_error_set(error, TN_NO_MEMORY, "no memory for the live view");
        return NULL;
    }
    live->model = model;
    live->sim = sim;
    if (start(live, state, port, error) != TN_OK) {
        tn_live_stop(live);
        return NULL;
    }
    return live;
}

void tn_live_stop(tn_live *live)
{
    if (live) {
        tn_view_server_stop(live->server);
        tn_view_close(live->view);
        tn_recording_close(live->recording);
        for (int k = 0; k < 3; k++) {
            tn_frame_rows_free(&live->rows[k]);
        }
        tn_free(live->message);
        pthread_mutex_destroy(&live->lock);
        tn_free(live);
    }
}

int tn_live_port(const tn_live *live)
{
    return live ? tn_view_server_port(live->server) : 0;
}

// ---- the simulation's thread

int tn_live_viewers(const tn_live *live)
{
    return live ? atomic_load_explicit(&live->viewers, memory_order_relaxed) : 0;
}

// Somebody is ready for a frame, and the last one is not too new.
static bool is_due(const tn_live *live)
{
    return (atomic_load(&live->followers) > 0 || atomic_load(&live->wanted)) &&
           tn_timer_now() - live->shown_at >= frame_seconds;
}

tn_status tn_live_show(tn_live *live, const tn_state *state, const tn_step_report *report, tn_error *error)
{
    if (!live || !state || state->model != live->model) {
        return tn_error_set(error, TN_BAD_INPUT, "a live view shows states of its model");
    }
    bool passed = live->shown_step != state->step_count;
    atomic_store_explicit(&live->passed, passed, memory_order_relaxed);
    bool newcomer = atomic_exchange(&live->newcomer, false);
    if (!passed || !(newcomer || is_due(live))) {
        return TN_OK; // who comes to a run that stands gets the frame there is
    }
    tn_frame_rows_clear(live->back);
    tn_status status = tn_frame_rows_add(live->back, live->sim, state, report, error);
    if (status != TN_OK) {
        return status;
    }
    live->shown_at = tn_timer_now();
    live->shown_step = state->step_count;
    pthread_mutex_lock(&live->lock);
    tn_frame_rows *back = live->back;
    live->back = live->middle;
    live->middle = back;
    live->shown++;
    atomic_store(&live->wanted, false);
    atomic_store(&live->passed, false);
    pthread_mutex_unlock(&live->lock);
    tn_view_server_wake(live->server);
    return TN_OK;
}

void tn_live_say(tn_live *live, const tn_live_news *news)
{
    static const char *const states[] = {"running", "paused", "ended"};
    char *text = NULL;
    size_t size = 0;
    bool known = live && news && (unsigned)news->state < sizeof states / sizeof *states;
    FILE *out = known ? open_memstream(&text, &size) : NULL;
    if (!out) {
        return; // no memory: the next news may find some
    }
    const tn_plain plain = tn_plain_begin();
    tn_json json = {.out = out, .first = true};
    tn_json_open(&json, NULL, '{');
    tn_json_text(&json, "state", states[news->state]);
    tn_json_text(&json, "solver", news->solver);
    tn_json_text(&json, "law", news->law);
    tn_json_number(&json, "pace", news->pace);
    tn_json_number(&json, "time", news->time);
    tn_json_text(&json, "message", news->message ? news->message : "");
    tn_json_close(&json, '}');
    tn_plain_end(plain);
    if (fclose(out) == 0 && text && size < TN_LIVE_TEXT) {
        pthread_mutex_lock(&live->lock);
        memcpy(live->news, text, size + 1);
        live->news_number++;
        pthread_mutex_unlock(&live->lock);
        tn_view_server_wake(live->server);
    }
    free(text);
}

bool tn_live_next(tn_live *live, tn_live_command *out)
{
    if (!live || !out) {
        return false;
    }
    pthread_mutex_lock(&live->lock);
    bool any = live->n_commands > 0;
    if (any) {
        *out = live->commands[live->first_command];
        live->first_command = (live->first_command + 1) % TN_LIVE_COMMANDS;
        live->n_commands--;
    }
    pthread_mutex_unlock(&live->lock);
    return any;
}

// ---- the server's thread

// A hand that goes on pulling replaces where it pulled to.
static bool goes_on(const tn_live_command *last, const tn_live_command *command)
{
    return last->action == TN_LIVE_PULL && command->action == TN_LIVE_PULL && last->body == command->body;
}

const char *tn_live_take_command(tn_live *live, const tn_live_command *command)
{
    const char *why = NULL;
    pthread_mutex_lock(&live->lock);
    int last = (live->first_command + live->n_commands + TN_LIVE_COMMANDS - 1) % TN_LIVE_COMMANDS;
    if (live->n_commands > 0 && goes_on(&live->commands[last], command)) {
        memcpy(live->commands[last].target, command->target, sizeof command->target);
    } else if (live->n_commands < TN_LIVE_COMMANDS) {
        live->commands[(last + 1) % TN_LIVE_COMMANDS] = *command;
        live->n_commands++;
    } else {
        why = "too many commands wait";
    }
    pthread_mutex_unlock(&live->lock);
    return why;
}

unsigned tn_live_want(tn_live *live, unsigned had)
{
    pthread_mutex_lock(&live->lock);
    unsigned after = atomic_load(&live->passed) ? live->shown : had; // an old frame would be shown late
    atomic_store(&live->wanted, true);
    pthread_mutex_unlock(&live->lock);
    return after;
}

void tn_live_forget_commands(tn_live *live)
{
    pthread_mutex_lock(&live->lock);
    live->n_commands = 0;
    pthread_mutex_unlock(&live->lock);
    tn_live_take_command(live, &(tn_live_command){.action = TN_LIVE_RELEASE});
}
