// cond's own look at the tolerances while it iterates. The figures that a user sees are those of
// problem/certificate.c, computed afterwards; these share their definitions but not their code.
#pragma once

#include "solver/cond_system.h"

typedef struct tn_cond_check {
    const tn_cond_system *system;
    double *rho;  // (n_contacts) inverse of the largest diagonal of J blockdiag(A)^-1 J^T [N s/m]
    double *Av;   // (3 n_rows) scratch
    double *f;    // (3 n_rows) scratch
    double *free; // (n_contacts, 3) free contact velocity q, for the scale of fclib; NULL: unknown or not needed
    double f0;    // floor of force norms [N]
} tn_cond_check;

// For the tolerances that are demanded. TN_NO_MEMORY only.
tn_status tn_cond_check_create(const tn_cond_system *system, const tn_tolerance *tolerance, tn_arena *arena,
                               tn_cond_check *out, tn_error *error);

// The largest of figure/tolerance over momentum, natural and fclib as far as demanded: <= 1 when all hold; 0 when
// none is demanded; NaN when something is NaN.
double tn_cond_check_merit(const tn_cond_check *check, const tn_tolerance *tolerance, const double *v,
                           const double *lambda);
