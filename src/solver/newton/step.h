// One problem's semismooth Newton iteration: its arrays, and one damped step.
//
// The law is F(y) = y - P(y - rho u) = 0, u = W y + q (Alart-Curnier 1991 for the strict law: P takes the normal force
// first, then the disc of that radius; the cone's projection for the convex law). One step solves
//
//     ((I - P') + rho P' (W + alpha I)) dy = -F
//
// over the contacts that touch. alpha -> 0 with the residual: it keeps the step finite where W is singular and the
// forces are not unique (a proximal point step).
//
// Anisotropic friction is made isotropic by scaling the tangents: y = D^-1 lambda, W -> D W D, q -> D q
// (law/set_cone.c).
#pragma once

#include "solver/gauss_seidel.h"

typedef struct tn_newton {
    tn_gauss_seidel *gs;
    const tn_check *check;
    int n;            // contacts
    double *scale;    // (n, 3) D
    double *mu;       // (n) of the scaled contact; 0 under the frictionless law
    double *rho;      // (n) [kg/s]
    double *y;        // (n, 3) scaled forces
    double *trial;    // (n, 3) of the line search; holds lambda in between
    double *residual; // (n, 3) F
    double *slope;    // (n, 9) P'
    int *active;      // (n) contacts with P' != 0
    int n_active;
    int *place;     // (n) in active, or -1
    double *matrix; // (3 n_active square)
    double *step;   // (3 n_active)
    int *pivot;     // (3 n_active)
} tn_newton;

// gs with explicit N. False: no memory.
bool tn_newton_create(tn_newton *s, tn_gauss_seidel *gs, const tn_check *check, tn_arena *arena);
// y from the forces that gs holds.
void tn_newton_take(tn_newton *s);
// F at y into residual (n, 3) and, with_slope, P' into s->slope. gs takes the forces. Returns |F|.
double tn_newton_evaluate(tn_newton *s, const double *y, double *residual, bool with_slope);
// One damped step of y, alpha relative to each contact's own mobility; *norm is |F| after it. False: no step lessened
// |F|.
bool tn_newton_step(tn_newton *s, double alpha, double *norm);
