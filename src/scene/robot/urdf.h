// What the files of the URDF reader share.
#pragma once

#include "scene/robot/mechanism.h"

bool tn_urdf_origin(tn_reader *reader, const tn_xml *element, tn_pose *pose); // <origin> in it; none: identity
// One number of an attribute; absent (or no element): untouched, or an error where it is needed.
bool tn_urdf_number(tn_reader *reader, const tn_xml *element, const char *attribute, bool needed, double *value);
bool tn_urdf_inertial(tn_robot *robot, const tn_xml *element, tn_robot_link *link);
// Shapes to touch with, and those to be shown in their place; root: where materials have their colours.
bool tn_urdf_geoms(tn_robot *robot, const tn_xml *root, const tn_xml *element, int link);

// A mesh's file as the scene can say it, relative to the URDF file: in the robot's meshdir, if it is there;
// package://NAME/... is looked for in the folders above the file that hold a folder NAME or are called so. NULL with
// the error set.
const char *tn_urdf_path(const tn_robot *robot, tn_place place, const char *name);
