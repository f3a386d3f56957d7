// Triangle mesh as a solid's surface: triangles, their neighbours, a bounding-volume tree.
#pragma once

#include "base/arena.h"

#include <stdbool.h>

typedef struct tn_triangle_node { // of the tree, depth first; the left child follows its parent
    double low[3], high[3];
    int skip;  // index of the next node when this one is missed
    int first; // first triangle (index into order) of a leaf, -1 of an inner node
    int count; // triangles of a leaf
} tn_triangle_node;

typedef struct tn_triangles {
    int n_vertices;
    const double *vertices; // (n_vertices, 3) shape frame [m]
    int n_faces;
    const int *faces;     // (n_faces, 3) counter-clockwise seen from outside
    const int *neighbour; // (n_faces, 3) face across the edge from corner k to k + 1, or -1
    const int *order;     // (n_faces) triangles in the order of the tree's leaves
    int n_nodes;
    const tn_triangle_node *nodes;
    bool closed; // every edge has two faces: the mesh has an inside and a volume
} tn_triangles;

// Copies vertices and faces and builds neighbours and tree. TN_BAD_INPUT names the offending face (numbered from 0):
// index out of range, no area, an edge of three faces, neighbours of opposite orientation.
tn_status tn_triangles_create(int n_vertices, const double *vertices, int n_faces, const int *faces, tn_arena *arena,
                              tn_triangles *out, tn_error *error);
