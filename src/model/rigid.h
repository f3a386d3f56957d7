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

// q (+) way: the center of mass moves, the body turns by the exponential of the angular part. A planar body stays in
// its plane to rounding. Fixed and kinematic bodies are left as they are.
void tn_body_move(const tn_model_body *body, const double *way, tn_pose *pose);

// The same over the time h for a body that starts with the velocity x and moves freely (gyro.h). turn (4): of a free
// body, from the axes at the end to those at the start; may be NULL.
void tn_body_advance(const tn_model_body *body, const double *x, double h, tn_pose *pose, double *turn);

// The velocity x by which a free body gets from one pose to another so, and its turn. x is read too, as by
// tn_gyro_rate.
void tn_body_rate(const tn_model_body *body, const tn_pose *from, const tn_pose *to, double h, double *x,
                  double turn[4]);

// The velocity x at the end of such a motion by turn: momentum kept. Only the rotation of a free body changes.
void tn_body_carry(const tn_model_body *body, const double turn[4], double *x);
