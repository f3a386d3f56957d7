// The projections of Newton's methods and their slopes, for one contact with isotropic friction.
#pragma once

#include "tenon/problem.h"

// z = P(z) and slope (9, row-major) = one element of P's generalised derivative. slope[0] = 0 exactly when the contact
// is open. TN_LAW_COULOMB is Alart and Curnier's: normal force first, then the disc of radius mu times it, whose slope
// is not symmetric while sliding. TN_LAW_CONVEX is the nearest point of the cone (symmetric). Frictionless: mu = 0.
void tn_newton_project(tn_law law, double mu, double z[3], double slope[9]);
