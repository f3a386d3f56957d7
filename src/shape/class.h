// What every shape kind can tell about itself: one row of the table in shape.c, one file a kind.
// A kind that tells its signed distance gets its contacts with spheres and points from pair_ball.c.
#pragma once

#include "shape/shape.h"

#include <stdbool.h>

// A shape with its pose spelled out: world point = position + rotation (row-major, shape axes as columns) x.
typedef struct tn_placed {
    const tn_shape *shape;
    double position[3];
    double rotation[9];
} tn_placed;

typedef struct tn_shape_class {
    const char *name;
    double (*volume)(const tn_shape *shape); // [m^3]
    // Mass [kg] and inertia about the shape's origin [kg m^2], row-major 3x3.
    void (*inertia)(const tn_shape *shape, double density, double *mass, double inertia[9]);
    void (*bounds)(const tn_placed *placed, double low[3], double high[3]); // world, no margin
    double (*spin_radius)(const tn_shape *shape);                           // see tn_shape_spin_radius
    // Signed distance [m] of the world point x to the surface, negative inside, and the outward unit
    // normal there (where it is ambiguous: some fixed choice). NULL: not a solid.
    double (*distance)(const tn_placed *placed, const double x[3], double normal[3]);
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

const tn_shape_class *tn_shape_class_of(tn_shape_kind kind); // NULL: no such kind

// Returns false when the pose is not finite.
bool tn_placed_set(tn_placed *placed, const tn_shape *shape, const tn_pose *pose);
// tn_shape_distance without the nearest point, for many points against one shape. NaN for a NaN in x.
double tn_placed_distance(const tn_placed *placed, const double x[3], double normal[3]);
void tn_placed_axis(double out[3], const tn_placed *placed, int axis); // shape axis 0, 1, 2 in world axes
