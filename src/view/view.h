// A recording as a browser gets it: a header in JSON and tables of plain numbers, whole or by rows.
//
// The header names the tables. Tables that do not change with time are read once; of the others a row is a frame
// (every `every`-th of the recording, and always the last), but for `contacts` and `patches`, a row a contact.
//
// | table | type | a row |
// | --- | --- | --- |
// | vertices, triangles | float, uint32 | of all geometries (view/geometry.h), 3 |
// | faces | uint32 | corners of a soft surface's triangle, 3 |
// | time | float64 | time of the frame [s] |
// | poses | float | position [m] and quaternion w x y z of each rigid body, 7 times rigid bodies with the world |
// | nodes | float | of soft bodies [m], 3 times nodes |
// | stress | float | von Mises at each node [Pa], the mean of its elements by volume |
// | ahead | float | poses of rigid bodies at four times of a controller's plan (plan/poses); width 0: no plans |
// | joint_forces | float | of each of the header's joints on its body b, world axes [N], 3 |
// | series | float | each one-number column, in the order of the header's `series` |
// | contact_offset | uint32 | frames + 1: first contact of the frame |
// | contacts | float | body a, body b, point [m], normal, force on b [N], slip speed [m/s]: 12 |
// | patches | float | two edges of the foundation's element that the contact stands for [m]; zero: none: 6. No rows
// where | | | | the recording has no foundation |
#pragma once

#include "base/json.h"
#include "record/recording.h"

#include <stddef.h>

typedef enum tn_view_table {
    TN_VIEW_VERTICES,
    TN_VIEW_TRIANGLES,
    TN_VIEW_FACES,
    TN_VIEW_TIME,
    TN_VIEW_POSES,
    TN_VIEW_NODES,
    TN_VIEW_STRESS,
    TN_VIEW_JOINT_FORCES,
    TN_VIEW_SERIES,
    TN_VIEW_CONTACT_OFFSET,
    TN_VIEW_CONTACTS,
    TN_VIEW_PATCHES,
    TN_VIEW_AHEAD,
    TN_VIEW_TABLES
} tn_view_table;

typedef enum tn_view_type { TN_VIEW_FLOAT32, TN_VIEW_FLOAT64, TN_VIEW_UINT32 } tn_view_type;

typedef struct tn_view_info {
    const char *name;
    tn_view_type type;
    long width, rows;
    bool by_frame;
} tn_view_info;

typedef struct tn_view tn_view;

// The recording must outlive the view.
tn_view *tn_view_open(const tn_recording *recording, long every, tn_error *error);
void tn_view_close(tn_view *view);

tn_view_info tn_view_table_info(const tn_view *view, tn_view_table table);
// Rows [first, first + n) into out, n times width numbers of the table's type.
tn_status tn_view_rows(tn_view *view, tn_view_table table, long first, long n, void *out, tn_error *error);

// One body over time: rows of time [s], position x y z [m], size of the sum of its contact forces [N], sum of their
// normal parts [N], sum of the sizes of their friction parts [N], number of contacts. A frame a row, of long recordings
// every so many-th so that there are at most TN_VIEW_BODY_ROWS_MAX.
enum { TN_VIEW_BODY_WIDTH = 8, TN_VIEW_BODY_ROWS_MAX = 2000 };
long tn_view_body_rows(const tn_view *view);
tn_status tn_view_body(tn_view *view, int body, double *out, tn_error *error);

// The header, allocated (tn_free); NULL on failure. more, if not NULL, adds members at its end.
char *tn_view_header(const tn_view *view, void (*more)(tn_json *json, const void *context), const void *context,
                     tn_error *error);

// One file that plays anywhere: the page (HTML) with the whole view in place of its line TN_VIEW_MARKER, numbers
// quantised to 16 bits (view/pack.h), deflated, in base64. size [bytes] of the file; may be NULL.
#define TN_VIEW_MARKER "<!-- tenon: recording -->"
tn_status tn_view_write_html(tn_view *view, const char *page, const char *path, size_t *size, tn_error *error);

// The same scene as a binary glTF 2.0 file: surfaces, and one animation of all bodies; soft bodies by one morph target
// a frame. Rotated so that z points up there too (glTF's up is y). error must not be NULL.
tn_status tn_view_write_gltf(tn_view *view, const char *path, size_t *size, tn_error *error);
