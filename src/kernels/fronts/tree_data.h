// What the tree*.c files share; inside kernels/fronts only.
#pragma once

#include "kernels/fronts/tree.h"

// Elimination by nodes, numbered in their order. A front is known by its last node while fronts are joined.
typedef struct elimination {
    int n;
    const bool *kept; // (blocks of K) the others are left out; NULL: none
    tn_blocks graph;  // neighbours of each node
    int *order;       // (n) node of K
    int *rank;        // (nodes of K)
    int *size;        // (n) numbers
    int *parent;      // (n) -1: none
    int *later;       // (n + 1) first of the later nodes that node k couples to
    int *node;        // (later[n]) they, unsorted
    int *rest;        // (n) numbers in those
    int *pivots;      // (n) numbers of the front that ends here
    int *top;         // (n) front's last node
    double *zeros;    // (n) stored in that front besides what is needed
    int *number;      // (n) of the front that ends at a node, children first; else -1
    int *at;          // (n) first number of each node in a vector by elimination
    int *start;       // (fronts + 1) first node of each front's rest
    int *list;        // (start[fronts]) they, in the order of elimination
} elimination;

// Fronts in tree (its numbers, parents, sizes, runs and places) from the joined nodes. False: no memory.
bool tn_front_tree_lay_out(tn_front_tree *tree, elimination *e, const tn_blocks *K, const int *of, tn_arena *arena);
