// Planar shapes as they are drawn: flat prisms.
#pragma once

#include "record/polygons.h"

int tn_prism_outline_size(const tn_shape *shape); // corners drawn of a planar shape; 0: it is none
// Fill the prism of a planar shape, half a radius thick (mark where it has no width), into empty arrays.
void tn_prism_fill(const tn_shape *shape, double mark, tn_polygons *out);
