// Triangle mesh as a solid's surface: triangles, their neighbours, a bounding-volume tree, mass properties.
#pragma once

#include "base/arena.h"
#include "shape/facets.h"
#include "shape/skin.h"

typedef struct tn_triangles {
    int n_vertices;
    const double *vertices; // (n_vertices, 3) shape frame [m]
    int n_faces;
    const int *faces;       // (n_faces, 3) counter-clockwise seen from outside
    const int *patch;       // (n_faces) lowest face of the same plane that is joined to it through such
    const float *turn;      // see facets.h
    const tn_skin *skin;    // neighbours and tree
    tn_skin_view view;      // of the skin: its boxes
    bool closed;            // every edge has two faces: the mesh has an inside and a volume
    double volume;          // [m^3] 0: open
    double inertia[9];      // of unit density about the origin [m^5]
    double radius;          // farthest vertex from the origin [m]
    double low[3], high[3]; // of the vertices
} tn_triangles;

// Copies vertices and faces and builds neighbours and tree. The centroid of a closed mesh becomes the origin and is
// returned (0 of an open one). TN_BAD_INPUT names the offending face (numbered from 0): index out of range, no area, an
// edge of three faces, neighbours of opposite orientation; or the whole mesh: no faces, inside out.
tn_status tn_triangles_create(int n_vertices, const double *vertices, int n_faces, const int *faces, tn_arena *arena,
                              tn_triangles *out, double centroid[3], tn_error *error);
