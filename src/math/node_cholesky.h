// Cholesky factor of a symmetric positive definite block matrix whose rows form small dense nodes, such as a rigid
// body's linear and angular velocity: for graphs of some hundred bodies at most, in an arena, without allocation.
//
// Order by minimum degree on the graph of nodes: a tree of bodies is factored without fill, from its leaves on.
// cholesky.h is for the large ones.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

enum { TN_NODE_CHOLESKY_NODES = 512, TN_NODE_CHOLESKY_SIZE = 12 }; // most nodes, numbers in one

typedef struct tn_node_cholesky tn_node_cholesky;

// node_of (K->n_rows): the node of each block row, 0 to n_nodes - 1; K's pattern symmetric, with all blocks inside a
// node or none. NULL: no memory, or more than the limits above.
tn_node_cholesky *tn_node_cholesky_create(const tn_blocks *K, int n_nodes, const int *node_of, tn_arena *arena);
// The same for K = A + sum of weight[i] G_i^T G_i over joint rows, without K being made: A has only blocks inside
// nodes, a row touches at most eight. node_of stays the caller's.
tn_node_cholesky *tn_node_cholesky_create_rows(const tn_blocks *A, int n_nodes, const int *node_of, const tn_rows *rows,
                                               tn_arena *arena);
bool tn_node_cholesky_factor_rows(tn_node_cholesky *factor, const tn_blocks *A, const tn_rows *rows,
                                  const double *weight);
// K of the same pattern. False: not positive definite (or not finite).
bool tn_node_cholesky_factor(tn_node_cholesky *factor, const tn_blocks *K);
void tn_node_cholesky_solve(tn_node_cholesky *factor, const double *b, double *x); // x = K^-1 b; may alias
double tn_node_cholesky_flops(const tn_node_cholesky *factor);                     // of one factorisation
double tn_node_cholesky_entries(const tn_node_cholesky *factor);                   // numbers in the factor
