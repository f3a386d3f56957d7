// A problem of few contacts as one dense matrix: u = N lambda + q with N = J A^-1 J^T (or W) and Omega on its diagonal.
//
// All of it has room of its own, so that a solve asks for no memory. Where bodies are free of one another (every block
// of A alone) N costs some hundred operations a pair of contacts; other problems are not taken.
#pragma once

#include "tenon/problem.h"

enum { TN_FEW_CONTACTS = 10, TN_FEW_ENTRIES = 40, TN_FEW_SIZE = 3 * TN_FEW_CONTACTS };

typedef struct tn_few_system {
    const tn_problem *problem;
    int n, size;                         // contacts, 3 n
    double N[TN_FEW_SIZE * TN_FEW_SIZE]; // (size, size) row-major, with Omega
    double own[9 * TN_FEW_CONTACTS];     // (n, 9) its diagonal blocks
    double q[TN_FEW_SIZE];               // (n, 3) free contact velocities [m/s]
    double rho[TN_FEW_CONTACTS];         // (n) as tn_check_rho's [kg/s]
    double respond[9 * TN_FEW_ENTRIES];  // (entries, 9) global form: J_e A^-1
} tn_few_system;

// Why it is not one; NULL: it is. Static string.
const char *tn_few_refusal(const tn_problem *problem);

// v (3 A->n_rows) becomes A^-1 b; NULL in local form. False: A is not positive definite.
bool tn_few_build(const tn_problem *problem, double *v, tn_few_system *out);
// u (n, 3) = N lambda + q.
void tn_few_velocity(const tn_few_system *system, const double *lambda, double *u);
// v += A^-1 J^T lambda; global form.
void tn_few_recover(const tn_few_system *system, const double *lambda, double *v);
