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

// Access properties of a file in single-writer mode; to be closed. Negative on failure.
hid_t tn_recording_access(void);
// A new file at path with all but the frames. Replaces a recording, refuses to replace anything else.
tn_status tn_recording_create_file(const char *path, const tn_model *model, tn_error *error);

// Everything that does not change in time: attributes, scene, bodies, shapes, and the empty columns.
bool tn_layout_write(hid_t file, const tn_model *model);
// The group `shapes`.
bool tn_layout_write_shapes(hid_t file, const tn_model *model);
// n texts as one dataset of fixed-length strings.
bool tn_layout_write_texts(hid_t file, const char *path, int n, const char *const *texts);
// Three numbers of a file; -1 where nothing is said. How bodies look. The group `views`; nothing without views.
void tn_layout_color(const tn_color *color, float out[3]);
bool tn_layout_write_colors(hid_t file, const tn_model *model);
bool tn_layout_write_views(hid_t file, const tn_model *model);
// The group `joints`; nothing without joints.
bool tn_layout_write_joints(hid_t file, const tn_model *model);
// The group `sensors`; nothing without sensors.
bool tn_layout_write_sensors(hid_t file, const tn_model *model);
// The group `soft`; nothing without soft bodies.
bool tn_layout_write_softs(hid_t file, const tn_model *model);
tn_column_items tn_column_items_of(const tn_model *model);
hid_t tn_column_hdf5_type(tn_column_type type); // in memory and in the file: this machine's own
