// What of a shape the vertices of a soft body miss: the shape's own points and edges against the body's faces and
// edges.
//
//   sphere, capsule: centre and ends as balls against faces, the capsule's axis against edges; only where triangles are
//                    so large that the shape would sink between their corners by more than the margin
//   box:             corners against faces, edges against edges
//   hull:            the same as a box; edges that stand out
//   cylinder:        points of its rims and the lowest of each against faces, its side and its rims against edges
//   cone:            points of its rims and the lowest of each against faces, edges at the point nearest to it
//   ellipsoid:       the point that is farthest towards it against each face, edges at the point nearest to it; only
//                    where triangles are that large for its sharpest end
//   points:          balls against faces, edges and vertices (vertices do not see points of a shape)
//   meshes, heights: corners that stick out against faces, ridges that stand out against edges
//   plane:           nothing: of a triangle the corners are nearest
//
// A place at a vertex of the body is left to that vertex's own contact. An edge is bent enough if a face laid across
// it, held by its vertices, sinks in by more than the margin: L/2 tan(angle/2), L the body's longest edge at rest.
#pragma once

#include "collide/soft_hit.h"
#include "shape/corners.h"

// Appends the contacts of pair (shape, soft body). Features TN_FEATURE_CORE, TN_FEATURE_EDGE.
tn_status tn_collide_core(tn_collide_view *view, const tn_shape_pair *pair, tn_contact_buffer *buffer, tn_error *error);

enum { TN_CORE_POINTS_MAX = 1 << 25 }; // that features can number

tn_core_points tn_core_points_of(const tn_shape *shape); // none of a surface, whose points are its nodes
bool tn_core_is_surface(const tn_shape *shape);          // mesh or heights
void tn_core_point(const tn_shape *shape, int i, double out[3]);
// Rims and ellipsoids: the farthest point of a part in the direction (of the shape's frame). Of a body's face f the
// contact with part p counts as that of the point n + 2 f + p. False: no part of the rim is.
int tn_core_round_parts(const tn_shape *shape); // 0, 1 or 2
bool tn_core_round_point(const tn_shape *shape, int part, const double direction[3], double out[3]);
// Of a curved edge the tangent at an angle from the arc's middle, from -turn to turn [rad]. Of a surface:
// core_surface.h.
tn_core_edge tn_core_points_edge(const tn_shape *shape, int i, double at);
// Mean of the normals of the faces of an edge of a hull or surface. False: it stands out whatever is beside it.
bool tn_core_edge_normal(const tn_shape *shape, int i, double normal[3]);
// May the shape be touched along the world direction (out of it) at a corner, or edge? Slightly more than the geometry
// allows: what lies flat must not depend on rounding.
bool tn_core_point_open(const tn_placed *placed, int i, const double outward[3]);
bool tn_core_edge_open(const tn_placed *placed, int i, double at, const double outward[3]);
