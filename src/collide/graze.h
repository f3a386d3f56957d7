// Pairs that a face keeps apart though their nearest points run into one another: what slides over a seam.
#pragma once

#include "collide/view.h"

// Two convex bodies stay apart as long as any plane is between them. The plane across their nearest points is one, and
// stops them where they approach along it; of a box that slides from one tile onto the next, level with it, the nearest
// points are the edges at the seam. Where the points close within the step, and a face of one of the two shapes is
// between them now and will be at the step's end, the points that lie on it take its normal, and others are left out.
// Returns how many points there are.
int tn_pair_graze(const tn_collide_view *view, const tn_shape_pair *pair, int n, tn_contact_point *points);

// How far two faces may be from level [of the margin].
static const double TN_LEVEL = 1e-3;

// Does what is apart, but for level, go through within the step? change: of the gap until then [m].
static inline bool tn_gap_closes(double gap, double change, double level)
{
    return gap >= -level && gap + change < -level;
}

// A vertex of a soft surface at x, at which the surface faces along `facing` (unit), runs up against a convex shape
// from the side of `normal`: does it pass by a face that it stays before, but for level, as it moves by way as seen
// from the shape, and that it faces more by far? A box that slides over a soft bed so passes over the vertices ahead of
// it.
bool tn_vertex_grazes(const tn_shape *shape, const tn_pose *pose, const double x[3], const double way[3],
                      const double normal[3], const double facing[3], double level);
