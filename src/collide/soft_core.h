// What of a shape the vertices of a soft body miss: the shape's own points and edges against the body's faces and
// edges.
//
//   sphere, capsule: centre and ends as balls against faces, the capsule's axis against edges; only where triangles are
//                    so large that the shape would sink between their corners by more than the margin
//   box:             corners against faces, edges against edges
//   hull:            the same as a box; of more than 1023 edges its corners only
//   cylinder:        points of its rims against faces
//   ellipsoid:       points spread over it against faces; only where triangles are that large for its sharpest end
//   points:          balls against faces, edges and vertices (vertices do not see points of a shape)
//   meshes, heights: corners that stick out against faces; their edges are missed
//   plane:           nothing: of a triangle the corners are nearest
//
// A place at a vertex of the body is left to that vertex's own contact.
#pragma once

#include "collide/soft_hit.h"
#include "shape/class.h"

// Appends the contacts of pair (shape, soft body). Features TN_FEATURE_CORE, TN_FEATURE_EDGE.
tn_status tn_collide_core(tn_collide_view *view, const tn_shape_pair *pair, tn_contact_buffer *buffer, tn_error *error);

// Points and edges of a shape, in its frame.
typedef struct tn_core_points {
    int n, n_edges;
    double radius; // [m]
} tn_core_points;

tn_core_points tn_core_points_of(const tn_shape *shape); // none of a surface, whose points are its nodes
bool tn_core_is_surface(const tn_shape *shape);          // mesh or heights
void tn_core_point(const tn_shape *shape, int i, double out[3]);
void tn_core_points_edge(const tn_shape *shape, int i, double middle[3], double half[3]); // middle -+ half
// May the shape be touched along the world direction (out of it) at a corner, or edge? Slightly more than the geometry
// allows: what lies flat must not depend on rounding.
bool tn_core_point_open(const tn_placed *placed, int i, const double outward[3]);
bool tn_core_edge_open(const tn_placed *placed, int i, const double outward[3]);
