// Which contacts of a solved problem are closed and which joint rows are at their bounds: law/active.h with the
// problem's own numbers. Everything that treats closed and open differently asks here.
#pragma once

#include "law/active.h"
#include "tenon/problem.h"

// Effective mass of contact m's normal row, 1 / (J_n blockdiag(A)^-1 J_n^T + Omega_nn) [kg/s]; 1 where nothing that
// moves answers. Global form.
double tn_contact_normal_mass(const tn_problem *problem, int m);
// Contact m presses. Global form.
bool tn_contact_is_closed(const tn_problem *problem, int m, const double *v, const double *lambda);

// Row i of joints with the force f, of bodies with the balance A.
tn_active tn_single_active(const tn_rows *rows, int i, const tn_blocks *A, const double *v, double f);
