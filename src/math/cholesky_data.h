// What the cholesky_*.c files share; inside math/ only.
#pragma once

#include "math/cholesky.h"

#include <cholmod.h>
#include <stdbool.h>

struct tn_cholesky {
    cholmod_common common;
    cholmod_sparse *A;        // lower triangle, scalar, compressed columns
    cholmod_factor *L;        // supernodal where that pays
    cholmod_dense *X, *Y, *E; // workspaces of the solve, kept between calls
    int n_blocks;             // blocks of the analysed matrix, to recognise another pattern
    int n_last;               // block rows ordered last, 0 = no constraint
    int *last;                // (n_last) their block rows, in the caller's order
    bool ready;               // L holds the values of a positive definite matrix
};

// A fill-reducing order of A's block rows, then of the scalars: order (3 A->n_rows) for cholmod_analyze_p. With is_last
// (A->n_rows; 0 or 1, or NULL) the marked rows come after all others. False: no memory.
bool tn_cholesky_order(const tn_blocks *A, const int *is_last, int *order);
