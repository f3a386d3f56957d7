// LU factors of a large unsymmetric matrix of bodies whose pattern is symmetric, by fronts in nested dissection
// (kernels/fronts/tree.h), kept so that a change in a few rows costs the fronts of these rows and their ancestors
// alone.
//
// Rows are exchanged inside the pivots of a front only: enough where the symmetric part of the matrix is nearly
// positive definite, as with friction; a solve is to be refined where it matters.
#pragma once

#include "kernels/fronts/tree.h"

typedef struct tn_front_lu {
    tn_front_tree tree;
    int *across;    // (blocks of K) place in K of the transposed block
    size_t *first;  // (fronts) first number of each square front in value
    double *value;  // fronts by columns, padded as the tree says: L and U, and below what the parent takes
    int *pivot;     // (sum of pivots) row exchanges
    int *exchanges; // (fronts) first of each front's in pivot
    int *sign;      // (fronts) of the determinants of the pivots' blocks
    bool *stale;    // (fronts) to be factored anew
    double *x, *y;  // (tree.n), (tree.largest) scratch
    long renewed;   // fronts factored, of all factorisations
} tn_front_lu;

// K's pattern symmetric; of (block rows): as in tree.h. False: no memory.
bool tn_front_lu_create(tn_front_lu *lu, const tn_blocks *K, int n_nodes, const int *of, tn_arena *arena);
// changed (K->n_rows): rows and columns whose blocks differ from the last factorisation; NULL: all. Returns the sign of
// the determinant, 0 where the matrix is singular or holds a number that is none (all must be factored then).
int tn_front_lu_factor(tn_front_lu *lu, const tn_blocks *K, const bool *changed);
void tn_front_lu_solve(tn_front_lu *lu, const double *b, double *x); // (tree.n) x = K^-1 b; may alias
