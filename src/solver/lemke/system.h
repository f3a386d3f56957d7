// The LCP of a problem with a polyhedral friction cone:
//
//     0 <= c_n  perp  u_n >= 0                 (convex law: u_n - mu s >= 0)
//     0 <= beta perp  D^T u_t + s e >= 0       s: the slip
//     0 <= s    perp  mu c_n - e^T beta >= 0
//
// and of its bounded joint rows, scaled to a diagonal of about ones and a largest free velocity of one: M is copositive
// (positive semidefinite for the convex law), so that Lemke's method ends in a solution if the cone is pointed.
#pragma once

#include "solver/lemke/force_form.h"
#include "solver/lemke/lcp.h"

// One that pushes, or (push zero) the slip of a contact or of a joint row that is bounded on both sides.
typedef struct tn_lemke_unknown {
    int owner;      // contact, or contacts->n + number of the bounded row
    double push[3]; // unit force on the owner's rows
} tn_lemke_unknown;

typedef struct tn_lemke_system {
    const tn_force_form *form;
    int n_owners;
    int *first;                // (n_owners + 1) unknowns of each
    tn_lemke_unknown *unknown; // (lcp.n)
    double *scale;             // (n_owners) force = z scale largest, slip = z largest / scale
    double largest;
    double *base; // (n_bounded) force of each joint row where its unknown is zero [N, N m]
    double *free; // (form->n) velocities at base
    double *M, *q;
    tn_lcp lcp;
} tn_lemke_system;

// Number of unknowns, known before anything is made.
double tn_lemke_size(const tn_problem *problem);
// False: no memory.
bool tn_lemke_system_create(const tn_force_form *form, tn_arena *arena, tn_lemke_system *out);
// lambda (contacts->n, 3) and f (n_bounded) of the LCP's z.
void tn_lemke_system_forces(const tn_lemke_system *system, const double *z, double *lambda, double *f);
