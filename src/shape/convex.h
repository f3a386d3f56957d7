// Any two convex shapes: nearest points by GJK, depth by EPA, contact points by clipping the faces that touch.
//
// A convex shape is seen through its core (point, segment, triangle, box, polyhedron, cylinder, ellipsoid) and a radius
// around it. Names of features are stable from step to step.
#pragma once

#include "shape/manifold.h"

typedef struct tn_convex {
    const struct tn_hull *hull; // or NULL
    tn_shape_kind kind;
    double centre[3];
    double rotation[9]; // shape axes as columns
    double size[3];
    double radius;        // around the core [m]
    const double *corner; // a triangle: (3, 3) world; kind is then TN_SHAPE_TRIANGLES
} tn_convex;

tn_convex tn_convex_of(const tn_placed *placed); // sphere, box, capsule, cylinder, ellipsoid, hull
tn_convex tn_convex_triangle(const double corner[9]);

// Contact points of a and b with gap <= out->margin, normal from a to b; calls tn_manifold_add.
void tn_convex_contact(const tn_convex *a, const tn_convex *b, tn_manifold *out);
