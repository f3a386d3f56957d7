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
    double radius;       // around the core [m]
    double corner[3][3]; // of a triangle, from its centre, world axes; kind is then TN_SHAPE_TRIANGLES
} tn_convex;

tn_convex tn_convex_of(const tn_placed *placed); // sphere, box, capsule, cylinder, ellipsoid, hull
tn_convex tn_convex_triangle(const double corner[9]);

// Contact points of a and b with gap <= out->margin, normal from a to b; calls tn_manifold_add. Features: tn_feature.
void tn_convex_contact(const tn_convex *a, const tn_convex *b, tn_manifold *out);
void tn_pair_convex(const tn_placed *a, const tn_placed *b, tn_manifold *out);

// A vertex that lies outside a face's outline by less than this share of the two shapes' least extent counts as above
// the face, and keeps its name: the sides of boxes that stand side by side on one floor end at the same height to
// within what a solver leaves open, microns, and a vertex and a crossing of edges there would take turns from step to
// step.
static const double tn_face_slack = 1e-4;

// What touches what: a vertex of b on a face of a, a vertex of a, an edge of each, or (where one of them is round) the
// nearest points. Numbers below 2^15: vertices and edges as in shape/patch.h.
enum { TN_FEATURE_VERTEX_B, TN_FEATURE_VERTEX_A, TN_FEATURE_EDGES, TN_FEATURE_NEAREST };
static inline unsigned tn_feature(unsigned kind, unsigned of_a, unsigned of_b)
{
    return kind << 30 | (of_a & 0x7fff) << 15 | (of_b & 0x7fff);
}

// The farthest point of the core along a world direction (any length but 0), from its centre, world axes; of several
// the same one always. Returns its number: the vertex of a polyhedron, triangle or segment; 1 and 0 on a cylinder's
// upper and lower cap; 0 of an ellipsoid.
unsigned tn_convex_support(const tn_convex *c, const double direction[3], double out[3]);
void tn_convex_vertex(const tn_convex *c, unsigned vertex, double out[3]); // not for cylinder and ellipsoid
double tn_convex_extent(const tn_convex *c);                               // farthest core point from the centre [m]
double tn_convex_least(const tn_convex *c); // smallest extent, or the radius: the scale of slack [m]
static inline bool tn_convex_is_curved(const tn_convex *c)
{
    return c->kind == TN_SHAPE_CYLINDER || c->kind == TN_SHAPE_ELLIPSOID;
}
