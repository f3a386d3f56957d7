// Fewer contact points from a face, without loss of support.
#pragma once

#include "shape/shape.h"

enum { TN_PAIR_POINTS = 8 }; // at most, of two convex shapes

// points: n of one face in order round it, all with the first one's normal. Removes points while there are more than
// most, or more than four and the area they span shrinks by less than a fiftieth by it; never the deepest. Returns how
// many are left, in order.
int tn_points_reduce(int n, tn_contact_point *points, int most);
