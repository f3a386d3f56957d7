// The dense inverses of A's small connected components: rigid bodies above all.
#pragma once

#include "base/arena.h"
#include "problem/components.h"
#include "tenon/problem.h"

#include <stdbool.h>

enum { TN_COND_BODY_MAX = TN_COMPONENT_BLOCKS }; // blocks of the largest component that is inverted

typedef struct tn_cond_bodies {
    tn_components components; // of A, all of them, not factored
    int n_nodes;              // block rows in components too large to invert
    bool *is_node;            // (A->n_rows) whether the block row is one of them
    int *inverse_start;       // (components.n + 1) in numbers; an empty range where not inverted
    double *inverse;          // (3k, 3k) row-major for each component of k blocks [m/(N s)]
} tn_cond_bodies;

// max_blocks <= TN_COND_BODY_MAX. TN_NUMERICS: a component is not positive definite; error names its first block row.
tn_status tn_cond_bodies_create(const tn_blocks *A, int max_blocks, tn_arena *arena, tn_cond_bodies *out,
                                tn_error *error);
// The same where the components of A are known already.
tn_status tn_cond_bodies_of(const tn_blocks *A, const tn_components *components, int max_blocks, tn_arena *arena,
                            tn_cond_bodies *out, tn_error *error);
// v = A^-1 f on the rows of bodies (both 3 A->n_rows); rows of nodes stay as they are.
void tn_cond_bodies_solve(const tn_cond_bodies *bodies, const double *f, double *v);
