// Robots from URDF and MJCF files as the nodes of a scene: bodies, joints, materials, pairs. What the readers say is
// checked by the scene's own tables, with the lines of the XML file.
#pragma once

#include "scene/read.h"

typedef struct tn_robot_options {
    tn_pose pose;         // of the file's world in the scene's
    const char *prefix;   // in front of all names
    const char *keyframe; // MJCF: the start; NULL: the first one
    bool fixed;           // bodies that the file leaves free stay where they are
} tn_robot_options;

tn_robot_options tn_robot_default(void);
bool tn_robot_is_xml(const char *text, size_t length); // whether a file is for this reader rather than YAML's
// text of `file` as the map of a scene, in the reader's scratch. NULL with the error set.
tn_node *tn_robot_tree(tn_reader *reader, const char *text, size_t length, const char *file,
                       const tn_robot_options *options);
