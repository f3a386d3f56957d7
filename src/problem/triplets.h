// Scalar triplets (row, column, value) to a 3x3-block sparse matrix.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_triplets {
    int count;
    const int *row;      // (count)
    const int *column;   // (count)
    const double *value; // (count)
} tn_triplets;

// Scalar row r goes to row r % row_stride of block row r / row_stride, columns alike (stride 2 embeds planar rows
// and leaves the third of each block zero). Duplicates are summed in the order given. mirror: the pattern gets the
// transposed place of every entry too (as a zero where nothing is stored). NULL: no memory.
typedef struct tn_triplets_shape {
    int row_stride, column_stride; // 1 to 3
    int n_rows, n_cols;            // block rows and columns
    bool mirror;
} tn_triplets_shape;

tn_blocks *tn_triplets_to_blocks(const tn_triplets *triplets, tn_triplets_shape shape, tn_arena *arena,
                                 tn_arena *scratch);
