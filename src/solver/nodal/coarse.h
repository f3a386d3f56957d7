// The truncated coarse level of nodal: rigid motions of groups of nodes, on what the contacts leave free.
//
// Stiff bodies have slow modes (a thin one bends, a block turns) that sweeps hardly see. After two sweeps the rest of
// the error is sought among v = P y, six numbers y a group: a row of P is [1 | theta x e], in solid bodies twelve
// (kernels/nodal/galerkin.h), cut by the contacts' states in the last sweep: 0 where they stick, 1 - n n^T where they
// slide. A general contact that is closed ties one of its nodes (its "slave") to the others, so that J P = 0 for it and
// its force needs no coarse unknown: it follows from the slave's balance afterwards. Bodies of small components are
// groups of their own; where a closed contact finds no slave its rows stay as they are.
//
//     y = (P^T A P)^-1 P^T g,   v -= P y, limited so that no contact changes its state wrongly
//
// Source: truncated nonsmooth Newton multigrid (Graeser, Kornhuber, Sander), with one coarse level.
#pragma once

#include "kernels/nodal/galerkin.h"
#include "solver/nodal/groups.h"
#include "solver/nodal/system.h"

typedef struct tn_nodal_coarse {
    tn_nodal_system *system;
    tn_nodal_groups groups;
    tn_arena *arena;        // what a build makes lies above mark
    tn_arena_mark mark;     //
    bool built;             //
    int64_t *state;         // (contact slices, 8) states of the last build
    signed char *general;   // (general.n) tn_nodal_state of the last build
    int *slave;             // (general.n) slave row of each closed general contact, -1: none
    int *slave_entry;       // (general.n) its Jacobian entry
    int *slave_of_row;      // (n_rows) general contact whose slave the row is, -1: none; -2: the row is held
    tn_prolongation P;      // of the last build
    tn_skyline factor;      //
    signed char *motion;    // (n_rows) of P
    double *normal;         // (n_rows, 4) of P
    double *across, *along; // (n_rows, 4) of P
    int *other, *place;     // (n_rows) of P
    float *y;               // (groups.n_blocks, 8)
} tn_nodal_coarse;

// size: nodes a group, 0: automatic. TN_NO_MEMORY only.
tn_status tn_nodal_coarse_create(tn_nodal_system *system, int size, tn_arena *arena, tn_nodal_coarse *out);
// Part of the closed nodal contacts whose state is another than when it was built; 1 when it never was.
double tn_nodal_coarse_change(const tn_nodal_coarse *coarse);
// Whether a general contact's is. A tie that should be open, or slide, makes false fixed points.
bool tn_nodal_coarse_ties_changed(const tn_nodal_coarse *coarse, const double *lambda);
// P and the factor for the present states; lambda (general.n, 3). secant: sliding contacts resist along their slip too,
// as if their friction grew with it. TN_NO_MEMORY only.
tn_status tn_nodal_coarse_build(tn_nodal_coarse *coarse, bool secant, const double *lambda);
// d = P (P^T A P)^-1 P^T g, packed.
void tn_nodal_coarse_solve(const tn_nodal_coarse *coarse, const float *g, float *d);
// Slope of the friction's power along d for the general contacts, as tn_nodal_friction_slope, less its slope at
// alpha = 0; lambda (general.n, 3).
// turned, unless NULL: whether a sliding one with a slave turned back.
double tn_nodal_coarse_friction_slope(const tn_nodal_coarse *coarse, const double *lambda, const float *x,
                                      const float *d, double alpha, bool *turned);
// lambda (general.n, 3) of the contacts with slaves from the balance of these at x; the system's f follows.
void tn_nodal_coarse_forces(const tn_nodal_coarse *coarse, const float *x, double *lambda);
