// Regularised semismooth Newton on the projection equation lambda = P(lambda - rho u), for small problems.
#pragma once

#include "solver/gauss_seidel.h"

enum { TN_NEWTON_CONTACTS = 600 }; // largest problem: its dense matrix has (3 n)^2 numbers

// From gs->lambda (explicit N) on, Newton steps alternating with accelerated Gauss-Seidel sweeps, until score <= 1 or
// run->max_sweeps (a Newton step counts as one). The best iterate is in gs at the end. TN_NO_MEMORY only.
tn_status tn_newton_solve(tn_gauss_seidel *gs, const tn_check *check, tn_gauss_seidel_run *run, tn_arena *arena);
