// The LCP of a problem with a polyhedral friction cone:
//
//     0 <= c_n  perp  u_n >= 0                 (convex law: u_n - mu s >= 0)
//     0 <= beta perp  D^T u_t + s e >= 0       s: the slip
//     0 <= s    perp  mu c_n - e^T beta >= 0
//
// and of its bounded single rows, scaled to a diagonal of about ones and a largest free velocity of one: M is
// copositive (positive semidefinite for the convex law), so that Lemke's method ends in a solution if the cone is
// pointed.
#pragma once

#include "solver/dense/system.h"
#include "solver/lemke/lcp.h"

// One that pushes, or (push zero) the slip of a contact or of a single row that is bounded on both sides.
typedef struct tn_lemke_unknown {
    int row, n_rows; // rows of the form on which it acts
    double scale;    // force = z scale largest, slip = z largest / scale
    double push[3];  // unit force on the rows
} tn_lemke_unknown;

typedef struct tn_lemke_system {
    const tn_dense *form;
    int n_owners;              // contacts, then bounded single rows
    int *first;                // (n_owners + 1) unknowns of each
    tn_lemke_unknown *unknown; // (lcp.n)
    double largest;            // velocity at base, scaled
    double *base;              // (form->size) force of each row where its unknowns are zero [N, N m]
    double *free;              // (form->size) velocities at base
    double *M, *q;
    tn_lcp lcp;
} tn_lemke_system;

// Number of unknowns, known before anything is made.
double tn_lemke_size(const tn_problem *problem);
// form at no forces. False: no memory.
bool tn_lemke_system_create(const tn_dense *form, tn_arena *arena, tn_lemke_system *out);
// x (form->size): forces of the LCP's z.
void tn_lemke_system_forces(const tn_lemke_system *system, const double *z, double *x);
