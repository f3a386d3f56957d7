// What the writer's two files share: the static part of a recording and its columns.
#pragma once

#include "model/model.h"
#include "record/columns.h"
#include "record/h5.h"
#include "tenon/record.h"

#define TN_RECORDING_FORMAT "tenon recording"
// 2: soft bodies. Files of version 1 are those without. 4: colours, visual shapes, views.
enum { TN_RECORDING_FORMAT_VERSION = 4 };
enum { TN_RECORDED_SOFT = 3 }; // in bodies/kind, where rigid bodies have their tn_body_kind

// Access properties of a file in single-writer mode that the caller has locked; to be closed. Negative on failure.
hid_t tn_recording_access(void);
bool tn_recording_is_ours(hid_t file); // by its attribute `format`

// Keeps others from reading and writing the file until the descriptor is closed. Readers that have it open are waited
// for; -1 with errno: it cannot be opened, or (EWOULDBLOCK) somebody keeps it for longer. create: also a missing file.
int tn_recording_lock(const char *path, bool create, double seconds);
enum { TN_RECORDING_PATIENCE = 2 }; // [s], for readers at the beginning and the end of a run
// A new file at path with all but the frames. Replaces a recording, refuses to replace anything else.
tn_status tn_recording_create_file(const char *path, const tn_model *model, tn_error *error);

// Everything that does not change in time: attributes, scene, bodies, shapes, and the empty columns.
bool tn_layout_write(hid_t file, const tn_model *model);

// What its parts share; false: a write failed or there is no memory. The groups are left out where there is nothing to
// put into them.
typedef struct tn_layout {
    hid_t file;
    const tn_model *model;
    tn_arena *arena; // of what is written
} tn_layout;
// A dataset of n rows, `width` numbers each (1: no dimension for them), with its unit and a line about it (or NULL).
bool tn_layout_put(const tn_layout *l, const char *path, hid_t type, size_t n, size_t width, const void *data,
                   const char *unit, const char *about);
// n texts as one dataset of fixed-length strings.
bool tn_layout_put_texts(const tn_layout *l, const char *path, int n, const char *const *texts);
// Three numbers of a file; -1 where nothing is said.
void tn_layout_color(const tn_color *color, float out[3]);
bool tn_layout_put_colors(const tn_layout *l); // of bodies
bool tn_layout_put_views(const tn_layout *l);
bool tn_layout_put_shapes(const tn_layout *l);
bool tn_layout_put_joints(const tn_layout *l);
bool tn_layout_put_sensors(const tn_layout *l);
bool tn_layout_put_softs(const tn_layout *l);

tn_column_items tn_column_items_of(const tn_model *model);
hid_t tn_column_hdf5_type(tn_column_type type); // in memory and in the file: this machine's own
