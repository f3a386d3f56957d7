// Of a builder: its tree, for load.c.
#pragma once

#include "scene/build.h"

// A copy in the memory of the scene that is being built. NULL: no memory, the error is set.
tn_node *tn_builder_tree(const tn_builder *builder, tn_build *build);
