// A rigid body's part of the step: inertia, point Jacobian, contact-free velocity, motion.
//
// Layout of a body's velocities (model/model.h): free (v of the center of mass, world axes; omega, principal axes);
// planar (v . e1, v . e2, omega . normal). x points at the body's own 3 or 6 numbers.
#pragma once

#include "model/model.h"

// Diagonal of the generalized inertia, 3 n_blocks numbers [kg, kg m^2], for bodies with blocks. Constant here.
void tn_body_mass(const tn_model_body *body, double diagonal[6]);

// sign * frame * d(velocity of the material point at `point`)/dx, one 3x3 block per block of the body into entry;
// frame's rows are directions in the world. Returns the number of blocks (0 for fixed and kinematic bodies).
int tn_body_point_jacobian(const tn_model_body *body, const tn_pose *pose, const double frame[9], const double point[3],
                           double sign, double entry[2][9]);

// sign * frame * d(angular velocity)/dx, as above.
int tn_body_spin_jacobian(const tn_model_body *body, const tn_pose *pose, const double frame[9], double sign,
                          double entry[2][9]);

// Representative velocity of the step if the generalized forces (3 n_blocks numbers) alone act:
// x + theta h M^-1 force, the rotation of a free body with its gyroscopic term (gyro.h).
void tn_body_predict(const tn_model_body *body, const double *x, const double force[6], double h, double theta,
                     double *x_hat);

// q (+) h x_hat: the center of mass moves along its velocity, the body turns by the exponential of h omega. A planar
// body stays in its plane to rounding. Fixed and kinematic bodies are left as they are.
void tn_body_advance(const tn_model_body *body, const double *x_hat, double h, tn_pose *pose);
