// Scene files on disk: reading them, and following their includes.
#pragma once

#include "scene/read.h"

// The tree of text (name stands for the file), with all its includes and robots merged in and 'include' and 'robots'
// gone. *n_files gets the number of other files, or of what is no YAML. Paths are relative to the including file. NULL
// with the error set.
tn_node *tn_scene_tree(tn_reader *reader, const char *text, size_t length, const char *name, int *n_files);

// root with what 'robots' lists merged in; root itself if there are none. NULL with the error set.
tn_node *tn_scene_robots(tn_reader *reader, tn_node *root);

// A regular file's content in the reader's scratch, NUL added; NULL with the error set (TN_IO without a place if place
// is NULL, else at that place).
char *tn_scene_file(tn_reader *reader, const char *path, const tn_place *place, size_t *length);

// Two scenes in one, as an include does: names must be new, lists are joined, of other keys strong's count. NULL with
// the error set.
tn_node *tn_scene_merge(tn_reader *reader, tn_node *strong, tn_node *weak);
