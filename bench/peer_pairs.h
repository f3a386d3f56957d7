// Contact of two shapes by themselves, in any collision library: shapes, places, what it costs and finds.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef enum peer_form {
    PEER_PAIR_SPHERE,    // size[0] = radius
    PEER_PAIR_BOX,       // size = half extents
    PEER_PAIR_CAPSULE,   // size[0] = radius, size[1] = half length of the segment, along z
    PEER_PAIR_CYLINDER,  // size[0] = radius, size[1] = half length, along z
    PEER_PAIR_ELLIPSOID, // size = semi-axes
    PEER_PAIR_HULL,      // of points; faces are its triangles, counter-clockwise seen from outside
    PEER_PAIR_MESH       // points and faces
} peer_form;

typedef struct peer_solid {
    peer_form form;
    double size[3];      // [m]
    int n_points;        // of HULL and MESH
    const double *point; // (n_points, 3) [m]
    int n_faces;
    const int *face; // (n_faces, 3)
} peer_solid;

typedef struct peer_place {
    double position[3], quaternion[4]; // w, x, y, z
} peer_place;

typedef struct peer_pair {
    peer_solid a, b;
    int n_pairs, n_frames;   // pairs of the two shapes, each of which moves a little from frame to frame
    const peer_place *place; // (n_pairs, n_frames, 2) of a and of b
} peer_pair;

typedef struct peer_found {
    double seconds; // thread time of all frames of all pairs
    double points;  // contact points, of all
} peer_found;

// 0: done; 1: the library does not hold such a pair. depth (n_pairs, n_frames) [m]: of overlaps, 0 without one.
typedef int peer_touch(const peer_pair *pair, peer_found *found, double *depth);
peer_touch peer_bullet_touch, peer_fcl_touch, peer_ccd_touch;

// Builds a mesh and looks for the triangles that touch n balls of the radius about the points (n, 3). Seconds of the
// build and of all queries; hits: triangles found, of all. 0: done.
typedef int peer_query(const peer_solid *mesh, double radius, int n, const double *points, double seconds[2],
                       double *hits);
peer_query peer_bullet_query, peer_fcl_query;

double peer_seconds(void); // processor time of this thread: other programs on the machine do not count

#ifdef __cplusplus
}
#endif
