// A running simulation, shown to pages while it runs: the header and the tables that do not change as of a recording
// (view/server.h), frames over WebSocket (/api/live, subprotocol `tenon-live`).
//
// The thread that simulates hands over its newest frame when somebody is ready for one, at most thirty times a second;
// a thread of the server sends it. Who comes gets every frame until he asks for a first one by the command `next`; from
// then on he gets one for each time he asks. A slow reader gets fewer frames; nothing ever waits for him.
//
// A frame is one binary message, little endian:
//
//     float64 time [s], steps; uint32 contacts, 0
//     float   poses, nodes, stress, joint_forces, series, contacts, patches    rows of the view's tables (view/view.h)
//
// Messages to the page in text are JSON: {"state": "running" | "paused" | "ended", "solver", "law", "pace", "time",
// "message"}, and to a message that is no command {"error": why}. Those from the page: view/command.h.
#pragma once

#include "sim/sim.h"
#include "view/command.h"

typedef struct tn_live tn_live;

typedef enum tn_live_state { TN_LIVE_RUNNING, TN_LIVE_PAUSED, TN_LIVE_ENDED } tn_live_state;

typedef struct tn_live_news {
    tn_live_state state;
    const char *solver, *law;
    double pace;
    double time;         // of the state when this was said [s]; the frame of it may come later
    const char *message; // for people; "": none
} tn_live_news;

// Listens on 127.0.0.1; port 0: a free one. model and sim must outlive it. NULL on failure.
tn_live *tn_live_start(const tn_model *model, const tn_sim *sim, const tn_state *state, int port, tn_error *error);
void tn_live_stop(tn_live *live); // NULL is fine
int tn_live_port(const tn_live *live);

// All of these are for the thread that simulates.
int tn_live_viewers(tn_live *live); // how many look: one atomic load
// Hand over the state after a step (report NULL: not after one), unless it was or a frame is not due yet.
tn_status tn_live_show(tn_live *live, const tn_state *state, const tn_step_report *report, tn_error *error);
void tn_live_say(tn_live *live, const tn_live_news *news); // to everybody, now and when he comes
bool tn_live_next(tn_live *live, tn_live_command *out);    // a command that waits; false: none
