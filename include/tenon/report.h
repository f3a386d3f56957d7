// Reports: one HTML page of figures, tables and plots that needs no network (`tenon report`, `tenon sweep`).
//
// The page (viewer/report.html) holds one JSON object in its element `tenon-report`. Of recordings:
//
//     {"format": "tenon report", "version": 1, "recordings": [RECORDING...]}
//
// A RECORDING has what the file's attributes say, counts of bodies and shapes, `pictures`, `time` and `series`.
// Pictures, [{"time", "image": a data: address of a PNG}...], show the first frame, one in the middle and the last; the
// library draws them itself, and there are none where no body has a shape to be seen. Each series has
// `name`, `unit`, `about`, `statistics` over all steps (docs/cli.md), and `values`: one for each entry of `time`. A
// long recording's are thinned: its least and greatest of `bucket` frames stand for these. Of anything else:
//
//     {"format": "tenon tables", "version": 1, "title", "tenon" (a version), "machine", "tables": [TABLE...],
//      "charts": [CHART...]}
//
// A TABLE has `title`, `heads`, `rows` [{"cells": [text...], "number": [bool...]}...] and `notes` [text...]; a CHART
// `title`, `about`, `x` and `y` (names of its axes), `log` (the axis upwards), `line` (else points) and `curves`
// [{"label", "x": [number...] ascending, "y": [number or null...]}...]; charts may be missing.
#pragma once

#include "tenon/record.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

// Of n recordings side by side, at least 1. A page that is there is replaced, any other file is not (TN_IO). size
// [bytes] of the file; may be NULL. A recording that cannot be read leaves no file.
tn_status tn_report_write(int n, const tn_recording *const *recordings, const char *path, size_t *size,
                          tn_error *error);
// The same page with `tables`, the JSON object of tables and charts, which goes into it as it is.
tn_status tn_report_write_tables(const char *tables, const char *path, size_t *size, tn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
