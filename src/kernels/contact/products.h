// Products with the contacts' Jacobians in one reading of them, entry by entry: velocities, forces on the bodies, what
// a unit force answers, velocities of another motion. Vectorised for what the processor has.
//
// The jacobian is the largest array of a step of rigid bodies (288 B a contact): each reading of it costs more than the
// arithmetic. Sums have one order whatever the instruction set, without fused multiply-adds: the bits are the same. So
// they are for any number of threads: a thread has a part of the contacts, whose velocities it finds, and a part of the
// blocks, whose forces it sums over all contacts in their order.
#pragma once

#include "tenon/problem.h"

#include <stdbool.h>

// What to compute; NULL is left out. In: global form with n contacts.
typedef struct tn_contact_products {
    const double *v;       // (3 blocks)
    double *u;             // (n, 3) J v + w, without Omega
    const double *lambda;  // (n, 3)
    double *force;         // (3 blocks) J^T lambda is added
    const double *inverse; // (blocks, 9) symmetric, where contacts act
    bool diagonal;         // those have nothing off the diagonal
    double *scale;         // (n) largest diagonal of sum_e J_e inverse_e J_e^T
    const double *v_free;  // (3 blocks)
    double *u_free;        // (n, 3) J v_free + w
    int n_threads;         // 0, 1: one; more only if n_blocks is given
    int n_blocks;          // of v and force
} tn_contact_products;

// u with v, force with lambda, scale with inverse, u_free with v_free. Those asked for must be among: u, force, both,
// both with scale, all. force must not overlap anything.
void tn_contact_products_run(const tn_rows *contacts, const tn_contact_products *products);

// The same with the named instruction set: "avx512", "avx2" or "baseline"; false (nothing done) where the processor
// lacks it. For tests and measurements.
bool tn_contact_products_with(const char *kind, const tn_rows *contacts, const tn_contact_products *products);
