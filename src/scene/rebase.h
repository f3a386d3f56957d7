// Paths of mesh, surface and height files in a tree that came from several files.
#pragma once

#include "scene/node.h"

// Path of a file that a node names: relative to the folder of the scene file that says it; what an override says is
// relative to the folder of the main file, `scene`. NULL: no memory.
const char *tn_scene_path_beside(tn_arena *arena, const tn_node *file, const char *scene);

// The tree with the paths of mesh files of included files made relative to the main file's folder, so that its text
// can stand in the main file's place. The nodes of root stay. NULL: no memory.
const tn_node *tn_scene_rebase(tn_arena *arena, const tn_node *root, const char *scene);
