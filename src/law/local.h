// One contact solved exactly: r in K and u = W r + q that obey the law, W being any 3x3 matrix.
//
// Vectors hold [0] the normal and [1], [2] the tangents of the contact frame; r is a force [N], u a velocity [m/s],
// W [s/kg]. W need be neither symmetric nor regular: a contact in the plane has a zero row and column for its second
// tangent. Friction is mu[0] along t1 and mu[1] along t2, the cone K = { (r1/mu0)^2 + (r2/mu1)^2 <= r_n^2 }.
//
// The table of sets (law/set.h) for one law of all contacts. Nothing here allocates or keeps state.
#pragma once

#include "law/local_state.h"
#include "tenon/problem.h"

// r: start of the safe iteration in, result out, always in K (to rounding). mu >= 0; W_nn <= 0 gives r = 0 (nothing
// moves, nothing can be pushed). The strict law may have several solutions for odd W: open is preferred, then stick.
tn_local_state tn_local_solve(tn_law law, const double mu[2], const double W[9], const double q[3], double r[3]);

// Replace z by the point of K nearest to it (law: frictionless keeps the normal only).
void tn_local_project(tn_law law, const double mu[2], double z[3]);

// How far (r, u) is from the law: out = r - P_K(r - rho u'), u' = u plus the strict law's shift of the normal,
// sqrt(mu0^2 u1^2 + mu1^2 u2^2). rho [kg/s] > 0. Zero exactly when the law holds.
void tn_local_natural(tn_law law, const double mu[2], double rho, const double r[3], const double u[3], double out[3]);
