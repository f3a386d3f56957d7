// Frames of a recording as rows of its columns, in memory until they are written.
#pragma once

#include "base/arena.h"
#include "record/recorder.h"
#include "sim/sim.h"
#include "tenon/sensor.h"

// A column's rows that wait.
typedef struct tn_waiting {
    char *data;
    size_t n_rows, row_bytes, capacity; // capacity in rows; row_bytes 0: not in the file
} tn_waiting;

typedef struct tn_frame_rows {
    const tn_model *model;
    bool rounded; // to what a recording of single precision holds
    tn_waiting columns[TN_COLUMN_COUNT];
    tn_sensors *sensors;          // NULL: there are none
    tn_arena *scratch;            // of one frame
    int64_t n_contacts;           // of all frames so far, written ones too
    double plan[TN_PLAN_FIGURES]; // figures of the last plan, for scenes with a controller
    float *ahead;                 // (TN_PLAN_POSES, n_bodies, 7) of it; NULL: no controller
} tn_frame_rows;

bool tn_frame_rows_create(const tn_model *model, tn_frame_rows *rows); // false: no memory; free in any case
void tn_frame_rows_free(tn_frame_rows *rows);
// One frame: the state after a step (report NULL: not after one). On failure nothing is added.
tn_status tn_frame_rows_add(tn_frame_rows *rows, const tn_sim *sim, const tn_state *state, const tn_step_report *report,
                            tn_error *error);
// What the frames from now on say of the controller.
void tn_frame_rows_plan(tn_frame_rows *rows, const tn_plan *plan, const tn_lcs_row *of);
// Poses ahead (TN_PLAN_POSES, n_bodies, 7); NULL: none.
void tn_frame_rows_ahead(tn_frame_rows *rows, const double *poses);
size_t tn_frame_rows_bytes(const tn_frame_rows *rows); // that wait
void tn_frame_rows_clear(tn_frame_rows *rows);         // they are written
