// The certificate's own friction cone, K = { f : sqrt((f_1/mu_1)^2 + (f_2/mu_2)^2) <= f_n }, written apart from law/
// so that no solver can grade itself with its own mistake. NaN in gives NaN out.
#pragma once

#include "tenon/problem.h"

// Residual of the conic law at one contact [N]: out = f - P_K(f - s w), P_K the nearest point of K. Zero exactly when
// f in K, w in the dual cone and f . w = 0, for every s > 0 [N s/m]. mu = {0, 0} is the frictionless ray.
void tn_certificate_conic_residual(const double mu[2], double s, const double f[3], const double w[3], double out[3]);

// Its square for a law: u gets the strict law's shift, or loses its tangents [N^2].
double tn_certificate_squared_residual(tn_law law, const double mu[2], double s, const double f[3], const double u[3]);
// De Saxce's shift sqrt((mu_1 u_1)^2 + (mu_2 u_2)^2): |mu u_t| of the sliding velocity u (3) [m/s].
double tn_certificate_shift(const double mu[2], const double u[3]);
// How far f_t lies outside the friction ellipse of f_n [N]: |f_t| - mu f_n where isotropic; negative inside.
double tn_certificate_cone_excess(const double mu[2], const double f[3]);
