// What a balance matrix A is made of: its connected components, the parts. A part is a rigid body's velocity or spin, a
// few bodies that springs tie together, or a soft body with all that hangs on it.
//
// One answer for all: made from A's pattern once, by who knows it (a model; a problem's solve where nobody does), and
// asked wherever it matters what a body is. Read-only after creation: any thread may solve.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

#include <stdbool.h>

// What suits a part: nothing but its inverse, a dense factor, a sparse one or sweeps.
typedef enum tn_part_form {
    TN_PART_DIAGONAL, // one block: a free node, a rigid body's velocity or its spin
    TN_PART_DENSE,    // at most TN_PART_FEW blocks, as two rigid bodies with a spring between them; or at most
                      // TN_PART_BLOCKS, where it is known that all couple: a tree of joints in reduced coordinates
    TN_PART_SPARSE,   // else: soft bodies, chains of springs, and what is tied to them
} tn_part_form;

enum { TN_PART_FEW = 4, TN_PART_BLOCKS = 32 }; // blocks of a DENSE part at most, and of one that is known to be full

typedef struct tn_parts {
    int n;
    int largest;         // blocks in the largest one
    int largest_sparse;  // in the largest SPARSE one; 0: there is none
    const bool *full;    // (n) known to be DENSE though they are large; NULL: none
    const int *of_block; // (A->n_rows) part of each block row; parts come in the order of their first rows
    const int *start;    // (n + 1) first block of each part in `blocks`
    const int *blocks;   // (A->n_rows) block rows by part, ascending in each
    const int *place;    // (A->n_rows) position of each block row in its part
} tn_parts;

// Of a square A with a symmetric pattern; no values are read; none is known to be full. TN_NO_MEMORY only.
tn_status tn_parts_find(const tn_blocks *A, tn_arena *arena, tn_parts *out);
// The same where it is known which of n parts each block row belongs to, and which are full (NULL: none; both stay the
// caller's).
tn_status tn_parts_sort(int n_rows, int n, const int *of_block, const bool *full, tn_arena *arena, tn_parts *out);

static inline int tn_part_size(const tn_parts *parts, int part) // blocks
{
    return parts->start[part + 1] - parts->start[part];
}
static inline tn_part_form tn_part_form_of(const tn_parts *parts, int part)
{
    int size = tn_part_size(parts, part);
    bool dense = size <= TN_PART_FEW || (size <= TN_PART_BLOCKS && parts->full && parts->full[part]);
    return size <= 1 ? TN_PART_DIAGONAL : dense ? TN_PART_DENSE : TN_PART_SPARSE;
}
static inline bool tn_parts_any_sparse(const tn_parts *parts)
{
    return parts->largest_sparse > 0;
}

// Dense factors of the parts, none of them SPARSE: of more than TN_PART_PAIR blocks as tn_dense_tree_factor makes them,
// which a tree of joints does not fill in, else Cholesky's lower triangles, row-major, (3 size)^2 numbers each.
enum { TN_PART_PAIR = 2 };
typedef struct tn_part_factors {
    const tn_parts *parts;
    const int *offset; // (parts->n + 1) first number of each factor
    const double *value;
} tn_part_factors;

// TN_NUMERICS: A is not positive definite; the error names the first block row of a part that is not.
tn_status tn_parts_factor(const tn_blocks *A, const tn_parts *parts, int n_threads, tn_arena *arena,
                          tn_part_factors *out, tn_error *error);
// x (3 size) = A_c^-1 x for one part's numbers gathered in the order of `blocks`.
void tn_part_solve(const tn_part_factors *factors, int part, double *x);
// Half of it, x = F^-1 x of A_c = F F^T: the product of two such is that of one with A_c^-1.
void tn_part_half_solve(const tn_part_factors *factors, int part, double *x);
// x (3 A->n_rows) = A^-1 x.
void tn_parts_solve(const tn_part_factors *factors, double *x);
// inverse (3 size square) of one part that is not SPARSE, symmetric. False: not positive definite.
bool tn_part_invert(const tn_blocks *A, const tn_parts *parts, int part, double *inverse);
