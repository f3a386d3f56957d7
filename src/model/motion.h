// How bodies start, and the prescribed motion of kinematic ones: origin and angle as functions of time.
#pragma once

#include "model/model.h"

// Pose of the principal frame in the world at the start. The world, and a body that no scene describes: the identity.
void tn_motion_start_pose(const tn_model_body *body, tn_pose *out);
// Velocity of the center of mass [m/s], world axes, and angular velocity [rad/s], principal axes, at the start. Zero
// unless the body is free.
void tn_motion_start_velocity(const tn_model_body *body, double linear[3], double omega[3]);

// A way of a kinematic body over one step that an input gives, instead of the scene's motion.
typedef struct tn_given_motion {
    tn_pose from, to;             // of the principal frame at the step's start and end
    double middle;                // of the step [s]: earlier times are its start, later ones its end
    double linear[3], angular[3]; // of the body's origin [m/s], angular [rad/s], world axes: the mean over the step
} tn_given_motion;

// Pose of the body at time t [s]. Bodies that are not kinematic stay at their initial pose.
void tn_motion_pose(const tn_model_body *body, double t, tn_pose *out);

// Velocity of the body's origin [m/s] and angular velocity [rad/s], world axes, at time t: exact derivatives.
void tn_motion_velocity(const tn_model_body *body, double t, double linear[3], double angular[3]);

// The same as mean values over [t, t + h], so that one step moves a contact surface exactly to its next place;
// of a motion with `teleport` without its jumps.
void tn_motion_mean_velocity(const tn_model_body *body, double t, double h, double linear[3], double angular[3]);
