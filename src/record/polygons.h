// Surface meshes of shapes, for viewers: points in the shape's frame and polygons.
#pragma once

#include "record/recording.h"
#include "shape/draw.h"

// Only the three counts.
void tn_polygons_size(const tn_recorded_shape *recorded, tn_polygons *out);
// Fill points, index and offset. extent: half the edge of the square that stands for a plane; half the size of the
// mark that stands for a contact point without radius [m].
void tn_polygons_fill(const tn_recorded_shape *recorded, double extent, double mark, tn_polygons *out);
