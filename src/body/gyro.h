// Implicit rotation of a free rigid body over one step, in its principal axes.
//
// The step turns the body by exp(h w^) and keeps angular momentum exactly:
//     I w_{k+1} = exp(-h w^) (I w_k + impulse),   w^ = (1 - theta) w_k + theta w_{k+1}
// Since exp(h w^) w^ = w^, the product with w^ gives w^ . I (w_{k+1} - w_k) = w^ . impulse. Without impulse kinetic
// energy is therefore exact for midpoint (theta = 1/2) and never grows for euler (theta = 1), at any h.
#pragma once

// inertia: principal moments [kg m^2], all positive; omega: w_k [rad/s]; impulse: torque times h [N m s]; all in the
// principal axes at the step's start. Writes w^; returns the number of Newton steps. If Newton does not converge (a
// turn of many radians a step) w^ falls back to w_k + theta I^-1 impulse, the rotation without gyroscopic term.
int tn_gyro_solve(const double inertia[3], const double omega[3], const double impulse[3], double h, double theta,
                  double omega_hat[3]);
