// Small things of the URDF reader.
#pragma once

#include "scene/read.h"

// A mesh's file as the scene can say it, relative to the URDF file: package://NAME/... is looked for in the folders
// above it that hold a folder NAME or are called so. NULL with the error set.
const char *tn_urdf_path(tn_reader *reader, tn_place place, const char *name);
// Two texts in one, in scratch. NULL with the error set.
const char *tn_urdf_join(tn_reader *reader, const char *a, const char *b);
