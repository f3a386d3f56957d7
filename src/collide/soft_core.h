// What of a shape the vertices of a soft body miss: the shape's own points and edges against the body's faces and
// edges.
//
//   sphere, capsule: centre and ends as balls against faces, the capsule's axis against edges; only where triangles are
//                    so large that the shape would sink between their corners by more than the margin
//   box:             corners against faces, edges against edges
//   points:          balls against faces, edges and vertices (vertices do not see points of a shape)
//   plane:           nothing: of a triangle the corners are nearest
//
// A place at a vertex of the body is left to that vertex's own contact.
#pragma once

#include "collide/soft_hit.h"

// Appends the contacts of pair (shape, soft body). Features TN_FEATURE_CORE, TN_FEATURE_EDGE.
tn_status tn_collide_core(tn_collide_view *view, const tn_shape_pair *pair, tn_contact_buffer *buffer, tn_error *error);

// Points and edges of a shape, in its frame.
typedef struct tn_core_points {
    int n, n_edges;
    double radius; // [m]
} tn_core_points;

tn_core_points tn_core_points_of(const tn_shape *shape);
void tn_core_point(const tn_shape *shape, int i, double out[3]);
void tn_core_points_edge(const tn_shape *shape, int i, double middle[3], double half[3]); // middle -+ half
