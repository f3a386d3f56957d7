// Which fronts a sparse Cholesky factor consists of: order of elimination, pattern, amalgamation.
//
// The matrix' rows come in nodes of three or six numbers (rigid bodies). A front eliminates some nodes; its other rows,
// the rest, are the nodes that these couple to later. Fronts form a tree: a front's rest is handed to its parent, all
// of whose rows include it. Children come before their parents, each subtree in one piece.
#pragma once

#include "base/arena.h"
#include "kernels/fronts/front.h"
#include "tenon/problem.h"

#include <stdbool.h>

typedef struct tn_front_tree {
    int n; // numbers in a vector
    int n_fronts;
    int *parent;       // (n_fronts) -1: none
    int *child, *next; // (n_fronts) last child of a front, the one before it; -1: none
    int *first;        // (n_fronts + 1) first pivot in the order of elimination
    int *n_pivots;     // (n_fronts) rounded up to TN_FRONT_STRIP
    int *n_rows;       // (n_fronts) pivots and rest, this rounded up to TN_FRONT_ROWS
    int *begin, *end;  // (n_fronts) runs of each front's rest
    tn_front_run *run;
    int *place;    // (block rows) first number in the order of elimination
    int *row;      // (n / 3) block row by place / 3
    int *target;   // (blocks of K) place in its front's panel, row + column * stride; -1: beyond the diagonal, left out
    double flops;  // multiplications and additions of a factorisation, stored zeros included
    size_t values; // numbers in all panels
    size_t *panel; // (n_fronts) first number of its panel
    size_t *rest;  // (n_fronts) of its rest in the stack of those that wait for their parents
    size_t stack;  // numbers in it
    int largest;   // rows of a front
} tn_front_tree;

// K's pattern symmetric; kept (blocks): those that count, symmetric and all of a node's own among them; NULL: all. of
// (K->n_rows): the node of each block row, ascending, one or two rows a node. Scratch and result in arena. False: no
// memory.
bool tn_front_tree_create(tn_front_tree *tree, const tn_blocks *K, const bool *kept, int n_nodes, const int *of,
                          tn_arena *arena);
