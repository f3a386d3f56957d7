// Two planar shapes seen in their plane: plain coordinates from the first one's origin.
#pragma once

#include "shape/flat.h"

// A core (point, polygon or ellipse) with a radius around it.
typedef struct tn_flat_core {
    int n;                         // corners; 1: a disk; 0: an ellipse
    bool turned;                   // corners run from the shape's last to its first
    double x[TN_POLYGON_MAX][2];   // corners, counter-clockwise
    double out[TN_POLYGON_MAX][2]; // unit normal of the edge from corner i to the next; of two or more corners
    double centre[2];
    double axis[2][2]; // the shape's own x and z axes
    double size[2];    // semi-axes of an ellipse
    double radius;
} tn_flat_core;

typedef struct tn_flat_pair {
    double normal[3], axis[2][3], origin[3]; // of the plane, world
    double least;                            // the smaller of both shapes' least extents [m]
    tn_flat_core a, b;
} tn_flat_pair;

// Adds the point with 2D normal from a to b and 2D place.
void tn_flat_add(const tn_flat_pair *pair, const double normal[2], const double point[2], double gap, unsigned feature,
                 tn_manifold *out);

void tn_flat_polygons(const tn_flat_pair *pair, tn_manifold *out); // both with corners
void tn_flat_ellipses(const tn_flat_pair *pair, tn_manifold *out); // at least one is an ellipse

static inline double tn_dot2(const double u[2], const double v[2])
{
    return u[0] * v[0] + u[1] * v[1];
}
// Shape's number of corner i.
static inline unsigned tn_flat_corner(const tn_flat_core *core, int i)
{
    return (unsigned)(core->turned ? core->n - 1 - i : i);
}
