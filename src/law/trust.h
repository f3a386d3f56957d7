// The least of a convex quadratic within a ball: friction without a normal force of its own.
#pragma once

// y (n) minimises sum s_i y_i^2 / 2 + c_i y_i on |y| <= radius: a trust region in the axes of its matrix, s (n) >= 0
// the eigenvalues, n at most 3. c_i = 0 gives y_i = 0. Exact to rounding; |y| may exceed the radius by that.
void tn_trust_solve(int n, const double *s, const double *c, double radius, double *y);

// Of any matrix of two rows, S = (S_11, S_12, S_22): t minimises t . S t / 2 + b . t on |t| <= radius, and stays
// within.
void tn_trust_solve_disc(double radius, const double S[3], const double b[2], double t[2]);

// Replace t by the nearest point of the disc.
void tn_disc_project(double radius, double t[2]);
