// Contacts packed for fast Gauss-Seidel sweeps where A falls into small components.
//
// With the components' Cholesky factors A = L L^T and scaled velocities x = L^T v,
//
//     u_m = H_m x + w_m (+ Omega_m lambda_m),   x += H_m^T dlambda_m,   H_m = J_m L^-T
//
// so one array H serves for reading u and for writing x. Everything that one contact needs lies together.
#pragma once

#include "base/arena.h"
#include "problem/components.h"
#include "tenon/problem.h"

// What the local solve needs of W = H H^T (+ Omega), the strict law's elimination of the normal done in advance.
typedef struct tn_packed_contact {
    double offset[3];           // w [m/s]
    double w;                   // W_nn [s/kg]
    double inverse_w;           // 1 / W_nn, 0 if W_nn is
    double g[2];                // W_nt / W_nn
    double S[3];                // W_tt - W_tn W_nt / W_nn: [0] (1,1), [1] (1,2), [2] (2,2)
    double inverse_determinant; // of S
    double mu;                  // isotropic friction, or negative: leave it to the general solve
} tn_packed_contact;

typedef struct tn_packed {
    int n; // contacts
    tn_law law;
    tn_components components; // of A, with their factors
    const int *id;            // (n) the order of the sweep: which contact is k-th; what follows is in that order
    const int *start;         // (n + 1) first entry
    const int *at;            // (start[n]) first number of the entry's block in x
    const double *H;          // (start[n], 9) column by column: H[3 j + i] is row i of the contact
    const tn_packed_contact *contacts; // (n)
    const double *omega;               // (n, 9) or NULL, by contact
    const double *mu;                  // (n, 2) by contact
    double *slide;                     // (n) |u_t| / |lambda_t| of the last sliding solve: where Newton starts
    int n_x;
    double *x;      // (n_x) scaled velocities
    double *x_free; // (n_x) of lambda = 0
} tn_packed;

// TN_BAD_INPUT when A does not fall into components of at most four blocks; TN_NUMERICS when it is not positive
// definite (the error names the block).
tn_status tn_packed_create(tn_packed *packed, const tn_problem *problem, tn_arena *arena, tn_error *error);

void tn_packed_set(tn_packed *packed, const double *lambda);                       // x of the forces lambda (n, 3)
void tn_packed_sweep(tn_packed *packed, double *lambda);                           // one pass; lambda and x follow
void tn_packed_velocity(const tn_packed *packed, const double *lambda, double *u); // u (n, 3), with Omega
// v (n_x) = A^-1 (b + J^T lambda), from the forces alone; x follows.
void tn_packed_recover(tn_packed *packed, const double *lambda, double *v);
