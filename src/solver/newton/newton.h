// Regularised semismooth Newton on the projection equation lambda = P(lambda - rho u), for small problems.
#pragma once

#include "solver/gauss_seidel.h"

// Soft contacts whose forces follow from velocities in few steps: far more than bodies can move, as on an elastic
// foundation (900 on one cube: 0.1 ms, where ipm takes 15 to 30), or no more than bodies, as in stacks, whose factor
// has no fill (100 spheres: 0.1 ms, where sweeps take 0.3 and leave 1e-6 of the springs' law).
bool tn_newton_suits_velocities(const tn_problem *problem);

// Part of the tolerance that steps in the velocities, where they go straight to the solution of soft contacts, aim at
// while each leaves so much of the last one's figure: the springs' law is known no better than its rows.
static const double TN_NEWTON_FINE = 3e-3, TN_NEWTON_QUICK = 0.1;

enum { TN_NEWTON_CONTACTS = 600 }; // largest problem: its dense matrix has (3 n)^2 numbers
