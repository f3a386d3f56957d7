// Regularised semismooth Newton on the projection equation lambda = P(lambda - rho u), for small problems.
#pragma once

#include "solver/gauss_seidel.h"

// Soft contacts, far more than bodies can move, as on an elastic foundation: their forces follow from few velocities,
// which the form in the velocities finds in a step or two. 900 on one cube: 1 to 3 ms, where ipm takes 15 to 30 ms.
bool tn_newton_is_crowded(const tn_problem *problem);

enum { TN_NEWTON_CONTACTS = 600 }; // largest problem: its dense matrix has (3 n)^2 numbers

// From gs->lambda (explicit N) on, Newton steps alternating with accelerated Gauss-Seidel sweeps, until score <= 1 or
// run->max_sweeps (a Newton step counts as one). The best iterate is in gs at the end. TN_NO_MEMORY only.
tn_status tn_newton_solve(tn_gauss_seidel *gs, const tn_check *check, tn_gauss_seidel_run *run, tn_arena *arena);
