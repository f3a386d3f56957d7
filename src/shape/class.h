// What every shape kind can tell about itself: one row of the table in shape.c, one file a kind. Whoever else must know
// what a shape is asks this table.
#pragma once

#include "shape/shape.h"

#include <stdbool.h>
#include <stdint.h>

// A shape with its pose spelled out: world point = position + rotation (row-major, shape axes as columns) x.
typedef struct tn_placed {
    const tn_shape *shape;
    double position[3];
    double rotation[9];
} tn_placed;

// What decides how two shapes touch (pairs.c); the first of a pair is the one of the lower form, or kind.
typedef enum tn_shape_form {
    TN_FORM_HALF_SPACE, // without an end
    TN_FORM_SURFACE,    // triangles (facets.h)
    TN_FORM_CONVEX,     // a solid with a core (convex.h)
    TN_FORM_BALLS,      // of radius size[0]: one about the origin, or n_points
    TN_FORM_PLANAR,     // flat.h
    TN_FORM_COUNT
} tn_shape_form;

struct tn_convex_class;
struct tn_corner_class;
struct tn_drawn;
struct tn_facets;
struct tn_manifold;
struct tn_polygons;
struct tn_rims;

// Contact points of a and b, normal from a to b. Calls tn_manifold_add (manifold.h).
typedef void (*tn_pair_function)(const tn_placed *a, const tn_placed *b, struct tn_manifold *out);

// Of shapes that sizes alone do not tell: points and triangles, in the shape's frame.
typedef struct tn_geometry {
    size_t n_points, n_triangles;
    const void *shared; // what copies of a shape have in common; NULL: each has its own
} tn_geometry;

typedef struct tn_shape_class {
    const char *name; // in scenes and recordings
    tn_shape_form form;
    bool round;             // turning about its origin changes nothing: radius size[0]
    const char *fixed_only; // why forces must not move a body that touches with it; NULL: they may
    // [m^3]; NULL, as inertia: has neither volume nor mass.
    double (*volume)(const tn_shape *shape);
    // Mass [kg] and inertia about the shape's origin [kg m^2], row-major 3x3.
    void (*inertia)(const tn_shape *shape, double density, double *mass, double inertia[9]);
    void (*bounds)(const tn_placed *placed, double low[3], double high[3]); // world, no margin
    double (*spin_radius)(const tn_shape *shape);                           // see tn_shape_spin_radius; NULL: 0
    double (*least)(const tn_shape *shape);                                 // see tn_shape_least; NULL: INFINITY
    // Signed distance [m] of the world point x to the surface, negative inside, and the outward unit
    // normal there (where it is ambiguous: some fixed choice). NULL: not a solid.
    double (*distance)(const tn_placed *placed, const double x[3], double normal[3]);
    const struct tn_convex_class *core;                        // of a convex shape
    struct tn_rims (*rims)(const tn_shape *shape);             // of one with a rimmed core
    const struct tn_corner_class *corners;                     // for soft bodies; NULL: none
    tn_pair_function on_plane;                                 // contact of a half space, a, with a convex shape
    struct tn_facets (*facets)(const tn_shape *shape);         // of a surface
    void (*geometry)(const tn_shape *shape, tn_geometry *out); // NULL: sizes tell all
    void (*fill)(const tn_shape *shape, double *points, int32_t *triangles);
    uint64_t (*hash)(uint64_t hash, const tn_shape *shape);              // of what neither sizes nor points tell
    void (*draw)(const struct tn_drawn *drawn, struct tn_polygons *out); // draw.h
} tn_shape_class;

extern const tn_shape_class tn_shape_class_plane;
extern const tn_shape_class tn_shape_class_sphere;
extern const tn_shape_class tn_shape_class_box;
extern const tn_shape_class tn_shape_class_capsule;
extern const tn_shape_class tn_shape_class_points;
extern const tn_shape_class tn_shape_class_cylinder;
extern const tn_shape_class tn_shape_class_ellipsoid;
extern const tn_shape_class tn_shape_class_hull;
extern const tn_shape_class tn_shape_class_triangles;
extern const tn_shape_class tn_shape_class_heights;
extern const tn_shape_class tn_shape_class_disk;
extern const tn_shape_class tn_shape_class_ellipse;
extern const tn_shape_class tn_shape_class_polygon;
extern const tn_shape_class tn_shape_class_cone;

extern const tn_shape_class *const tn_shape_table[TN_SHAPE_COUNT];
static inline const tn_shape_class *tn_class_of(const tn_shape *shape)
{
    return tn_shape_table[shape->kind];
}
static inline bool tn_shape_is(const tn_shape *shape, tn_shape_form form)
{
    return tn_class_of(shape)->form == form;
}
static inline bool tn_shape_is_sphere(const tn_shape *shape)
{
    return tn_class_of(shape)->round && tn_shape_is(shape, TN_FORM_BALLS);
}

// Returns false when the pose is not finite.
bool tn_placed_set(tn_placed *placed, const tn_shape *shape, const tn_pose *pose);
// tn_shape_distance without the nearest point, for many points against one shape. NaN for a NaN in x.
double tn_placed_distance(const tn_placed *placed, const double x[3], double normal[3]);
void tn_placed_axis(double out[3], const tn_placed *placed, int axis); // shape axis 0, 1, 2 in world axes
