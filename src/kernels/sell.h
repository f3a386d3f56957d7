// Sliced ELLPACK of 3x3 blocks: the format in which A is multiplied quickly.
//
// Eight block rows make a slice, one a lane. A slice holds as many columns as its longest row has blocks; a column is
// nine vectors of eight numbers, entry k of the eight rows' blocks in vector k. The diagonal blocks come first. Where a
// row has no further block its lane holds zeros that point to the row itself.
//
// A packed vector holds four numbers a lane, 8 n_slices lanes: x, y, z and one of no meaning (finite; zero is best).
// Multiplications and additions are not fused and every row is summed in the order of its columns: the same bits for
// any instruction set and any number of threads.
#pragma once

#include "base/arena.h"
#include "math/parts.h"
#include "tenon/problem.h"

#include <stdbool.h>

enum { TN_SELL_LANES = 8, TN_LAYOUT_PLAIN_MAX = 100000 };

// An order of the block rows: which lane each takes, and where each block of A goes. From the pattern alone.
typedef struct tn_ordering {
    int n_rows;
    int n_slices;
    int n_large;             // slices [0, n_large): rows of SPARSE parts (math/parts.h); then the others
    int n_colours;           // 0: rows in their own order (near rows stay near)
    const int *colour_start; // (n_colours + 1) slices of each colour among the large; rows of one colour share no block
    const int *lane;         // (n_rows) lane of each row; its slice is lane / 8
    const int *row;          // (n_slices, 8) row of each lane, -1: none
    const int *start;        // (n_slices + 1) first column of each slice
    const int *place;        // (start[n_slices], 8) 4 * lane of each block's column: where its x starts
    const int *source;       // (start[n_slices], 8) block of A, -1: none
    // Coloured only, the columns that a sweep changes after the slice's turn: the first ones of each slice (its own
    // among them).
    const int *later_start; // (n_slices + 1) first of each slice in later_place
    const int *later_place; // (later_start[n_slices], 8) as place; 32 n_slices, behind all lanes, where the block is
                            // not one of them
} tn_ordering;

// Orders of A's rows that solvers want, made once of its pattern and shared by all steps; immutable.
typedef struct tn_layout {
    const tn_parts *parts; // of the pattern; the caller's
    tn_ordering plain;     // rows in their own order; empty (n_rows 0) beyond TN_LAYOUT_PLAIN_MAX rows, to save memory
    tn_ordering coloured;  // rows by colour: greedy, in the order of the rows, the emptiest colour that is free
                           // (which rows of a colour share a slice: in the order of `near`)
    const struct tn_groups *groups; // of near rows (kernels/nodal/groups.h); NULL: none made
} tn_layout;

// Linear time. pattern: square, structurally symmetric, with a diagonal; values are not read. Rows of one colour stand
// as in near (n_rows, every row once; NULL: in their own order). TN_NO_MEMORY only.
tn_status tn_layout_create(const tn_blocks *pattern, const tn_parts *parts, const int *near, tn_arena *arena,
                           tn_layout **out);
// The plain ordering alone.
tn_status tn_ordering_create(const tn_blocks *pattern, const tn_parts *parts, tn_arena *arena, tn_ordering *out);

// Values in an ordering; exactly one of the two arrays is there.
typedef struct tn_sell {
    const tn_ordering *order;
    double *value; // (start[n_slices], 9, 8)
    float *single; // (start[n_slices], 9, 8) rounded: half the memory, where reading it is what the product costs
} tn_sell;

// Memory for the values of A. single: round them. TN_NO_MEMORY only.
tn_status tn_sell_create(const tn_ordering *order, bool single, tn_arena *arena, tn_sell *out);
// Values of A, whose pattern is the ordering's. squares (n_slices, 8): |A_i|_F^2 of each lane's row, NULL: not wanted.
void tn_sell_fill(tn_sell *sell, const tn_blocks *A, double *squares, int n_threads);

static inline int tn_sell_packed_size(const tn_ordering *order)
{
    return 4 * TN_SELL_LANES * order->n_slices;
}
// v (3 n_rows) to packed x and back. Lanes without row and fourth numbers become 0.
void tn_sell_pack(const tn_ordering *order, const double *v, double *x);
void tn_sell_unpack(const tn_ordering *order, const double *x, double *v);

// y = A x, packed, 64-byte aligned; y must not overlap x. Sums are doubles in either precision.
void tn_sell_product(const tn_sell *sell, const double *x, double *y, int n_threads);

// "avx512", "avx2" or "baseline": what tn_sell_product and the other kernels on this format use here.
const char *tn_sell_kind(void);
// The product by one thread with the named instruction set; false (y untouched) where the processor lacks it. For
// tests and measurements.
bool tn_sell_product_with(const char *kind, const tn_sell *sell, const double *x, double *y);
