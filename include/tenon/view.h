// Recordings and running simulations in a browser of this machine: servers that give out the viewer's page, on
// 127.0.0.1 only and to that page only. A thread of the server answers; nothing of it touches the caller's simulation.
#pragma once

#include "tenon/record.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

// A recording's viewer.
typedef struct tn_viewer tn_viewer;

// Of every `every`-th frame, at least 1, and the last. port 0: a free one. recording must outlive it. NULL on failure:
// the port is taken, or the recording is broken.
tn_viewer *tn_viewer_start(const tn_recording *recording, long every, int port, tn_error *error);
void tn_viewer_stop(tn_viewer *viewer);      // NULL is fine
int tn_viewer_port(const tn_viewer *viewer); // of http://127.0.0.1:PORT/

// A running simulation's. The thread that simulates hands over states with tn_live_show, tells pages what it does with
// tn_live_say and obeys what they ask, which waits in tn_live_next; a page that is slow gets fewer frames, and nothing
// ever waits for it. All functions are for that thread.
typedef struct tn_live tn_live;

// port 0: a free one. model and sim must outlive it; the state is that to begin with. NULL on failure.
tn_live *tn_live_start(const tn_model *model, const tn_sim *sim, const tn_state *state, int port, tn_error *error);
void tn_live_stop(tn_live *live); // NULL is fine
int tn_live_port(const tn_live *live);
int tn_live_viewers(const tn_live *live); // pages that look: one atomic load
// The state after a step (report NULL: not after one), if somebody is ready for a frame: at most thirty a second.
tn_status tn_live_show(tn_live *live, const tn_state *state, const tn_step_report *report, tn_error *error);

typedef enum tn_live_state { TN_LIVE_RUNNING, TN_LIVE_PAUSED, TN_LIVE_ENDED } tn_live_state;
typedef struct tn_live_news {
    tn_live_state state;
    const char *solver, *law; // in use; NULL: not said
    double pace;              // simulated seconds a second at most; 0: no bound
    double time;              // of the state when this was said [s]; the frame of it may come later
    const char *message;      // for people; NULL or "": none
} tn_live_news;
void tn_live_say(tn_live *live, const tn_live_news *news); // to every page, now and when it comes

// What a page asks for. All but PULL and RELEASE are buttons of it.
typedef enum tn_live_action {
    TN_LIVE_PAUSE,
    TN_LIVE_RESUME,
    TN_LIVE_STEP,    // one step, then pause
    TN_LIVE_RESET,   // to the start
    TN_LIVE_RELEASE, // the hand lets go
    TN_LIVE_SOLVER,  // name
    TN_LIVE_LAW,     // name
    TN_LIVE_PACE,    // value: simulated seconds a second at most; 0: as fast as it can
    TN_LIVE_PULL,    // a hand pulls the point of the body towards the target (tenon/grab.h)
    TN_LIVE_NEXT,    // the server's own
    TN_LIVE_ACTIONS
} tn_live_action;
enum { TN_LIVE_NAME = 32 };
typedef struct tn_live_command {
    tn_live_action action;
    char name[TN_LIVE_NAME];
    double value;
    int body;
    double point[3], target[3]; // world [m]
} tn_live_command;
bool tn_live_next(tn_live *live, tn_live_command *out); // the command that waits longest; false: none

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
