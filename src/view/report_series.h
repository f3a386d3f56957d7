// The quantities of a recording that have one number a frame, for reports.
#pragma once

#include "record/recording.h"

enum { TN_REPORT_NAME_SIZE = 96 };

typedef enum tn_report_source {
    TN_REPORT_COLUMN,   // number `place` of the rows of a column
    TN_REPORT_CONTACTS, // how many contacts a frame has
    TN_REPORT_TOTAL,    // kinetic + gravity + elastic energy
} tn_report_source;

typedef struct tn_report_series {
    char name[TN_REPORT_NAME_SIZE]; // a column's path, "contacts", "energy/total", "momentum/x", "strain energy/NAME"
    const char *unit, *about;
    tn_report_source source;
    const char *column;
    int width, place;
    bool of_steps; // frame 0, before the first step, has none
} tn_report_series;

// Quantity k of the recording; false: there are no more than k.
bool tn_report_series_at(const tn_recording *recording, int k, tn_report_series *out);
// Its value in each frame into out (n_frames); NaN where a frame has none.
tn_status tn_report_series_read(const tn_recording *recording, const tn_report_series *series, double *out,
                                tn_error *error);
