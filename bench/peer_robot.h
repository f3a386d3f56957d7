// A robot's file played by another engine, with servos that follow given ways.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_robot {
    const char *path;                               // MJCF
    double step;                                    // [s]
    int n_steps, every;                             // bodies are looked at every so many steps
    bool tight;                                     // the solver goes on to rounding; else its defaults
    bool conjugate;                                 // conjugate gradients instead of Newton, whose matrix is dense
    double (*command)(const char *joint, double t); // of a servo, beside the keyframe's [m, rad]
    int n_bodies;                                   //
    const char *const *body;                        // (n_bodies) names
} peer_robot;

// seconds (n_steps): thread time of each; place (n_steps / every, n_bodies, 3): of bodies, NaN where it has none of
// that name; contacts: mean of a step. 0: done, 1: it failed.
int peer_mujoco_robot(const peer_robot *robot, double *seconds, double *place, double *contacts);

#ifdef __cplusplus
}
#endif
