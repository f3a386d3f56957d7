// One ADMM iteration's parts (ccs.h): balance, split, and the choice of rho. For ccs*.c only.
#pragma once

#include "math/cholesky.h"
#include "solver/ccs/ccs.h"
#include "solver/check.h"
#include "solver/contact_matrix.h"

typedef struct tn_ccs {
    const tn_problem *problem;
    const tn_ccs_options *options;
    tn_tolerance tolerance;
    tn_check check;
    int n, n_v;
    double b_norm;         // |b|, floored by the force scale [N]
    double factor_of_rho;  // rho over the inverse mobility
    double *rho;           // (n) [kg/s]
    double *C;             // (n, 9) rho I
    double *v, *v_last;    // (n_v)
    double *force, *right; // (n_v) scratch
    bool refines;          // solves with a step of refinement
    int n_threads;
    double *u;        // (n, 3) J v + w, then with Omega lambda
    double *z;        // (n, 3) the copy that obeys the law
    double *lambda;   // (n, 3)
    double *held;     // (n, 3) forces that v balances
    double *mismatch; // (n, 3) held - lambda
    double *best_v, *best_lambda;
    double score;                       // of best
    double *u_split;                    // (n, 3) J v + w
    double *velocity_then, *force_then; // (n, 3) of an earlier iteration, dimensionless
    double theta;                       // |v - v_last| [m/s]
    tn_contact_matrix K;
    tn_cholesky *cholesky;
    double setup; // time of factorisations [s]
} tn_ccs;

// problem, options, tolerance, sizes and n_threads are set. First factor included.
tn_status tn_ccs_create(tn_ccs *s, const tn_solution *start, tn_arena *arena, tn_error *error);
// K of the present factor_of_rho, factored.
tn_status tn_ccs_factor(tn_ccs *s, tn_error *error);

// v of the forces lambda + rho (z - w), and held = lambda - rho (J v + w - z): what A v - b is balanced by.
tn_status tn_ccs_balance(tn_ccs *s, tn_error *error);
// lambda and z contact by contact; u gets Omega lambda for the check.
void tn_ccs_split(tn_ccs *s);

// |A v - b - J^T lambda| = |J^T (held - lambda)|, relative: no product with A.
double tn_ccs_momentum(tn_ccs *s);
// The same from A v itself, rounding included.
double tn_ccs_true_momentum(tn_ccs *s);

// rho.c: remember where the balance is; later, move rho to the stiffness with which the bodies answered since.
// damped: half of the way, in logarithms; later differences see the slowest modes only. Factors where rho moves.
void tn_ccs_remember(tn_ccs *s);
tn_status tn_ccs_rebalance(tn_ccs *s, bool damped, tn_error *error);
