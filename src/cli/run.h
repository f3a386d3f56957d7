// `tenon run`: what its files share.
#pragma once

#include "cli/scene_options.h"
#include "cli/start.h"
#include "tenon/record.h"
#include "tenon/summary.h"

typedef enum cli_outcome {
    RUN_DONE,
    RUN_MISSED,      // to the end, but a demanded tolerance was not reached
    RUN_FAR,         // to the end, but --strict, and steps missed by far what they aim at
    RUN_DIVERGED,    // stopped: the step failed
    RUN_INTERRUPTED, // stopped by Ctrl-C
    RUN_FAILED,      // stopped: file or memory
} cli_outcome;

typedef struct cli_run_options {
    cli_scene_options scene;
    long steps;
    const char *out, *save, *resume;
    double save_every; // [s] of wall time; 0: SAVE_EVERY
    bool json, quiet, strict, no_record, live, no_browser;
    long port;
    double linger; // [s] that a live run stays at its end at most; 0: as long as a page looks
} cli_run_options;

// What a tenth of the last step's natural figure costs beside that step (run_tighter.c).
typedef struct cli_tighter {
    double natural; // what was asked for; NaN: not tried, there was nothing to gain
    double ms;      //
    int iterations;
    bool reached;
} cli_tighter;

typedef struct cli_run_result {
    cli_outcome outcome;
    tn_summary summary;
    cli_tighter tighter;
    tn_overlaps overlaps;       // at the start
    tn_velocity_mismatch start; // likewise, as the scene gives it
    double wall; // [s] from the first step (after a reset: the new first) on, without what a viewer made it stand still
    const char *out;
    const char *interfered; // what a viewer changed; NULL: nothing
    tn_error error;
} cli_run_result;

typedef struct cli_live cli_live;

// A run's objects; destroyed together.
typedef struct cli_run_parts {
    const cli_run_options *options;
    const char *out; // path of the recording
    tn_model *model;
    tn_model_method method;
    tn_state *state;
    tn_sim *sim;
    tn_recorder *recorder;
    tn_summarizer *summarizer;
    cli_live *live;             // NULL: not asked for
    tn_velocity_mismatch start; // as the scene gives it
    long recorded_step;         // number of the last recorded step
    long done, n_steps;         // steps taken, steps to take
    double natural;             // figure of the last step's contacts
    double begun, saved;        // wall clock of the first step, of the last checkpoint [s]
} cli_run_parts;

// Recorder (with the present state as its first frame) and summarizer, from the start.
tn_status cli_run_begin(cli_run_parts *r, tn_error *error);

// Live view (run_live.c). Start says where it is.
tn_status cli_live_start(cli_run_parts *r, tn_error *error);
void cli_live_stop(cli_live *live); // NULL is fine
// Between two steps: show the state, do what viewers ask; comes back when there is a step to take, or the run is over
// and nobody looks, or Ctrl-C. report: of the last step, NULL before the first.
tn_status cli_live_turn(cli_run_parts *r, const tn_step_report *report, tn_error *error);
// A step failed: true when a viewer's choice of solver or law was to blame; it is taken back then.
bool cli_live_forgives(cli_run_parts *r, const tn_error *error);
// Before a step: what a viewer chose last is the simulation's from now on.
tn_status cli_live_apply(cli_run_parts *r, tn_error *error);
// What acts on the next step beside the scene, a viewer's hand; NULL: nothing.
const tn_input *cli_live_input(cli_run_parts *r);
const char *cli_live_interfered(cli_live *live); // NULL: nobody did
// Wall time since the run began that it stood still, paused or at its end [s]; live NULL: 0.
double cli_live_stood(const cli_live *live);

// After the last step: its problem once more.
void cli_run_try_tighter(const cli_run_parts *r, cli_tighter *out);

const char *cli_outcome_name(cli_outcome outcome);

bool cli_run_is_far(const tn_summary *summary); // some step missed by far what it aims at, or energy was gained
void cli_run_print_json(const tn_model *model, const cli_run_result *result);
void cli_run_print_text(const tn_model *model, const cli_run_result *result);
