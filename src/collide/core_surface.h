// Corners and ridges of meshes and height fields: what sticks out of them between the vertices of a soft body.
//
// Edge 3 f + k runs from corner k to k + 1 of face f, the lower of its two. A ridge is an edge bent outwards, or the
// border of an open surface.
#pragma once

#include "shape/class.h"

// Called in the shape's frame; false: seek no further.
typedef struct tn_core_visitor {
    bool (*corner)(void *user, int node, const double x[3]);
    bool (*ridge)(void *user, int edge);
    void *user;
} tn_core_visitor;

// Those that may reach into the box of the shape's frame, each once, in an order that depends on nothing else. False: a
// visitor had enough.
bool tn_core_visit_surface(const tn_shape *surface, const double low[3], const double high[3],
                           const tn_core_visitor *visitor);

void tn_core_surface_edge(const tn_shape *surface, int edge, double middle[3], double half[3]);
// May a body touch the edge in this direction (of the shape's frame, out of it)?
bool tn_core_surface_edge_open(const tn_shape *surface, int edge, const double outward[3], double slack);
// Mean of the normals of the edge's faces; false: it is a border.
bool tn_core_surface_edge_normal(const tn_shape *surface, int edge, double normal[3]);
