// Nearest points of an ellipse and of an elliptic cone: anisotropic friction.
//
// Both reduce to one scalar equation, solved by Newton's method inside a bracket to the last digits.
#pragma once

#include "law/cone.h"

#include <stdbool.h>

// Replace t (2) by the point nearest to it with (t_1/r_1)^2 + (t_2/r_2)^2 <= 1; radius (2) >= 0, 0 means t_i = 0.
// Returns whether t was inside already (and is unchanged). At fixed normal force this is maximal dissipation:
// note that the friction force is then not opposite to the sliding velocity.
bool tn_ellipse_project(const double radius[2], double t[2]);

// Replace f by the nearest point of K = { f : sqrt((f_1/mu_1)^2 + (f_2/mu_2)^2) <= f_n }; mu (2) >= 0.
tn_cone_region tn_ellipse_cone_project(const double mu[2], double f[3]);
