// The contact points of two shapes while they are gathered, and the functions that gather them.
#pragma once

#include "shape/class.h"

// How two bodies move, in world axes: what is at x comes no farther within a step than
//     still + time (|v_a(x)| + |v_b(x)|),   v(x) = linear + angular x (x - position).
typedef struct tn_sweep {
    double still, time; // [m], [s]
    struct {
        double position[3], linear[3], angular[3];
    } body[2]; // in any order
} tn_sweep;

typedef struct tn_manifold {
    double margin;         // [m] points with a larger gap are not taken
    const tn_sweep *sweep; // for surfaces: points with a larger gap are not sought; hulls on planes: turning; or NULL
    bool every;            // of a face all points, also those that support nothing: the caller reduces them
    bool deepest;          // only the least gap is wanted: what more than one point would cost may be left out
    double beyond;         // [m] with deepest: overlaps of at most that are not of interest
    int n;
    tn_contact_point *points; // (TN_MANIFOLD_MAX)
} tn_manifold;

// The largest gap that is of interest [m].
static inline double tn_manifold_reach(const tn_manifold *manifold)
{
    return manifold->deepest ? -manifold->beyond : manifold->margin;
}

// Takes the point if gap <= margin; a full manifold keeps the deepest ones. point: midway between the surfaces.
void tn_manifold_add(tn_manifold *manifold, const double normal[3], const double point[3], double gap,
                     unsigned feature);

void tn_pair_ball(const tn_placed *a, const tn_placed *b, tn_manifold *out); // a has a distance; b: sphere or points
void tn_pair_plane_box(const tn_placed *a, const tn_placed *b, tn_manifold *out);
void tn_pair_plane_capsule(const tn_placed *a, const tn_placed *b, tn_manifold *out);
void tn_pair_plane_rimmed(const tn_placed *a, const tn_placed *b, tn_manifold *out);
void tn_pair_plane_ellipsoid(const tn_placed *a, const tn_placed *b, tn_manifold *out);
void tn_pair_plane_hull(const tn_placed *a, const tn_placed *b, tn_manifold *out);
void tn_pair_capsules(const tn_placed *a, const tn_placed *b, tn_manifold *out);
void tn_pair_cores(const tn_placed *a, const tn_placed *b, tn_manifold *out); // box-box and box-capsule

// tn_shape_contact of shapes that are placed already. sweep: of their bodies, or NULL.
int tn_placed_contact(const tn_placed *a, const tn_placed *b, double margin, const tn_sweep *sweep,
                      tn_contact_point out[TN_MANIFOLD_MAX]);
// How deep they overlap [m]: minus the least gap of their contact points, 0 where they do not. Overlaps of at most
// beyond >= 0 are not of interest: the answer may then be 0 too, and is found faster.
double tn_placed_depth(const tn_placed *a, const tn_placed *b, double beyond);
