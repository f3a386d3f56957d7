// Meshes and height fields of MJCF as geoms have them.
#pragma once

#include "scene/robot/mjcf.h"

// By their number among the file's; false with the error set.
bool tn_mjcf_mesh(tn_mjcf *m, const tn_xml *geom, int number, tn_robot_geom *out);
bool tn_mjcf_field(tn_mjcf *m, int number, tn_robot_geom *out);
