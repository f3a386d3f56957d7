// Sparse Cholesky factor of a large matrix of bodies by fronts (the multifrontal method: J. Liu, SIAM Review 34, 1992),
// in double or in single precision, in an arena.
//
// A front is dense (front.h): nearly all of the work is done at the processor's full rate, single precision at twice
// that of double. A factor in single precision is for an iteration that makes up for its rounding.
#pragma once

#include "kernels/fronts/front.h"
#include "kernels/fronts/tree.h"

typedef enum tn_precision { TN_PRECISION_DOUBLE, TN_PRECISION_SINGLE } tn_precision;

typedef struct tn_fronts {
    tn_front_tree tree;
    const tn_front_kernels *kernels;
    const tn_front_kernels_single *kernels_single;
    tn_precision precision; // of the last factor, and so of what follows, which has room for doubles
    void *value;            // (tree.values) the panels
    void *rest;             // (tree.stack)
    void *packed;           // (TN_FRONT_STRIP, TN_FRONT_DEPTH)
    void *y;                // (tree.largest rounded up to TN_FRONT_ROWS)
    void *x;                // (tree.n) by elimination
} tn_fronts;

// Of K's pattern, symmetric; kept (blocks, or NULL) and of (block rows): as in tree.h. lender (NULL: none): its numbers
// are overwritten by this factor's, where they are as many. False: no memory.
bool tn_fronts_create(tn_fronts *fronts, const tn_blocks *K, const bool *kept, int n_nodes, const int *of,
                      const tn_fronts *lender, tn_arena *arena);
// False: not positive definite to that precision, or not finite.
bool tn_fronts_factor(tn_fronts *fronts, const tn_blocks *K, tn_precision precision);
void tn_fronts_solve(tn_fronts *fronts, const double *b, double *x); // x = K^-1 b; may alias
