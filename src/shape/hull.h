// Convex polyhedron, the convex hull of points: vertices, faces with merged coplanar triangles, edges, mass properties.
#pragma once

#include "shape/normals.h"

typedef struct tn_hull {
    int n_vertices;
    const double *vertices; // (n_vertices, 3) shape frame, whose origin is the centroid [m]
    int n_faces;
    const int *face_start;  // (n_faces + 1) first corner of each face
    const int *face_vertex; // (face_start[n_faces]) counter-clockwise seen from outside
    const double *plane;    // (n_faces, 4) outward unit normal, offset: n . x <= offset inside
    tn_normals normals;     // of the faces
    int n_edges;
    const int *edge;       // (n_edges, 2) vertices
    const int *edge_face;  // (n_edges, 2) the faces on its left and right
    const int *near_start; // (n_vertices + 1) neighbours along edges of each vertex: hill climbing
    const int *near;       // (near_start[n_vertices])
    double volume;         // [m^3]
    double inertia[9];     // of unit density about the origin [m^5]
    double reach;          // farthest vertex from the origin [m]
    double least;          // nearest face from the origin [m]
} tn_hull;

// Hull of n points (n, 3); the centroid becomes the origin and is returned. TN_BAD_INPUT: fewer than four points, not
// finite, or all in a plane (relative 1e-9 of their extent). All memory from the arena.
tn_status tn_hull_create(int n, const double *points, tn_arena *arena, tn_hull *out, double centroid[3],
                         tn_error *error);
