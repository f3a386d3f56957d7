// What the node_cholesky*.c files share; inside math/ only.
//
// Stored is U with K = U^T U in the order of elimination: a node's square block and, beside it, the blocks of the later
// nodes that it couples to, rows contiguous, so that all inner loops run along rows.
#pragma once

#include "math/node_cholesky.h"

#include <string.h>

enum { TOUCHERS = 8 }; // most nodes of a joint row

struct tn_node_cholesky {
    int n, n_rows;
    int *rank;     // (nodes) place in the order of elimination; what follows is by place
    int *size;     // (n) numbers
    int *first;    // (n + 1) first number in a vector by places
    int *diagonal; // (n) where the square block is in value
    int *start;    // (n + 1) first later neighbour
    int *later;    // (start[n]) places of later neighbours, ascending
    int *at;       // (start[n]) their blocks in value, size[k] x size[later]
    int *update;   // where the products of each node's pairs of neighbours go: by node, first, second >= first
    int *target;   // (blocks of K) where each goes, -1: not stored
    int *stride;   // (blocks of K)
    int *gather;   // (n_rows) first number of each block row in a vector by places
    int n_values;
    double *value, *x;
    double *inverse; // (3 n_rows) of the factor's diagonal, by places
    // With joint rows: the nodes that each touches, and where their products go.
    const int *node_of;
    int *place;    // (n_rows) of each block row in its node
    int *touch;    // (rows + 1) first node of each row
    int *toucher;  // (touch[rows]) places, ascending
    int *row_pair; // (pairs of each row's touchers, first <= second) where in value
};

// Whether row i acts on the same blocks as the one before it, as the rows of a joint do.
static inline bool tn_node_cholesky_like_the_last(const tn_rows *rows, int i)
{
    int n = rows->start[i + 1] - rows->start[i];
    return i > 0 && n == rows->start[i] - rows->start[i - 1] &&
           memcmp(rows->block + rows->start[i], rows->block + rows->start[i - 1], (size_t)n * sizeof *rows->block) == 0;
}
