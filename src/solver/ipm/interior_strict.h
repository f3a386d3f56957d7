// Interior point steps of the strict law: De Saxce's shift is an unknown like the velocities, so forces, velocities and
// shift move together and nothing has to follow anything.
//
// The shift is written s = -mu (y_t . x_t) / x_0, with the scaled velocities y = S u of interior.h. It is the strict
// law's mu |u_t| where a contact slides (x on the cone's boundary, y_t opposite to x_t), 0 where it sticks (y_t = 0),
// and smooth as long as x is inside the cone, where |u_t| has a kink that a path of solutions catches on. A step solves
//
//     K dv + J^T C e_0 ds = r,   ds = g + b . J dv
//
// (b the shift's slope in a contact's velocity once dx is eliminated) by GMRES on ds with K's factor. The problem is
// not monotone. As the gap shrinks its solution may stop to exist where it is, in a fold: sliding grows on its own then
// until some contact opens or catches. A fold is crossed by steps of ds/dt = s(u, x) - s, implicit and of length
// `pace`: 1/pace is added to the diagonal of the equation for ds.
#pragma once

#include "solver/gmres.h"
#include "solver/ipm/interior.h"

typedef struct tn_interior_strict {
    tn_interior *interior; // without joints and without Omega
    tn_gmres gmres;
    double *shift;            // (n) [m/s]
    double *off_shift;        // (n) s(u, x) - shift
    double *by_u, *by_x;      // (n, 3) slopes of s(u, x); then by_u is b
    double *g;                // (n)
    double *ds;               // (n)
    double *u;                // (n, 3)
    double *force, *response; // (n, 3), (n_v) of a product
    double inverse_pace;      // 0: Newton's step
    double residual;          // |s(u, x) - shift| before the last step [m/s]
    int solves;               // with K's factor, so far
} tn_interior_strict;

// interior after some steps with the shift 0. False: no memory.
bool tn_interior_strict_create(tn_interior_strict *strict, tn_interior *interior, tn_arena *arena);
// One step: x . y to `target` times what it is on average, residuals (of balance, law and shift) to `keep` times
// themselves. Then interior's gap and reach. TN_NUMERICS: the factor broke down.
tn_status tn_interior_strict_step(tn_interior_strict *strict, double target, double keep, double pace, tn_error *error);
