// Overrides from the command line, and a scene's of its robots: "path=value" into the tree.
#pragma once

#include "scene/read.h"

// root with the value at the dotted path replaced or added, or taken away by null. text: "solver.max_iterations=50";
// the value is YAML. start: the place of text, for errors. NULL with the error set.
tn_node *tn_override_apply(tn_reader *reader, tn_node *root, const char *text, tn_place start);
