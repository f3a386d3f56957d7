// Surfaces of shapes as polygons, for viewers and exports.
#pragma once

#include "shape/class.h"

// Caller's memory; without it (NULL) the three numbers are counted alone.
typedef struct tn_polygons {
    int n_points, n_polygons, n_indices;
    double *points; // (n_points, 3)
    int *index;     // (n_indices) points of the polygons, counterclockwise from outside
    int *offset;    // (n_polygons) end of polygon k in index (VTK's way)
} tn_polygons;

// What is drawn: a shape as recordings have it.
typedef struct tn_drawn {
    const tn_shape *shape; // of one with triangles: its points in place of its own data
    int n_triangles;
    const int *triangles; // (n_triangles, 3) among the points
    double extent;        // half the edge of the square that stands for a plane [m]
    double mark;          // half the size of what stands for a contact point without radius [m]
} tn_drawn;

// Append to out.
void tn_draw_plane(const tn_drawn *drawn, tn_polygons *out);
void tn_draw_box(const tn_drawn *drawn, tn_polygons *out);
void tn_draw_ball(const tn_drawn *drawn, tn_polygons *out);
void tn_draw_capsule(const tn_drawn *drawn, tn_polygons *out);
void tn_draw_ellipsoid(const tn_drawn *drawn, tn_polygons *out);
void tn_draw_rimmed(const tn_drawn *drawn, tn_polygons *out);
void tn_draw_points(const tn_drawn *drawn, tn_polygons *out); // a small octahedron each
void tn_draw_triangles(const tn_drawn *drawn, tn_polygons *out);
// Planar shapes: prisms around the outline, as thick as half their least extent, or as a mark.
void tn_draw_disk(const tn_drawn *drawn, tn_polygons *out);
void tn_draw_ellipse(const tn_drawn *drawn, tn_polygons *out);
void tn_draw_polygon(const tn_drawn *drawn, tn_polygons *out);
