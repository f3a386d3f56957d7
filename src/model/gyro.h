// Free rotation of a rigid body over a time, in its principal axes.
//
// Without torque the body turns by exp(h W) while its angular momentum stays where it is in the world:
//     I w' = exp(-h W) I w,   W = (w + w')/2
// Since exp(h W) W = W, the product with W gives w' . I w' = w . I w: momentum and energy are kept at any h; of second
// order. Bodies with two equal moments (about e, the moment J of the other two) take the exact motion,
//     exp(h W) = exp(h I w/J) exp(h (1 - I_e/J) w_e e).
#pragma once

// inertia: principal moments [kg m^2], all positive; omega [rad/s] and h [s] of either sign. Writes the turn as a unit
// quaternion: it takes vectors from the axes at the end to those at the start. Returns into how many parts of equal
// length the time had to be split: 1, but for asymmetric bodies that turn by many radians. A body that turns by
// tens of thousands of radians turns about its momentum.
int tn_gyro_turn(const double inertia[3], const double omega[3], double h, double turn[4]);

// The velocity omega by which a body turns so, in one part: what tn_gyro_turn undoes, of asymmetric bodies in
// closed form, I w = (1 + [tan(p/2) axis]) I W. omega is read too: whole turns are those of about that velocity, and
// that of a round body is looked for from there on; 0, or about what it will be.
void tn_gyro_rate(const double inertia[3], const double turn[4], double h, double omega[3]);

// Mean angular velocity over the time less that at its start, to first order in h: h/2 I^-1 ((I w) x w).
void tn_gyro_swing(const double inertia[3], const double omega[3], double h, double out[3]);

// omega' of a body that has turned so: I w' = exp(-h W) I w; may alias omega.
void tn_gyro_carry(const double inertia[3], const double turn[4], const double omega[3], double out[3]);

// Mean velocity over the time h [s] of the end of an arm [m] that turns at omega [rad/s], less that at its start: a
// body turns by the arc. Of it what is stiff would else be strained by theta^2/2 of the arm. May alias arm.
void tn_gyro_arc(const double omega[3], const double arm[3], double h, double out[3]);
