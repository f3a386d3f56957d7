// Corotational linear tetrahedra, in packs of TN_TET_LANES elements: rotations, forces, stiffness. Threaded and
// vectorised; the same bits for any number of threads.
//
// With F = Ds Dm^-1 and its polar rotation R (the rotation that maximises tr R^T F: defined for inverted elements too)
//
//     strain e = sym(R^T F) - 1,   energy  V (mu |e|^2 + lambda/2 tr(e)^2),   force  -dE/dx = -Je^T K e
//
// K of the balance is Je^T K Je with R held (SPD); E is the rest of the Hessian, projected on its positive part: the
// rotations' own stiffness, tau_k = 2 mu - 2 (2 mu - lambda tr e)/(s_i + s_j) per pair of singular values.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

#include <stdbool.h>

enum { TN_TET_LANES = 8 };

typedef struct tn_tets_input {
    int n_nodes;
    const double *rest; // (n_nodes, 3) [m]
    int n_tets;
    const int *tets;              // (n_tets, 4) positive volumes
    const double *lambda, *mu;    // (n_tets) Lame's constants [Pa]
    const double *stiffness_time; // (n_tets) kappa h + beta: factor of K in A [s]
    const double *geometric_time; // (n_tets) kappa h where E takes part, else 0 [s]
    const int *block;             // (n_nodes) block row of A, -1: none
    const bool *tied;             // (n_nodes) attached to a free body: pairs with it are reported apart (tn_tets_tied)
    const tn_blocks *pattern;     // of A (value unused): holds every pair of blocks that share a tetrahedron
    int inverse_below; // from so many elements on, rest shapes are found anew each time: less memory, the same
                       // bits; 0: the default
} tn_tets_input;

// Pairs of nodes that share a tetrahedron, at least one of them tied, the other one tied or with a block; node[0] <
// node[1], or both equal.
typedef struct tn_tets_pair {
    int node[2];
} tn_tets_pair;

typedef struct tn_tets tn_tets;                 // immutable, in the arena
typedef struct tn_tets_elastic tn_tets_elastic; // what an evaluation at some x leaves, in the arena

tn_status tn_tets_create(const tn_tets_input *input, tn_arena *arena, tn_tets **out, tn_error *error);

// Rotations, strains and rotated gradients at x (n_nodes, 3). TN_NO_MEMORY only.
tn_status tn_tets_evaluate(const tn_tets *tets, const double *x, int n_threads, tn_arena *arena, tn_tets_elastic **out);
// Only for tn_tets_energy and tn_tets_energies, with the same bits: in less time.
tn_status tn_tets_evaluate_energy(const tn_tets *tets, const double *x, int n_threads, tn_arena *arena,
                                  tn_tets_elastic **out);
double tn_tets_energy(const tn_tets *tets, const tn_tets_elastic *elastic);                 // [J]
void tn_tets_energies(const tn_tets *tets, const tn_tets_elastic *elastic, double *energy); // (n_tets) [J]
void tn_tets_stress(const tn_tets *tets, const tn_tets_elastic *elastic, double *stress);   // (n_tets, 6) world xx yy
                                                                                            // zz yz xz xy [Pa]
// force (n_nodes, 3), overwritten [N].
void tn_tets_force(const tn_tets *tets, const tn_tets_elastic *elastic, int n_threads, double *force);
// y (n_nodes, 3) = S v, S = stiffness_time K + geometric_time E of all nodes; v (n_nodes, 3). Overwrites.
void tn_tets_product(const tn_tets *tets, const tn_tets_elastic *elastic, int n_threads, const double *v, double *y);
// The same bits for v that is zero at all nodes that are tied or have blocks: only elements at the others are worked
// on.
void tn_tets_product_driven(const tn_tets *tets, const tn_tets_elastic *elastic, const double *v, double *y);
// value (blocks of the pattern, 9): the blocks of S between nodes with blocks; on the diagonal also inertia (n_nodes)
// times identity. Writes every block of those rows that belongs to two such nodes, touches no other.
void tn_tets_stiffness(const tn_tets *tets, const tn_tets_elastic *elastic, const double *inertia, int n_threads,
                       double *value);
// The pairs, and their blocks S_ij (n_pairs, 9), row of node[0], column of node[1].
int tn_tets_tied_pairs(const tn_tets *tets, const tn_tets_pair **pairs);
void tn_tets_tied(const tn_tets *tets, const tn_tets_elastic *elastic, double *value);

// Scalar twins for tests: one element's rotation from F (both row-major).
void tn_tet_rotation(const double F[9], double R[9]);
