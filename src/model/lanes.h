// What can press in a controller's plan, by number: pairs of shapes, then limits of the section's coordinates.
#pragma once

#include "model/model.h"

enum { TN_LANES_MAX = 53 }; // bits of a double, as recordings keep them
typedef char tn_lane_name[160];

// Whether two shapes may touch at all.
bool tn_model_may_touch(const tn_model *model, int shape_a, int shape_b);
// -1: beyond the last bit, or there is no such pair.
int tn_model_pair_lane(const tn_model *model, int shape_a, int shape_b);
int tn_model_limit_lane(const tn_model *model, int coordinate); // of the section's
// Names of the first TN_LANES_MAX: "left - box", of a body with several shapes "frame.2 - box" (counted from 1),
// "rail:slide limit". Returns how many there are.
int tn_model_lane_names(const tn_model *model, tn_lane_name out[TN_LANES_MAX]);
