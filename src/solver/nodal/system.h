// What one nodal solve prepares: A by colour, contacts that are nodes in its lanes, all other contacts condensed.
//
// A contact that is a rotation of one block, alone on it, isotropic and with softness r I at most is solved inside
// the sweep and needs no force of its own. Every other contact ("general": two nodes, a point in a face, a rigid body,
// several contacts on a node, anisotropic, invertible) keeps its force lambda as an unknown:
//
//     sweep       v_i from A v = b + J^T lambda, row by row (small parts of A, rigid bodies, exactly)
//     contacts    lambda_m by the exact local solve with N_m = J S J^T + Omega,   v += S J^T dlambda_m
//
// one contact after the other; S holds the inverses of the small parts and of the diagonal blocks of all other
// rows. Its fixed points are the problem's solutions.
//
// Packed vectors x are single precision, relative to `reference`: v = reference + x (kernels/nodal/sweep.h). Forces are
// doubles and whole; b and f are what is left of the balance at the reference and its forces.
#pragma once

#include "kernels/nodal/sweep.h"
#include "solver/cond/bodies.h"

typedef struct tn_nodal_general {
    int n;                  // contacts
    const int *id;          // (n) in the problem
    int *response_start;    // (n + 1)
    int *response_place;    // (response_start[n]) places in packed vectors
    double *response;       // (response_start[n], 9) S J^T row-major [m/(N s)]
    double *N;              // (n, 9) local operator with Omega [s/kg]
    double *scale;          // (n) largest diagonal number of N [s/kg]; 0: nothing moves, no force
    const int *place_start; // (n + 1) entries of each contact
    int *place;             // (place_start[n]) place of each Jacobian entry's block
    double *lambda;         // (n, 3) forces of the reference [N]
    double *u;              // (n, 3) offset + J reference [m/s]
} tn_nodal_general;

typedef struct tn_nodal_system {
    const tn_problem *problem;
    int n_threads;
    const tn_layout *layout;
    const tn_ordering *order; // the coloured one: of all packed vectors
    tn_sell sell;
    tn_nodal_rows rows;
    int n_contact_slices;  // of rows.contacts
    tn_cond_bodies bodies; // the small parts
    const int *node_of;    // (n contacts) lane of the contact's node in the order, -1: general
    tn_nodal_general general;
    int passes;        // over the general contacts after a sweep, at most; default 1
    double *reference; // (3 n_rows) [m/s]
    double *balance;   // (3 n_rows) b + J^T lambda - A v at the reference, with the forces of all contacts [N]
    float *b;          // packed balance [N]
    float *change;     // packed, and one slice of zeros more: scratch of steps with residual
    float *f;          // packed b + J^T (lambda - lambda of the reference) of the general contacts [N]
} tn_nodal_system;

// The reference is still to be set.
tn_status tn_nodal_system_create(const tn_problem *problem, int n_threads, tn_arena *arena, tn_nodal_system *out,
                                 tn_error *error);

// The reference becomes v and lambda of a solution, with its balance. Returns |balance| [N].
double tn_nodal_set_reference(tn_nodal_system *system, const tn_solution *start);
// v (3 n_rows) [m/s] at x, the end of a step, to double precision; v may be the reference.
void tn_nodal_end_velocity(const tn_nodal_system *system, const float *x, double *v);
// The reference moves to x, the end of a step that left the forces lambda (general.n, 3), to double precision; vectors
// that are to stay where they are need x taken off. balance, b and f are still those of the old one.
void tn_nodal_move_reference(tn_nodal_system *system, const float *x, const double *lambda);
// balance, b and f of a reference that moved. Returns |balance| [N], the residual of what is now the reference.
double tn_nodal_set_balance(tn_nodal_system *system);

// f from the general forces lambda (general.n, 3).
void tn_nodal_set_force(tn_nodal_system *system, const double *lambda);
// One pass over all rows, then over the general contacts: x packed and lambda (general.n, 3) in place; f follows.
void tn_nodal_step(tn_nodal_system *system, float *x, double *lambda);
// The same, and r (packed) = A x - f at its end.
void tn_nodal_step_residual(tn_nodal_system *system, float *x, double *lambda, float *r);
// Forces of all contacts in their frames (n contacts, 3) after a step.
void tn_nodal_forces(const tn_nodal_system *system, const double *lambda, double *all);
// u (3) of general contact g, with Omega.
void tn_nodal_velocity(const tn_nodal_system *system, int g, const float *x, const double lambda[3], double u[3]);

// Three numbers of a packed vector.
static inline void tn_nodal_widen(double out[3], const float *x)
{
    out[0] = (double)x[0];
    out[1] = (double)x[1];
    out[2] = (double)x[2];
}
