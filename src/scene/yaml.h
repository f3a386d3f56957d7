// YAML (and with it JSON) text to a tree; libfyaml behind it.
#pragma once

#include "scene/node.h"

// The one document in text (length bytes) as a tree in arena; file names it in errors and must outlive the tree.
// Strict: duplicate keys, keys that are not scalars, tags, merge keys, a second document, and files beyond the caps of
// node.h are errors. NULL on failure.
tn_node *tn_yaml_parse(const char *text, size_t length, const char *file, tn_arena *arena, tn_error *error);

// Tree to text that tn_yaml_parse reads back as an equal tree, in arena. NULL: no memory.
char *tn_yaml_write(const tn_node *node, tn_arena *arena);
