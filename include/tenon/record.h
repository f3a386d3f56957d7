// Recordings: HDF5 trajectories (docs/recording.md), and what is made from them.
#pragma once

#include "tenon/sim.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

typedef struct tn_recorder tn_recorder;

// Start a recording at path (overwritten); the scene's text, version and seed go in first. NULL on failure.
tn_recorder *tn_recorder_create(const char *path, const tn_model *model, tn_error *error);
// Append the state after a step (report NULL: the initial state). Flushes after a second of wall time or 100
// frames (but at most ten times a second), so that a crash loses little and leaves a valid file.
tn_status tn_recorder_append(tn_recorder *recorder, const tn_sim *sim, const tn_state *state,
                             const tn_step_report *report, tn_error *error);
// Write the frames that wait; a file that is locked just now is left for the next flush.
tn_status tn_recorder_flush(tn_recorder *recorder, tn_error *error);
tn_status tn_recorder_close(tn_recorder *recorder, tn_error *error); // frees it in any case

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
