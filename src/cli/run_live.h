// A live run behind its files: run_live.c (between two steps) and run_obey.c (what viewers ask).
#pragma once

#include "cli/run.h"
#include "tenon/grab.h"
#include "tenon/view.h"

enum { CLI_NOTE_SIZE = 400 };

// Solver and law: what a viewer may choose.
typedef struct cli_choice {
    char solver[TN_LIVE_NAME], law[TN_LIVE_NAME];
} cli_choice;

struct cli_live {
    tn_live *view;
    tn_state *initial;
    cli_choice scene, tried; // the scene's; the one in use
    cli_choice before, good; // what `tried` was before its newest change; the last one that took a step
    bool fresh;              // `tried` is not yet the simulation's: the next step begins with it
    long chosen_at;          // steps done when `tried` was chosen
    bool attended, seen;     // somebody looked last time; at any time
    double last_seen;        // wall clock [s]
    bool paused, pulling, full;
    double stood;     // since the run began, paused or at its end [s]
    double ended_at;  // wall clock [s]; 0: not at its end
    long steps_asked; // while paused
    tn_grab grab;
    tn_input input;                 // what the hand does in the next step
    double *wrench, *node_force;    // its arrays: (bodies, 6), (nodes, 3)
    long n_pulls, first_pull;       // since the start; step of the first
    double pace;                    // simulated seconds a second; 0: no bound
    double pace_wall, pace_time;    // where it counts from [s]
    char interfered[CLI_NOTE_SIZE]; // what was changed, in order
    char all[CLI_NOTE_SIZE + 80];   // with the pulls
    char message[160], said[160];   // for people
    tn_live_state said_state;
    long said_step;
};

// Do what viewers asked; *any: something besides pulls.
tn_status cli_live_obey(cli_run_parts *r, bool *any, tn_error *error);
// Use a solver and a law from the next step on; live->before is the caller's.
void cli_live_use(cli_run_parts *r, const cli_choice *wanted);
bool cli_live_same(const cli_choice *a, const cli_choice *b);
// Remember what was changed, and from which step on.
void cli_live_note(cli_live *live, const char *what, const char *which, long step);
void cli_live_release(cli_run_parts *r); // the hand lets go
