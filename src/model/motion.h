// Prescribed motion of a kinematic body: origin and angle as functions of time.
#pragma once

#include "model/model.h"

// Pose of the body at time t [s]. Bodies that are not kinematic stay at their initial pose.
void tn_motion_pose(const tn_model_body *body, double t, tn_pose *out);

// Velocity of the body's origin [m/s] and angular velocity [rad/s], world axes, at time t: exact derivatives.
void tn_motion_velocity(const tn_model_body *body, double t, double linear[3], double angular[3]);

// The same as mean values over [t, t + h], so that one step moves a contact surface exactly to its next place.
void tn_motion_mean_velocity(const tn_model_body *body, double t, double h, double linear[3], double angular[3]);
