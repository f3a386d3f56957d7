// cond's own look at the tolerances while it iterates: the contact figures of solver/check.h, and momentum.
#pragma once

#include "solver/check.h"
#include "solver/cond_system.h"

typedef struct tn_cond_check {
    const tn_cond_system *system;
    tn_check contacts;
    double *u;     // (n_contacts, 3) scratch
    double *Av;    // (3 n_rows) scratch
    double *f;     // (3 n_rows) scratch
    double b_norm; // |b|, floored by the step's force scale [N]
} tn_cond_check;

// TN_NO_MEMORY only.
tn_status tn_cond_check_create(const tn_cond_system *system, const tn_tolerance *tolerance, tn_arena *arena,
                               tn_cond_check *out, tn_error *error);

// The largest of figure/tolerance over momentum, natural and fclib as far as demanded: <= 1 when all hold; 0 when
// none is demanded; NaN when something is NaN.
double tn_cond_check_merit(const tn_cond_check *check, const tn_tolerance *tolerance, const double *v,
                           const double *lambda);
