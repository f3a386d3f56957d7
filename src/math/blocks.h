// 3x3-block sparse matrix (tn_blocks of tenon/problem.h): build, products.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

#include <stdbool.h>

// One 3x3 block to add at (row, column). Several entries at one place are summed in the order given.
typedef struct tn_blocks_entry {
    int row, column;
    double value[9]; // row-major
} tn_blocks_entry;

// Pattern and values from entries (n_entries), sorted by row and column, in arena. NULL: no memory.
tn_blocks *tn_blocks_from_entries(int n_rows, int n_cols, int n_entries, const tn_blocks_entry *entries,
                                  tn_arena *arena);
// Block-diagonal matrix with given diagonal blocks (n, 9); values are copied.
tn_blocks *tn_blocks_from_diagonal(int n, const double *diagonal, tn_arena *arena);

void tn_blocks_mul(const tn_blocks *A, const double *x, double *y); // y = A x
double *tn_blocks_find(const tn_blocks *A, int row, int column);    // the block's 9 numbers, or NULL
bool tn_blocks_is_symmetric(const tn_blocks *A, double relative);   // |A - A^T|_max <= relative |A|_max

// Connected components of a square, structurally symmetric matrix: component (n_rows) gets each block row's
// component number, counted from 0 in the order of their first row. Returns their number, -1: no memory.
int tn_blocks_components(const tn_blocks *A, int *component, tn_arena *arena);
