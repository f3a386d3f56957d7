// What the reader's files share.
#pragma once

#include "record/h5.h"
#include "record/recording.h"

// The group `shapes`, checked. false: broken.
bool tn_recording_read_shapes(tn_recording *r);
void tn_recording_free_shapes(tn_recording *r);
// The group `joints`, checked. Nothing where the file has none. false: broken.
bool tn_recording_read_joints(tn_recording *r);
void tn_recording_free_joints(tn_recording *r);
// The group `sensors`, likewise.
bool tn_recording_read_sensors(tn_recording *r);
void tn_recording_free_sensors(tn_recording *r);
// The group `soft`, checked: whatever it refers to is there. Nothing where the file has none. false: broken.
bool tn_recording_read_softs(tn_recording *r);
void tn_recording_free_softs(tn_recording *r);
// r->run; what the file does not say stays unknown.
void tn_recording_read_run(tn_recording *r);
void tn_recording_free_run(tn_recording *r);
