// The strict law by any solver of the convex one: De Saxce's shift s = mu |u_t|, added to the normal velocity, as a
// fixed point s -> mu |u_t(s)|, with its convergence watched.
//
// The map contracts where friction is moderate (V. Acary, F. Cadoux, C. Lemarechal, J. Malick, ZAMM 91, 2011), not
// always. Each new shift goes a share w of the way, s += w (mu |u_t| - s): w = 1 until the residual |mu |u_t| - s| has
// not fallen by a tenth for `patience` updates, then half of that, and so on. Below 1/16 the fixed point counts as
// lost, and the caller stops and reports so.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_shift {
    const tn_problem *problem;
    double *value;         // (contacts) s [m/s]
    int patience;          // default 60, of exact solutions; more where they are rough
    double share;          // w
    double residual, best; // |mu |u_t| - s| of the last update, and the least so far [m/s]
    int updates, stalled;  // since the best one fell by a tenth
} tn_shift;

// value starts at 0. False: no memory.
bool tn_shift_create(tn_shift *shift, const tn_problem *problem, tn_arena *arena);
// mu |u_t| of one contact; 0 unless the law is the strict one.
double tn_shift_of(const tn_problem *problem, int m, const double u[3]);
// Take over the shift of u (contacts, 3), whole: a start.
void tn_shift_set(tn_shift *shift, const double *u);
// |mu |u_t| - s| [m/s]
double tn_shift_residual(const tn_shift *shift, const double *u);
// One step of the fixed point; u (contacts, 3) solves the convex problem with the present shift. False: it does not
// contract.
bool tn_shift_update(tn_shift *shift, const double *u);
