// nodal's own look at the tolerances. The law holds exactly at nodal contacts after a sweep, so the momentum residual
// says all about them; general contacts are judged by their natural map as well.
#pragma once

#include "solver/check.h"
#include "solver/nodal/system.h"

typedef struct tn_nodal_check {
    const tn_nodal_system *system;
    tn_tolerance tolerance;
    bool looks; // at the contacts
    tn_check contacts;
    double *u, *all; // (n contacts, 3) scratch
    double b_norm;   // |b|, floored by the step's force scale [N]
} tn_nodal_check;

tn_status tn_nodal_check_create(const tn_nodal_system *system, const tn_tolerance *tolerance, tn_arena *arena,
                                tn_nodal_check *out, tn_error *error);

// The momentum residual `balance` [N] over what is demanded of it; 0 where nothing is.
double tn_nodal_check_balance(const tn_nodal_check *check, double balance);
// The largest of figure/tolerance over what is demanded, after a step that ended in (x, lambda) and left the momentum
// residual `balance` [N]. <= 1 when all hold, NaN when something is NaN.
double tn_nodal_check_merit(const tn_nodal_check *check, double balance, const float *x, const double *lambda);
// |v| of the reference, and the size below which a relative error of v means nothing [m/s].
double tn_nodal_check_size(const tn_nodal_system *system);
double tn_nodal_check_floor(const tn_nodal_system *system);
