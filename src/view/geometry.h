// Triangles of a recording's shapes as a graphics card takes them. Equal shapes share one geometry: a heap of a
// thousand equal balls is one mesh drawn a thousand times.
#pragma once

#include "base/arena.h"
#include "record/recording.h"

typedef struct tn_view_geometry {
    const tn_recorded_shape *recorded; // one of those that share it
    int first_vertex, n_vertices;
    int first_triangle, n_triangles; // their corners count from first_vertex
} tn_view_geometry;

typedef struct tn_view_geometries {
    int n;
    tn_view_geometry *geometry; // (n)
    int *of_shape;              // (recording->n_shapes)
    int n_vertices, n_triangles;
    float *vertices;     // (n_vertices, 3) in the shape's frame [m]
    uint32_t *triangles; // (n_triangles, 3) counterclockwise from outside
} tn_view_geometries;

// extent [m]: half the edge of the square that stands for a plane.
tn_status tn_view_geometries_create(const tn_recording *recording, double extent, tn_arena *arena,
                                    tn_view_geometries *out, tn_error *error);
