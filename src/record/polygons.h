// Surface meshes of shapes, for viewers: points in the shape's frame and polygons.
#pragma once

#include "record/recording.h"

// Caller's memory, sizes by tn_polygons_size. offset[k] is the end of polygon k in index (VTK's way).
typedef struct tn_polygons {
    int n_points, n_polygons, n_indices;
    double *points; // (n_points, 3)
    int *index;     // (n_indices) points of the polygons, counterclockwise from outside
    int *offset;    // (n_polygons)
} tn_polygons;

// Only the three counts. n_points and so on of TN_SHAPE_POINTS: one small octahedron a point.
void tn_polygons_size(const tn_recorded_shape *recorded, tn_polygons *out);
// Fill points, index and offset. extent: half the edge of the square that stands for a plane; half the size of the
// mark that stands for a contact point without radius [m].
void tn_polygons_fill(const tn_recorded_shape *recorded, double extent, double mark, tn_polygons *out);
