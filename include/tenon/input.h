// What acts on a step beside what the scene says: forces, targets of motors, gravity.
//
// All arrays are the caller's, read during the call only; NULL: nothing, or as the scene says. What an input gives
// holds for one step; a step without it is the scene's again. Numbers that are not finite (NaN in targets apart) or
// beyond 1e30 are refused with TN_BAD_INPUT, and the state stays as it is.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_input {
    // (tn_model_body_count, 6) force at the center of mass [N] and torque [N m] on each rigid body, world axes,
    // constant over the step. Bodies that do not move freely take none of it.
    const double *wrench;
    const double *node_force; // (tn_model_node_total, 3) [N], world axes; soft bodies one behind the other
    // (tn_model_coordinate_count) force or torque along each free coordinate of the joints [N, N m], on its second body
    // and against its first, beside what springs, motors and friction of the joint give. Taken where the step begins.
    const double *effort;
    // (tn_model_coordinate_count) where motors are to be at the step's end [m, rad] and how fast [m/s, rad/s]; NaN: as
    // the scene says. Of a position motor: target, and the rate that its damping follows (NaN beside a target: 0); of a
    // velocity motor: target_rate. Coordinates without a motor take none.
    const double *target, *target_rate;
    // (tn_model_body_count, 7) where kinematic bodies' own frames are to be at the step's end: position [m] and
    // quaternion (w, x, y, z) of any length but 0. They go there steadily, and what they touch and hold sees that
    // velocity; turns are less than half a one. In a row that begins with NaN the scene's motion goes on; a body that
    // was moved away returns to it within a step. Velocities of kinematic bodies in a state stay those of the scene's
    // motion.
    const double *motion;
    // (3) instead of the scene's [m/s^2]. Energies count the scene's; what the difference does counts as injected.
    const double *gravity;
    // Whether two bodies, soft ones too, may touch in this step, a <= b; NULL: as the scene says. Asked for each pair
    // that has contacts, once or a few times a step, by the thread that steps (of a batch: by its threads); the same
    // answer for the same pair, or steps are not what they would be. Derivatives do not know it: TN_BAD_INPUT.
    bool (*may_touch)(void *user, int body_a, int body_b);
    void *user; // of it
} tn_input;

#ifdef __cplusplus
}
#endif
