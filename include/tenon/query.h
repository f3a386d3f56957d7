// Geometry of a state: distances and nearest points, overlaps, rays; Jacobians of points.
//
// A query holds places and a tree of bounding boxes of one state, as it was at the last update. It may be asked by any
// number of threads at once, but not while one updates it. Bodies are numbered as in tenon/model.h; shapes are those
// that collide (tn_model_shape_count). Soft bodies count as their surfaces: triangles without an inside. Bodies that
// are confined to a plane touch only others of that plane and half spaces; their rays count them as thick as they are
// narrow.
#pragma once

#include "tenon/state.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

typedef struct tn_query tn_query;

// Without a state yet: update it before it is asked. NULL on failure.
tn_query *tn_query_create(const tn_model *model, tn_error *error);
void tn_query_destroy(tn_query *query); // NULL is fine
// To the places of a state of the same model; allocates nothing but at first. TN_BAD_INPUT: no state, or of another
// model.
tn_status tn_query_update(tn_query *query, const tn_state *state, tn_error *error);

// How near two bodies or shapes are.
typedef struct tn_nearest {
    // Signed [m]: negative, the least way that parts them; INFINITY: farther than asked for, or they have no distance
    // (no shapes; planes, meshes and height fields among each other; a planar body and one off its plane). Then the
    // rest is zero, and shapes are -1.
    double distance;
    double point_a[3], point_b[3]; // on the surfaces, world [m]: point_b = point_a + distance normal
    double normal[3];              // from a to b, unit; where the surfaces just touch one that parts them
    int shape_a, shape_b;          // -1: of a soft body
} tn_nearest;

// Of two bodies (soft ones too). reach >= 0 [m]: farther ones count as apart; INFINITY: none do. Where one is inside a
// mesh or a height field without touching its surface the distance is that of its middle.
tn_status tn_query_distance(const tn_query *query, int body_a, int body_b, double reach, tn_nearest *out,
                            tn_error *error);
// Of two shapes at places of the caller: n poses (n, 7) of their bodies' own frames, position [m] and quaternion (w, x,
// y, z), into n results. pose_b NULL: of all the identity. Needs no query; any thread. TN_BAD_INPUT: a shape that is
// not there, a pose that is not finite or has a quaternion of length 0.
tn_status tn_shape_distances(const tn_model *model, int shape_a, int shape_b, int n, const double *pose_a,
                             const double *pose_b, double reach, tn_nearest *out, tn_error *error);

// Pairs of bodies nearer than `within` >= 0 [m] (0: that overlap), a < b, ascending: pairs (most, 2). Bodies of which
// neither moves are left out, bodies that joints hold together are not. *n: how many there are; the first `most` of
// them are written.
tn_status tn_query_pairs(const tn_query *query, double within, int most, int *pairs, int *n, tn_error *error);

// What a ray hits first.
typedef struct tn_ray_options {
    double reach;  // farthest [m]; 0: any
    int leave_out; // a body that rays pass through; -1: none. 0, as in {0}, is the world, which has no shapes
    int n_threads; // default 1
} tn_ray_options;
typedef struct tn_ray_results {
    int *body;        // (n) -1: nothing
    int *shape;       // (n) -1: nothing, or a soft body
    double *distance; // (n) from the origin [m]; INFINITY: nothing
    double *point;    // (n, 3) world [m]; zero: nothing
    double *normal;   // (n, 3) outward, unit; of triangles of a soft body or an open mesh towards the origin
} tn_ray_results;
// n rays from origin (n, 3) along direction (n, 3), of any length but 0. A ray that begins in a convex shape hits it at
// distance 0. What is NULL in out is left out; options NULL: default. TN_BAD_INPUT: numbers that are not finite.
tn_status tn_query_rays(const tn_query *query, int n, const double *origin, const double *direction,
                        const tn_ray_options *options, const tn_ray_results *out, tn_error *error);

// Farthest points of a convex shape along directions (n, 3), any length but 0, in its body's own frame: out (n, 3) [m].
// TN_BAD_INPUT: a shape that is not there or has no such points (plane, mesh, height field, contact points, planar).
tn_status tn_shape_support(const tn_model *model, int shape, int n, const double *direction, double *out,
                           tn_error *error);

// Jacobian of a point of a rigid body, at `point` in the body's own frame [m]: velocity of the point [m/s] and angular
// velocity of the body [rad/s], world axes, are out (6, 6) row-major times the body's row of velocities
// (tn_state_get_bodies).
tn_status tn_state_point_jacobian(const tn_state *state, int body, const double point[3], double out[36],
                                  tn_error *error);
// The same with respect to the coordinates of joints: out (6, tn_model_coordinate_count) row-major, for a body that
// hangs from the world, or from a body that forces do not move, by one chain of joints. Coordinates that do not move
// the point are zero. TN_BAD_INPUT: no chain leads there or more than one does (closed loops), or there is a joint in
// it whose coordinates are not all that it leaves free (spherical, screw, bushing, distance, nodes of soft bodies,
// ...).
tn_status tn_state_joint_jacobian(const tn_state *state, int body, const double point[3], double *out, tn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
