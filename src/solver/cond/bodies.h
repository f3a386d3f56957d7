// The dense inverses of A's small parts: rigid bodies above all.
#pragma once

#include "base/arena.h"
#include "math/parts.h"
#include "tenon/problem.h"

#include <stdbool.h>

typedef struct tn_cond_bodies {
    const tn_parts *parts; // of A, all of them
    int n_nodes;           // block rows in parts that are not inverted
    bool *is_node;         // (A->n_rows) whether the block row is one of them
    int *inverse_start;    // (parts->n + 1) in numbers; an empty range where not inverted
    double *inverse;       // (3k, 3k) row-major for each part of k blocks [m/(N s)]
} tn_cond_bodies;

// invert: parts that are not SPARSE; else none. TN_NUMERICS: a part is not positive definite; error names its first
// block row.
tn_status tn_cond_bodies_create(const tn_problem *problem, bool invert, tn_arena *arena, tn_cond_bodies *out,
                                tn_error *error);
// v = A^-1 f on the rows of bodies (both 3 A->n_rows); rows of nodes stay as they are.
void tn_cond_bodies_solve(const tn_cond_bodies *bodies, const double *f, double *v);
