// Pairs that a face keeps apart though their nearest points run into one another: what slides over a seam.
#pragma once

#include "collide/view.h"

// Two convex bodies stay apart as long as any plane is between them. The plane across their nearest points is one, and
// stops them where they approach along it; of a box that slides from one tile onto the next, level with it, the nearest
// points are the edges at the seam. Where the points close within the step, and a face of one of the two shapes is
// between them now and will be at the step's end, the points that lie on it take its normal, and others are left out.
// Returns how many points there are.
int tn_pair_graze(const tn_collide_view *view, const tn_shape_pair *pair, int n, tn_contact_point *points);
