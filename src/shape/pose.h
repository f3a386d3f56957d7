// Rigid poses (tn_pose): x_outer = position + R(quaternion) x_inner.
#pragma once

#include "shape/shape.h"

void tn_pose_set_identity(tn_pose *out);
void tn_pose_join(tn_pose *out, const tn_pose *outer, const tn_pose *inner); // outer after inner; out may alias either
void tn_pose_undo(tn_pose *out, const tn_pose *pose);                        // the inverse; out may alias
void tn_pose_point(double out[3], const tn_pose *pose, const double x[3]);   // inner point to outer; out may alias x
