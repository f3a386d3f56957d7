// Shapes: geometry in a shape's own frame. One file a shape; pairs.c finds the contact of two.
#pragma once

#include "tenon/error.h"

typedef enum tn_shape_kind {
    TN_SHAPE_PLANE,     // half space z <= 0 of its own frame is solid, normal +z; only on fixed or kinematic bodies
    TN_SHAPE_SPHERE,    // size[0] = radius
    TN_SHAPE_BOX,       // size = half extents
    TN_SHAPE_CAPSULE,   // size[0] = radius, size[1] = half length of the segment, along z
    TN_SHAPE_POINTS,    // explicit contact points of a body: n_points in points (shape frame), each a sphere of radius
                        // size[0] (may be 0)
    TN_SHAPE_CYLINDER,  // size[0] = radius, size[1] = half length, axis along z
    TN_SHAPE_ELLIPSOID, // size = semi-axes
    TN_SHAPE_HULL,      // convex polyhedron: hull
    TN_SHAPE_TRIANGLES, // triangle mesh: triangles; only on fixed or kinematic bodies
    TN_SHAPE_HEIGHTS,   // height field: heights; solid below the surface; only on fixed or kinematic bodies
    TN_SHAPE_DISK,      // planar, as the next two (flat.h): in the x-z plane; size[0] = radius
    TN_SHAPE_ELLIPSE,   // size[0], size[1] = semi-axes along x and z
    TN_SHAPE_POLYGON,   // convex; n_points corners in points (x, 0, z), counter-clockwise in (x, z), rounded by size[0]
    TN_SHAPE_CONE,      // size[0], size[2] = radii of the lower and upper end, size[1] = half height, axis along z
    TN_SHAPE_COUNT
} tn_shape_kind;

typedef struct tn_shape {
    tn_shape_kind kind;
    int n_points;   // POINTS and POLYGON only
    double size[3]; // [m], meaning by kind
    union {
        const double *points;                 // (n_points, 3) POINTS and POLYGON
        const struct tn_hull *hull;           // HULL only; shape/hull.h
        const struct tn_triangles *triangles; // TRIANGLES only; shape/triangles.h
        const struct tn_heights *heights;     // HEIGHTS only; shape/heights.h
    };
} tn_shape;

// Shapes that stand in for parts of others.
static inline tn_shape tn_shape_ball(double radius)
{
    return (tn_shape){.kind = TN_SHAPE_SPHERE, .size = {radius}};
}
static inline tn_shape tn_shape_ellipsoid(double x, double y, double z)
{
    return (tn_shape){.kind = TN_SHAPE_ELLIPSOID, .size = {x, y, z}};
}

// Pose of a shape in the world: x = position + R(quaternion) x_shape.
typedef struct tn_pose {
    double position[3];
    double quaternion[4];
} tn_pose;

enum { TN_MANIFOLD_MAX = 32 }; // pairs of convex shapes keep to 8

// One contact point of two shapes a and b. n points from a's surface to b; gap = signed distance
// along n (negative: overlap); point is midway between the two surface points, which are point -+ gap/2 n.
typedef struct tn_contact_point {
    double normal[3];
    double point[3];
    double gap;
    unsigned feature; // stable identity of the touching features (vertex, edge, face) within the pair
} tn_contact_point;

// All contact points with gap <= margin, at most TN_MANIFOLD_MAX (POINTS: the deepest ones). Returns their number.
int tn_shape_contact(const tn_shape *a, const tn_pose *pose_a, const tn_shape *b, const tn_pose *pose_b, double margin,
                     tn_contact_point out[TN_MANIFOLD_MAX]);

// Signed distance [m] of the world point x to the shape's surface, negative inside, with the outward unit normal there
// and the nearest point of the surface, x - distance * normal. Where these are ambiguous (the centre of a sphere,
// inside a box as far from two faces): some fixed choice. POINTS count as the balls they are; without points, and at
// poses that are not finite, the distance is INFINITY and normal and nearest are zero.
double tn_shape_distance(const tn_shape *shape, const tn_pose *pose, const double x[3], double normal[3],
                         double nearest[3]);

// Axis-aligned box in the world, grown by margin. A plane's is unbounded (+-INFINITY).
void tn_shape_bounds(const tn_shape *shape, const tn_pose *pose, double margin, double low[3], double high[3]);
double tn_shape_volume(const tn_shape *shape); // [m^3]; 0 for plane and points
void tn_shape_inertia(const tn_shape *shape, double density, double *mass,
                      double inertia[9]); // about the shape's origin = centroid
// How fast the surface can approach something by turning about the shape's origin, per rad/s [m]: 0 for a sphere, the
// farthest core point otherwise. For a plane it is unbounded and 0 is returned.
double tn_shape_spin_radius(const tn_shape *shape);
// Smallest length that matters for contact [m]: half the smallest width, the radius of what is rounded; INFINITY where
// a shape has none (plane, surfaces).
double tn_shape_least(const tn_shape *shape);
// Height [m] of a cone's centroid, its origin, above the middle of its axis.
double tn_cone_centroid(const double size[3]);
const char *tn_shape_name(tn_shape_kind kind); // "sphere" ...
