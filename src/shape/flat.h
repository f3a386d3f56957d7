// Planar shapes: disk, ellipse and convex polygon in the x-z plane of their own frame, whose y axis is the plane's
// normal.
//
// They touch only others of the same plane and half spaces at right angles to it. Their mass is that of a plate
// of 1 m thickness; where boxes are needed (broad phase) they count as thick as they are narrow.
#pragma once

#include "shape/manifold.h"

enum { TN_POLYGON_MAX = 64 }; // corners

static inline bool tn_shape_is_flat(const tn_shape *shape)
{
    return tn_shape_is(shape, TN_FORM_PLANAR);
}

// Area [m^2], centroid and second moment of area about the centroid [m^4].
typedef struct tn_area {
    double area, centroid[2], moment;
} tn_area;

// Of the polygon with corners (n, 2), counter-clockwise, and all within radius of it.
tn_area tn_polygon_area(int n, const double *corners, double radius);

// The corners of the smallest convex polygon that holds n points (n, 2): counter-clockwise, without those on a line
// between others (relative 1e-9 of the extent), at most TN_POLYGON_MAX. out (n, 2). Returns how many; 0: too many.
int tn_polygon_hull(int n, const double *points, double *out);

// A shape of class.h's volume and inertia from its area.
void tn_flat_inertia(const tn_area *area, double density, double *mass, double inertia[9]);

// Contact points of two flat shapes, and of a plane and a flat shape.
void tn_pair_flat(const tn_placed *a, const tn_placed *b, tn_manifold *out);
void tn_pair_plane_flat(const tn_placed *a, const tn_placed *b, tn_manifold *out);

// Two planes of flat shapes are one, or a half space's normal lies in the plane, up to this sine.
#define TN_FLAT_TILT 1e-6
