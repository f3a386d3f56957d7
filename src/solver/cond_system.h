// What one cond solve prepares once: S (inverses of bodies, W of nodes), the response S J^T and gamma of each contact.
#pragma once

#include "base/arena.h"
#include "solver/cond.h"
#include "solver/cond_bodies.h"
#include "tenon/problem.h"

typedef struct tn_cond_system {
    const tn_problem *problem;
    int n_rows;               // block rows of A
    int n_contacts;           //
    int n_threads;            // of products with A
    const double *compliance; // (n_contacts) of virtual nodes that were eliminated; NULL: none [m/(N s)]
    tn_cond_bodies bodies;    // small components of A
    double *w;                // (n_rows, 3) diagonal of W; unused on rows of bodies [m/(N s)]
    double w_guard;           // factor that the guard lambda_max(W A) <= 1.8 put on W; 1: none was needed

    // Response of v to a change of contact m's force: v_block(r) += s response_r dlambda_m, r from response_start[m];
    // s = 1 on rows of bodies, alpha on nodes.
    int *response_start; // (n_contacts + 1)
    int *response_block; // (response_start[n_contacts])
    double *response;    // (response_start[n_contacts], 9) row-major [m/(N s)]
    double *gamma_body;  // (n_contacts) the part of gamma from bodies, Omega and compliance [s/kg]
    double *gamma_node;  // (n_contacts) the part from W; gamma = gamma_body + alpha gamma_node
    bool *nodal;         // (n_contacts) alone on nodes, J a rotation: the document's contact, old lambda cancels
} tn_cond_system;

tn_status tn_cond_system_create(const tn_problem *problem, const tn_cond_options *cond, const double *compliance,
                                int n_threads, tn_arena *arena, tn_cond_system *out, tn_error *error);

// u (3) of contact m = J v + w + (Omega + compliance) lambda_m.
void tn_cond_velocity(const tn_cond_system *system, int m, const double *v, const double lambda_m[3], double u[3]);
// f = b + J^T lambda, all block rows.
void tn_cond_force(const tn_cond_system *system, const double *lambda, double *f);
// Largest eigenvalue of W A on the nodes (40 power iterations, from below; 0 without nodes), or -1: no memory.
double tn_cond_largest_eigenvalue(const tn_cond_system *system, tn_arena *arena);

// Fill w and w_guard: uniform_w where > 0, unguarded; else the Frobenius norm's, one number for the three rows of each
// touched (n_rows) node, scaled so that lambda_max(W A) <= 1.8. TN_NO_MEMORY only.
tn_status tn_cond_set_w(tn_cond_system *system, double uniform_w, const bool *touched, tn_arena *arena);

// Step lengths of one iteration.
typedef struct tn_cond_step_size {
    double alpha; // factor of W, 1 = as prepared
    double gamma; // factor of every gamma, >= 1: 1 = as prepared, more = smaller steps of lambda
} tn_cond_step_size;

// Av = A v; does nothing when A has no nodes, as the step then needs no product.
void tn_cond_product(const tn_cond_system *system, const double *v, double *Av);
// One V-FPI step from (v, lambda) to (v, lambda) in place. Av (3 n_rows): tn_cond_product of the start; f (3 n_rows):
// scratch. Without refresh v must fulfil the balance of all bodies already, as it does after a step and in any affine
// combination of such points (a step only adds rounding errors to it); nodes are always predicted anew.
void tn_cond_step(const tn_cond_system *system, tn_cond_step_size size, double *v, double *lambda, const double *Av,
                  bool refresh, double *f);
