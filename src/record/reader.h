// What the reader's files share.
#pragma once

#include "record/h5.h"
#include "record/recording.h"

// The group `shapes`, checked. false: broken.
bool tn_recording_read_shapes(tn_recording *r);
// How bodies look, and the group `views`, checked. Nothing where the file has none. false: broken.
bool tn_recording_read_look(tn_recording *r);
// (n, 3), NaN where the file says nothing; NULL: no memory.
float *tn_recording_read_colors(const tn_recording *r, const char *path, size_t n);
// The group `joints`, checked. Nothing where the file has none. false: broken.
bool tn_recording_read_joints(tn_recording *r);
// The group `sensors`, likewise.
bool tn_recording_read_sensors(tn_recording *r);
// The group `soft`, checked: whatever it refers to is there. Nothing where the file has none. false: broken.
bool tn_recording_read_softs(tn_recording *r);
// r->run; what the file does not say stays unknown.
void tn_recording_read_run(tn_recording *r);
