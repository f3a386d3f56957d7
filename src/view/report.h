// Reports: one HTML page that compares recordings in figures, tables and plots over time, and needs no network.
//
// The page (viewer/report.html) holds one JSON object in an element <script id="tenon-report">:
//
//     {"format": "tenon report", "version": 1, "recordings": [RECORDING...]}
//
// A RECORDING has what the file's attributes say, counts of bodies and shapes, `time` and `series`. Each series has
// `name`, `unit`, `about`, `statistics` over all steps (docs/cli.md), and `values`: one for each entry of `time`. A
// long recording's are thinned: its least and greatest of `bucket` frames stand for these.
#pragma once

#include "record/recording.h"

#include <stddef.h>
#include <stdio.h>

#define TN_REPORT_MARKER "<!-- tenon: report -->"

// size [bytes] of the file; may be NULL. A recording that cannot be read leaves no file.
tn_status tn_report_write(int n, const tn_recording *const *recordings, const char *path, size_t *size,
                          tn_error *error);

// The same page with tables in place of recordings: tables is a JSON object {"format": "tenon tables", ...}.
tn_status tn_report_write_tables(const char *tables, const char *path, size_t *size, tn_error *error);
