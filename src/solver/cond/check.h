// cond's own look at the tolerances while it iterates: the contact figures of solver/check.h, and momentum.
//
// The contacts of the kernel are not looked at: after a plain step they fulfil their law to rounding, whatever the
// iteration has reached. Figures of the general ones are divided by their own forces alone, which errs on the safe
// side.
#pragma once

#include "solver/check.h"
#include "solver/cond/system.h"

typedef struct tn_cond_check {
    const tn_cond_system *system;
    tn_problem general; // the problem with the general contacts alone
    tn_check contacts;
    double *u;     // (general.n, 3) scratch
    double *f;     // (n_packed) scratch
    double *Av;    // (n_packed) scratch
    double b_norm; // |b|, floored by the step's force scale [N]
} tn_cond_check;

// out must stay where it is. TN_NO_MEMORY only.
tn_status tn_cond_check_create(const tn_cond_system *system, const tn_tolerance *tolerance, tn_arena *arena,
                               tn_cond_check *out, tn_error *error);

// The largest of figure/tolerance: <= 1 when all hold; 0 when none is demanded; NaN when something is NaN.
// Of the contacts (natural and fclib) at x.
double tn_cond_check_contacts(const tn_cond_check *check, const tn_tolerance *tolerance, const double *x);
// Of momentum, from |A v - b - J^T lambda| as the pass has it for free.
double tn_cond_check_residual(const tn_cond_check *check, const tn_tolerance *tolerance, double residual);
// Of momentum at x, the end of a plain step with alpha that recorded its forces: one more product.
double tn_cond_check_momentum(const tn_cond_check *check, const tn_tolerance *tolerance, const double *x, double alpha);
