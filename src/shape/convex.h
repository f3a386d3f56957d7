// Any two convex shapes: nearest points by GJK, depth by EPA, contact points by clipping the faces that touch.
//
// A convex shape is seen through its core (point, segment, triangle, box, polyhedron, cylinder, ellipsoid) and a radius
// around it. Names of features are stable from step to step.
#pragma once

#include "shape/manifold.h"

struct tn_convex;
struct tn_patch;

// How the search for nearest points is refined.
typedef enum tn_core_form {
    TN_CORE_STRAIGHT, // vertices and straight edges
    TN_CORE_RIMMED,   // the smallest convex body that holds two circles about the z axis
    TN_CORE_SMOOTH    // ellipsoid
} tn_core_form;

// The circles of a rimmed core, the lower first, and the outward normal of its side: (radial, along z), unit.
typedef struct tn_rims {
    double radius[2], z[2], side[2];
} tn_rims;

// What a core can tell about itself. Directions and points as of the functions of the same names below and in patch.h.
typedef struct tn_convex_class {
    tn_core_form form;
    bool rounded;                                            // the shape is all within size[0] of its core
    void (*set)(struct tn_convex *c, const tn_shape *shape); // extent; n_vertices and rims of a core that has them
    unsigned (*support)(const struct tn_convex *c, const double direction[3], double out[3]);
    void (*vertex)(const struct tn_convex *c, unsigned vertex, double out[3]);                // of a straight core
    double (*facing)(const struct tn_convex *c, const double direction[3], double normal[3]); // NULL: without faces
    // The outward normal of the face whose plane is farthest below the point x, from the centre; false: there is none.
    bool (*below)(const struct tn_convex *c, const double x[3], double normal[3]);
    void (*patch)(const struct tn_convex *c, const double direction[3], struct tn_patch *out);
    unsigned (*edge_name)(const struct tn_convex *c, unsigned p, unsigned q);
} tn_convex_class;

typedef struct tn_convex {
    const tn_convex_class *class;
    const struct tn_hull *hull; // or NULL
    double centre[3];
    double rotation[9]; // shape axes as columns
    double size[3];
    double radius;       // around the core [m]
    double extent;       // farthest core point from the centre [m]
    double least;        // smallest extent, or the radius: the scale of slack [m]
    int n_vertices;      // of a polyhedron
    tn_rims rims;        // of a rimmed core
    double corner[3][3]; // of a triangle, from its centre, world axes
} tn_convex;

tn_convex tn_convex_of(const tn_placed *placed); // of a shape with a core
tn_convex tn_convex_triangle(const double corner[9]);

// Contact points of a and b with gap <= out->margin, normal from a to b; calls tn_manifold_add. Features: tn_feature.
void tn_convex_contact(const tn_convex *a, const tn_convex *b, tn_manifold *out);
// The same where they are known to be nearest along a normal of a's face, apart by distance from core to core. nearest:
// b's point there, from its centre, and its vertex; NULL: it is not known, and only points over a's face count.
void tn_convex_contact_along(const tn_convex *a, const tn_convex *b, const double normal[3], double distance,
                             const double *nearest, unsigned vertex, tn_manifold *out);
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
// the same one always. Returns its number: the vertex of a straight core; 1 and 0 on a rimmed one's upper and lower
// end; 0 of an ellipsoid.
static inline unsigned tn_convex_support(const tn_convex *c, const double direction[3], double out[3])
{
    return c->class->support(c, direction, out);
}
static inline void tn_convex_vertex(const tn_convex *c, unsigned vertex, double out[3]) // of a straight core
{
    c->class->vertex(c, vertex, out);
}
static inline bool tn_convex_is_curved(const tn_convex *c)
{
    return c->class->form != TN_CORE_STRAIGHT;
}
static inline bool tn_shape_is_polyhedron(const tn_shape *shape)
{
    const tn_convex_class *core = tn_class_of(shape)->core;
    return core && core->form == TN_CORE_STRAIGHT && core->facing;
}
void tn_convex_axis(const tn_convex *c, int axis, double sign, double out[3]); // sign times shape axis 0, 1, 2

// What rimmed cores share (rimmed.c).
tn_rims tn_rims_between(double radius0, double z0, double radius1, double z1);
int tn_rims_farthest(const tn_rims *rims, const double d[3]); // the rim with the support point along d (own axes)
void tn_rimmed_bounds(const tn_placed *placed, double low[3], double high[3]);
extern const tn_convex_class tn_rimmed_core;
