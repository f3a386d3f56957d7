// LU factors of an unsymmetric band matrix with row exchanges, LAPACK behind it.
#pragma once

#include "base/arena.h"

#include <stdbool.h>

typedef struct tn_band_lu {
    int n, width;  // rows; a[i][j] = 0 where |i - j| > width
    double *value; // (n, 3 width + 1) by columns, with room for the fill of row exchanges
    int *pivot;    // (n)
} tn_band_lu;

bool tn_band_lu_create(tn_band_lu *band, int n, int width, tn_arena *arena); // false: no memory
void tn_band_lu_clear(tn_band_lu *band);                                     // all zero
static inline double *tn_band_lu_at(const tn_band_lu *band, int row, int column)
{
    size_t w = (size_t)band->width;
    return band->value + (size_t)column * (3 * w + 1) + 2 * w + (size_t)row - (size_t)column;
}

// In place. Returns the sign of the determinant, 0 where the matrix is singular or holds a number that is none.
int tn_band_lu_factor(tn_band_lu *band);
void tn_band_lu_solve(const tn_band_lu *band, double *x); // (n) in place
