// MJCF: what the length of a tendon is, without what acts along it.
#pragma once

#include "scene/robot/mjcf.h"

// A sum of terms, of joints that are free of each other or of ways from site to site that change, and what stays.
typedef struct tn_mjcf_path {
    int n;
    tn_robot_term term[TN_GEAR_MOST];
    double offset, at_rest; // at_rest: the whole where springs of joints are at rest
} tn_mjcf_path;

// Of <fixed> and <spatial>; false with the error set. All coordinates are at their zero before and after.
bool tn_mjcf_joint_path(tn_mjcf *m, const tn_xml *tendon, tn_mjcf_path *out);
bool tn_mjcf_site_path(tn_mjcf *m, const tn_xml *tendon, tn_mjcf_path *out);
