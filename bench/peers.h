// A heap of simple shapes, described so that any engine can be given the same one, and what an engine reports.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef enum peer_shape { PEER_SPHERE, PEER_BOX, PEER_CAPSULE, PEER_PLANE } peer_shape;

typedef struct peer_body {
    peer_shape shape;
    int is_fixed;                      // planes always are
    double size[3];                    // half extents; radius; capsule: radius, half length along z
    double mass;                       // [kg]
    double position[3], quaternion[4]; // w, x, y, z; the shape's own frame, a plane's normal is its z axis
} peer_body;

typedef struct peer_scene {
    int n_bodies;
    const peer_body *bodies;
    double friction, step;
    int n_steps, n_averaged; // the last n_averaged steps are timed
    int n_watched;           // more steps after them, of which impulses are read
} peer_scene;

// What an engine may be told; 0: its default.
typedef struct peer_settings {
    int iterations;
    int variant; // Bullet: 1 = two friction directions; MuJoCo: 1 = Newton instead of CG; ODE: 1 = the direct stepper
    double stiffness; // MuJoCo: time constant of contacts in steps; ODE: its error reduction parameter
} peer_settings;

typedef struct peer_motion { // of a body's centre of mass
    double position[3], quaternion[4];
    double linear[3], angular[3]; // world axes
} peer_motion;

typedef struct peer_contact {
    int a, b;          // bodies
    double point[3];   // world
    double normal[3];  // from a to b
    double impulse[3]; // on b over the step [N s]
} peer_contact;

// Called after each timed and each watched step with the bodies' motion (n_bodies) before and after it; the contacts
// that acted in it are there in watched steps only (else n_contacts is -1).
typedef void peer_watch(void *context, const peer_motion *before, const peer_motion *after, int n_contacts,
                        const peer_contact *contacts);

// Plays the scene; seconds (n_averaged): thread time of each counted step. 0: done, 1: it failed or diverged.
typedef int peer_engine(const peer_scene *scene, const peer_settings *settings, peer_watch *watch, void *context,
                        double *seconds);
peer_engine peer_ode, peer_bullet, peer_mujoco;

double peer_seconds(void); // processor time of this thread: other programs on the machine do not count

#ifdef __cplusplus
}
#endif
