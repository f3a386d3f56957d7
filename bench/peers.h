// A heap of spheres and boxes, described so that any engine can be given the same one.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_body {
    int is_box; // else a sphere
    int is_fixed;
    double size[3]; // half extents, or radius in [0]
    double mass;
    double position[3], quaternion[4]; // w, x, y, z
} peer_body;

typedef struct peer_plane {
    double normal[3], offset; // points with n . x >= offset are free
} peer_plane;

typedef struct peer_scene {
    int n_bodies, n_planes;
    const peer_body *bodies;
    const peer_plane *planes;
    double friction, step;
    int n_steps, n_averaged; // the last n_averaged steps count
} peer_scene;

typedef struct peer_result {
    double ms;          // median wall time of a counted step
    double penetration; // largest overlap over the counted steps, recomputed by our geometry [m]
} peer_result;

// Called after each counted step with the poses (n_bodies, 7: position, quaternion w x y z).
typedef void peer_watch(void *context, const double *poses);

int peer_ode(const peer_scene *scene, peer_watch *watch, void *context, double *seconds);    // seconds (n_averaged)
int peer_bullet(const peer_scene *scene, peer_watch *watch, void *context, double *seconds); // 0: done

#ifdef __cplusplus
}
#endif
