// The part of a convex shape's surface that looks along a direction: a face, a line, or nothing with an extent.
//
// Names of vertices and edges, below 2^15. Box: as in core.h. Hull: vertex numbers; an edge is its place in hull->near
// seen from its lower vertex. Triangle: corner k and the edge from it. Capsule: vertices 0 and 4, edge 16,
// as in core.h. Side of a rimmed core: end 0 or 1 (lower, upper), edge 0. Its cap: the corners of a polygon that turns
// with it, numbered over both caps from 2 on.
#pragma once

#include "shape/convex.h"

enum { TN_PATCH_MAX = 32, TN_CAP_CORNERS = 6 };

typedef struct tn_patch {
    int n;                     // corners: 3 or more of a face, 2 of a line, 0
    double x[TN_PATCH_MAX][3]; // from the shape's centre, world axes; of a face counter-clockwise from outside
    unsigned vertex[TN_PATCH_MAX];
    unsigned edge[TN_PATCH_MAX]; // from corner k to k + 1
    double normal[3];            // of a face: unit, outward
} tn_patch;

// Cosine between the unit direction and the nearest face normal, which is returned; -1: the shape has no faces.
double tn_patch_facing(const tn_convex *c, const double direction[3], double normal[3]);
// The face (or line) that looks most along the unit direction.
void tn_patch_set(const tn_convex *c, const double direction[3], tn_patch *out);
// Name of the edge between two neighbouring vertices of a polyhedron, triangle or capsule.
static inline unsigned tn_patch_edge_name(const tn_convex *c, unsigned p, unsigned q)
{
    return c->class->edge_name(c, p, q);
}

// A point of one shape's patch over the face of another.
typedef struct tn_patch_point {
    double x[3];   // from the centre of the face's shape, world axes
    double height; // above the face [m]
    unsigned side; // name of the outline's side from this point to the next
    unsigned feature;
} tn_patch_point;

enum { TN_PATCH_POINTS = 2 * TN_PATCH_MAX };

// What of other, whose centre lies at `at` from that of the face's shape, is over the face; points up to slack outside
// count as inside. of_a: the face is a's. Returns the number of points.
int tn_patch_clip(const tn_patch *face, const tn_patch *other, const double at[3], double slack, bool of_a,
                  tn_patch_point out[TN_PATCH_POINTS]);
