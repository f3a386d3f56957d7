// Newton's method on the velocities of a coupled A with sparse Cholesky: the parts of sparse.c's loop.
//
// Unknowns are v and scaled forces y with lambda = D y; D scales the tangents of anisotropic friction to isotropic
// (law/set_cone.c). P is Alart and Curnier's projection for the strict law, the cone's for the convex law. Two kinds of
// semismooth Newton step:
//
// - primal-dual: both equations A v = b + J^T D y and y = P(y - rho D u), u = J v + w, are linearised, and the change
// of
//   y is eliminated contact by contact (a compliance of delta / rho keeps that finite). Fast: five to nine steps from
//   anywhere in four problems out of five; it may cycle.
// - of the method of multipliers (y^ held, y = P(y^ - rho D u) inserted): R(v) = A v - b - J^T D y(v) = 0. With the
//   friction radii held R is the gradient of a convex function, so a line search along -K^-1 R always gets lower: the
//   globalisation of the convex law, and the strict law's way on where a Newton step fails.
//
// Either matrix is A + J^T G J with 3x3 blocks G, symmetric but for the strict law's dependence of friction on the
// normal force. Cholesky factors K, without that part; GMRES on the contact forces returns it in some five products.
#pragma once

#include "math/cholesky.h"
#include "solver/body_factor.h"
#include "solver/check.h"
#include "solver/contact_matrix.h"
#include "solver/gmres.h"

typedef struct tn_newton_velocity {
    const tn_problem *problem;
    const tn_check *check;
    int n, n_v;          // contacts, numbers in v
    double b_norm;       // |b|, floored by the force scale [N]
    double *mu;          // (n) of the scaled contact
    double *scale;       // (n, 3) D
    double *rho;         // (n) [kg/s]
    double *multiplier;  // (n, 3) y^: the unknown y of primal-dual steps, else held
    double *v, *R;       // (n_v)
    double *u, *y;       // (n, 3) contact velocities (not scaled), scaled forces P(...)
    double *lambda;      // (n, 3) D y
    double *slope;       // (n, 9) P'
    double *C;           // (n, 9) the part of G in K
    double *rest;        // (n, 9) G - C
    bool has_rest;       // any of it is not zero
    double *step;        // (n_v)
    double *Av, *Astep;  // (n_v) products
    double *ustep;       // (n, 3) J step
    double *v_old;       // (n_v)
    double *force;       // (n_v) scratch
    double *response;    // (n_v) scratch of GMRES
    double *contact, *q; // (n, 3) scratch
    tn_contact_matrix K; // A + J^T C J
    tn_cholesky *factor; // of K; NULL: bodies, of rigid ones
    tn_body_factor bodies;
    bool damped; // soft rows count as a little softer
    tn_gmres gmres;
    int n_threads;
    int factorisations, solves; // counts
    double setup;               // time of analysis and factorisations [s]
} tn_newton_velocity;

// v and lambda: start. Free with destroy, also after a failure.
tn_status tn_newton_velocity_create(tn_newton_velocity *s, const tn_problem *problem, const tn_check *check,
                                    const tn_solution *start, int n_threads, tn_arena *arena, tn_error *error);
void tn_newton_velocity_destroy(tn_newton_velocity *s);

// Other v (n_v) and lambda (n, 3) to go on from.
void tn_newton_velocity_start(tn_newton_velocity *s, const double *v, const double *lambda);
// rho = factor times each contact's inverse mobility.
void tn_newton_velocity_set_rho(tn_newton_velocity *s, double factor);
// u (with Omega lambda), y, lambda, slopes and R at v.
void tn_newton_velocity_evaluate(tn_newton_velocity *s);
// |R| relative, as the certificate's momentum.
double tn_newton_velocity_momentum(const tn_newton_velocity *s);
// v moves by one step at held multipliers and is evaluated: the Newton step where it lessens the residual in the norm
// of K^-1, else the symmetric step with an exact line search.
tn_status tn_newton_velocity_move(tn_newton_velocity *s, tn_error *error);
// One primal-dual step of v and y^, without safeguard, and evaluation.
tn_status tn_newton_velocity_dual(tn_newton_velocity *s, tn_error *error);
// search.c: how far along s->step the convex function with the present friction radii is lowest, from Av,
// Astep, ustep and the last evaluation; in (0, 4].
double tn_newton_velocity_search(const tn_newton_velocity *s);
