// Cholesky factor of a symmetric matrix of 6x6 blocks in an envelope: row I holds the blocks first[I] to I.
//
// For factors of some hundred bodies in a bandwidth-reducing order, exact to rounding (skyline.h rounds its own to
// single precision and forgives singular matrices). A block is stored by columns of eight lanes, lane = row, the last
// two of no meaning: vectors hold eight numbers a group likewise.
#pragma once

#include "base/arena.h"

#include <stdbool.h>

enum { TN_ENVELOPE_BLOCK = 48, TN_ENVELOPE_STRIDE = 8 };

typedef struct tn_envelope {
    int n;            // groups
    const int *first; // (n) first block column of each row
    size_t *at;       // (n + 1) blocks before each row
    double *value;    // (at[n], 6, 8)
    double *inverse;  // (n, 8) inverse pivots
} tn_envelope;

// Zero matrix with that envelope, first[I] <= I. False: no memory.
bool tn_envelope_create(tn_envelope *envelope, int n, const int *first, tn_arena *arena);

static inline double *tn_envelope_block(const tn_envelope *envelope, int row, int column)
{
    return envelope->value + TN_ENVELOPE_BLOCK * (envelope->at[row] + (size_t)(column - envelope->first[row]));
}

// Lower factor in place, from the blocks of the lower triangle. False: a pivot is not positive, or no number.
bool tn_envelope_factor(tn_envelope *envelope);
void tn_envelope_solve(const tn_envelope *envelope, double *x); // (n, 8) in place
