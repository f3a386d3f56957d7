// Vertices of a soft body against a shape: each is a point, and the shape knows its signed distance.
#pragma once

#include "collide/view.h"

// Appends the contacts of pair (shape, soft body) - none of a shape of points - by vertex ascending: feature = number
// of the vertex within the body. A vertex counts once it may reach the shape within the step, as things move or if a
// third body stopped one of the two; unless it is attached to the shape's body, or neither of the two can move.
tn_status tn_collide_vertices(tn_collide_view *view, const tn_shape_pair *pair, tn_contact_buffer *buffer,
                              tn_error *error);

// How far a point of a soft body and the surface below it may come towards each other within the step [m]. velocity: of
// the point, below: of the surface; normal: from the surface to the point. meet: as they move; returned: also if either
// were stopped. Speeds along the normal count twice, across it once: what a blow can turn round, elastic or not.
double tn_soft_way(const tn_collide_view *view, const double velocity[3], const double below[3], const double normal[3],
                   double *meet);
