// The connected components of a balance matrix A, each small one with its dense Cholesky factor.
//
// A rigid body is two coupled (or uncoupled) blocks, so a scene without elastic coupling falls apart into components of
// at most a few blocks, and A^-1 is applied component by component. Read-only after creation: any thread may solve.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

enum { TN_COMPONENT_BLOCKS = 4 }; // largest component factored densely

typedef struct tn_components {
    int n_threads;        // that factoring takes; 0, 1: one
    int n;                // components
    int largest;          // blocks in the largest one
    const int *of_block;  // (A->n_rows) component of each block row
    const int *start;     // (n + 1) first block of each component in `blocks`
    const int *blocks;    // (A->n_rows) block rows by component, ascending in each
    const int *place;     // (A->n_rows) position of each block row in its component
    const int *offset;    // (n + 1) first number of each factor; NULL until factored
    const double *factor; // lower Cholesky factors, dense row-major, (3 size)^2 numbers each
} tn_components;

tn_status tn_components_find(const tn_blocks *A, tn_arena *arena, tn_components *out);
// Of a problem's A: from its layout where there is one.
tn_status tn_components_of(const tn_problem *problem, tn_arena *arena, tn_components *out);
// The same where it is known which of n components each block row (of_block, stays the caller's) belongs to.
tn_status tn_components_sort(int n_rows, int n, const int *of_block, tn_arena *arena, tn_components *out);
// Requires largest <= TN_COMPONENT_BLOCKS. TN_NUMERICS: A is not positive definite; the error names the block.
tn_status tn_components_factor(const tn_blocks *A, tn_arena *arena, tn_components *out, tn_error *error);
// x (3 size) = A_c^-1 x for one component's numbers gathered in the order of `blocks`.
void tn_components_solve_one(const tn_components *components, int c, double *x);
// x (3 A->n_rows) = A^-1 x.
void tn_components_solve(const tn_components *components, double *x);
