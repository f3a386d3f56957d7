// What a simulation knows of its step's problem beyond the numbers, so that solvers need not find it again: of A's
// pattern what it is made of and in which order its rows are best taken, where nodes are, and one product with A. Only
// speed depends on it, never the solution. Users' problems have none of it.
#pragma once

#include "math/parts.h"

typedef struct tn_hints {
    const tn_parts *parts;          // of A
    const struct tn_layout *layout; // kernels/sell.h: orders of A's rows; NULL: solvers make their own
    // (A->n_rows, 3) where each block row's node is [m], one point of the step for all; a NaN in [0]: the row is no
    // point but a rigid body's linear or angular velocity. NULL: unknown.
    double *place;
    // (A->n_rows) the largest force of b that each block row counts for in the scales of its island [N]: where rates of
    // joints stand for bodies that of these. NULL: its own.
    const double *weight;
    // (n_triples + n_singles) effective masses by which constraints are judged; NULL: by A's diagonal blocks, which say
    // little of rates that all couple.
    const double *rho;
    // A velocity whose product with A is at hand, such as the start's, and that product, tn_blocks' rows summed from
    // left to right (3 A->n_rows each); NULL: none.
    double *known_v, *known_product;
} tn_hints;
