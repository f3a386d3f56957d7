// The least of a convex quadratic within a ball: friction without a normal force of its own.
#pragma once

// y (n) minimises sum s_i y_i^2 / 2 + c_i y_i on |y| <= radius: a trust region in the axes of its matrix, s (n) >= 0
// the eigenvalues, n at most 3. c_i = 0 gives y_i = 0. Exact to rounding; |y| may exceed the radius by that.
void tn_trust_solve(int n, const double *s, const double *c, double radius, double *y);
