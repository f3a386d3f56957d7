// A largest set of independent rows of a symmetric positive semidefinite matrix S, by Cholesky factorisation with
// diagonal pivoting, and forces of least norm where rows depend on one another.
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct tn_independent {
    int n, rank;
    const int *row;        // (n) the rank independent rows first
    const double *inverse; // (rank square) of their part of S, in that order
    const double *scale;   // (n) inverse root of S's diagonal
    const double *null;    // (n - rank, n) forces, over scale, that do nothing; columns in the order of row
    double *gram;          // (n - rank square) Cholesky factor of null null^T
    double *scratch;       // (n)
} tn_independent;

// S with `stride` numbers a row; everything in arena. False: no memory.
bool tn_independent_create(int n, const double *S, size_t stride, tn_arena *arena, tn_independent *out);
// f (n) -= S^-1 y on the independent rows.
void tn_independent_hold(const tn_independent *s, const double *y, double *f);
// f (n) becomes the force of least norm, weighted with scale^-2, that does the same.
void tn_independent_least(const tn_independent *s, double *f);
