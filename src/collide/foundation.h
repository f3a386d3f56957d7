// Winkler's foundation: the elements of a box's face on a plane, each a contact point at its middle.
#pragma once

#include "collide/view.h"

enum { TN_FOUNDATION_FACE = 1 << 20 }; // features of one face

// Points of the face that looks at the plane the most, elements^2 of them, if any may meet it within the step; else
// none. Feature: face TN_FOUNDATION_FACE + number; face 2 i + 1 looks along the box's axis i, 2 i against it.
int tn_foundation_points(const tn_collide_view *view, const tn_shape_pair *pair, int elements,
                         tn_contact_point *points);

// Its edges in world axes [m], the box at a world pose: edges[0] x edges[1] looks out of the box.
void tn_foundation_edges(const tn_shape *box, const tn_pose *pose, unsigned feature, int elements, double edges[2][3]);

// Area of an element [m^2].
double tn_foundation_area(const tn_shape *box, unsigned feature, int elements);
