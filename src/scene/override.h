// Overrides from the command line: "path=value" into the tree.
#pragma once

#include "scene/read.h"

// root with the value at the dotted path replaced or added. text: "solver.max_iterations=50"; the value is YAML.
// number: of the override, from 1: the line in errors, whose file is "--set". NULL with the error set.
tn_node *tn_override_apply(tn_reader *reader, tn_node *root, const char *text, int number);
