// Colours as scenes say them.
#pragma once

#include "scene/node.h"

// A list of three numbers from 0 to 1, "#rrggbb", or a name of the list; false: none of them.
bool tn_color_read(const tn_node *node, double rgb[3]);
extern const char *const tn_color_names[]; // ends with NULL
