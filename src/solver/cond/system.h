// What one cond solve prepares once: A in its fast format with W and the contacts that the kernel handles, the inverses
// of bodies, and for every other contact its response S J^T and gamma.
//
// An iterate x is one array: packed velocities of all block rows (kernels/sell.h; four numbers a row), then the forces
// (3 a contact) of the contacts that the kernel does not handle. The forces of those it does handle follow from v.
#pragma once

#include "base/arena.h"
#include "kernels/fpi.h"
#include "solver/cond/bodies.h"
#include "solver/cond/cond.h"
#include "tenon/problem.h"

typedef struct tn_cond_system {
    const tn_problem *problem;
    int n_rows;            // block rows of A
    int n_threads;         //
    tn_cond_bodies bodies; // small parts of A
    tn_ordering own_order; // where the problem brings none, or its mesh is too large to keep one
    const int *lane;       // (n_rows) where each row is in packed velocities: x at 4 lane
    int n_packed;          // numbers of packed velocities
    tn_sell matrix;        // nothing when A has no nodes
    double *v, *Av;        // (3 n_rows) scratch of products where the matrix is single
    tn_fpi fpi;            //

    // The contacts of the kernel, each alone on its node.
    int n_nodal;
    int *nodal; // (n_nodal) contact

    // The other ones: those of bodies, of several nodes, of shared nodes, with a softness or two mu.
    tn_rows general;
    int *general_of; // (general.n) contact of the problem
    int n_held;      // rows that the kernel leaves to the general step: bodies, and nodes of general contacts
    int *held;       // (n_held)

    // Response of v to a change of general contact m's force: v_block(r) += s response_r dlambda_m, r from
    // response_start[m]; s = 1 on rows of bodies, alpha on nodes.
    int *response_start; // (general.n + 1)
    int *response_block; // (response_start[general.n])
    double *response;    // (response_start[general.n], 9) row-major [m/(N s)]
    double *gamma_body;  // (general.n) the part of gamma from bodies and softness [s/kg]
    double *gamma_node;  // (general.n) the part from W; gamma = gamma_body + alpha gamma_node
    double *f;           // (n_packed) scratch of the general step
    double *before;      // (n_held + general.n, 3) the same: rows and forces of the iterate before
} tn_cond_system;

tn_status tn_cond_system_create(const tn_problem *problem, const tn_cond_options *cond, int n_threads, tn_arena *arena,
                                tn_cond_system *out, tn_error *error);
// Fill general, nodal, held, response and gamma, and the contacts of the kernel. TN_NO_MEMORY only.
tn_status tn_cond_set_contacts(tn_cond_system *system, tn_arena *arena);

static inline int tn_cond_size(const tn_cond_system *system)
{
    return system->n_packed + 3 * system->general.n_triples;
}
// W of a row: one number for its three components; 0 on rows of bodies [m/(N s)].
static inline double tn_cond_w(const tn_cond_system *system, int row)
{
    return system->bodies.is_node[row] ? system->fpi.w[system->lane[row]] : 0.0;
}
// A solution as an iterate (n = tn_cond_size) and back. To get the forces of the kernel's contacts, the step that led
// to x must have recorded them; alpha is that step's.
void tn_cond_pack(const tn_cond_system *system, const tn_solution *solution, double *x);
void tn_cond_unpack(const tn_cond_system *system, const double *x, double alpha, tn_solution *solution);

// u (3) of general contact m = J v + w + Omega lambda_m.
void tn_cond_velocity(const tn_cond_system *system, int m, const double *x, const double lambda_m[3], double u[3]);

// Av = A v, both packed, to double precision. Lanes without row are not written.
void tn_cond_product(const tn_cond_system *system, const double *v, double *Av);
// The same of the iterate that tn_cond_pack makes of v (3 n_rows), where the problem came with it. False: it did not.
bool tn_cond_known_product(const tn_cond_system *system, const double *v, double *Av);
// What single precision is relative to becomes x, Ax = A x (tn_cond_product). Nothing changes for a matrix of doubles.
void tn_cond_set_reference(tn_cond_system *system, const double *x, const double *Ax);
// Largest eigenvalue of W A on the nodes (40 power iterations, from below; 0 without nodes), or -1: no memory.
double tn_cond_largest_eigenvalue(const tn_cond_system *system, tn_arena *arena);

// One step of the iteration.
typedef struct tn_cond_step_options {
    tn_fpi_step fpi; // alpha: factor of W, 1 = as prepared; plain: out = F(x), else Chebyshev's combination
    double gamma;    // factor of every gamma, >= 1: 1 = as prepared, more = smaller steps of lambda
    bool refresh;    // bodies anew from their balance
} tn_cond_step_options;

// From x to out, which holds the iterate before x (not read in a plain step): the memory of three iterates would cost
// more than what is done with it. Without refresh x must fulfil the balance of all bodies already, as it does after a
// step and in any affine combination of such points (a step only adds rounding errors to it); nodes are always
// predicted anew. The sums are of velocities and of the balance on nodes.
void tn_cond_step(tn_cond_system *system, const tn_cond_step_options *options, const double *x, double *out,
                  tn_fpi_sums *sums);
