// Applied forces and gravity as generalized forces of one body (layout as in rigid.h).
#pragma once

#include "model/model.h"

// Weight of the body; gravity [m/s^2] in world axes.
void tn_force_gravity(const tn_model_body *body, const double gravity[3], double out[6]);

// What the scene applies at time t [s]: force (world axes), force_body (axes of the body's own frame at `turned`), both
// at the center of mass, and torque (world axes); generalized at `pose`. Planar bodies feel the components in their
// plane.
void tn_force_applied(const tn_model_body *body, const tn_pose *pose, const tn_pose *turned, double t, double out[6]);

// A force at the center of mass and a torque, world axes, as generalized force of the body.
void tn_force_generalize(const tn_model_body *body, const tn_pose *pose, const double force[3], const double torque[3],
                         double out[6]);
