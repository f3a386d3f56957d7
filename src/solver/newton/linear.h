// The linear systems of velocity.h's steps; for this folder only.
#pragma once

#include "solver/newton/velocity.h"

// G = rho P' of a step at held multipliers, into C and rest.
void tn_newton_take_slopes(tn_newton_velocity *s);
// G of a primal-dual step: with M = I - P' + P' (delta + rho D Omega D) the forces change by -g - rho M^-1 P' D J dv,
// g (n, 3) = M^-1 (y^ - P).
void tn_newton_eliminate_forces(tn_newton_velocity *s, double *g);
// K = A + J^T C J, factored.
tn_status tn_newton_factor(tn_newton_velocity *s, tn_error *error);
// out = K^-1 x, which may be the same (n_v).
tn_status tn_newton_solve_symmetric(tn_newton_velocity *s, const double *x, double *out, tn_error *error);
// s->step = (K + J^T rest J)^-1 K x, x (n_v).
tn_status tn_newton_add_friction(tn_newton_velocity *s, const double *x, tn_error *error);
