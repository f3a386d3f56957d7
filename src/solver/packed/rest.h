// Contacts swept one by one, on the same x as the packs: those with Omega but for one number along the normal and one
// across, with friction that differs by direction, on more than two lines of bodies or with a singular W_tt - W_tn W_nt
// / W_nn; and moments.
#pragma once

#include "solver/packed/lines.h"

typedef struct tn_rest {
    int n; // contacts
    const tn_problem *problem;
    const int *id;    // (n) their numbers in the problem
    const int *start; // (n + 1) first entry
    const int *at;    // (start[n]) first number of the entry's block in x
    const double *H;  // (start[n], 9) column by column: H[3 j + i] is row i of the contact
    const double *W;  // (n, 9) H H^T + Omega
    const int
        *pressed; // (n) of a moment: where the normal force that presses it lies among all forces; of a contact: -1
} tn_rest;

// The n contacts id; id and pressed stay the caller's. False: no memory.
bool tn_rest_create(tn_rest *rest, const tn_problem *problem, const tn_lines *lines, int n, const int *id,
                    const int *pressed, tn_arena *arena);
// lambda (n, 3) in the order of id; all: all forces.
void tn_rest_add(const tn_rest *rest, const double *lambda, double *x);                // x += H^T lambda
void tn_rest_sweep(const tn_rest *rest, const double *all, double *lambda, double *x); // one pass
// u of the k-th, with Omega lambda.
void tn_rest_velocity(const tn_rest *rest, int k, const double *lambda, const double *x, double u[3]);
