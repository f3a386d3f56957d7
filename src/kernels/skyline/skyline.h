// Cholesky factor of a symmetric matrix of 6x6 blocks in an envelope: row I holds the blocks first[I] to I.
//
// Made for coarse levels of some hundred groups of six numbers in a bandwidth-reducing order; singular directions are
// allowed (a pivot that vanishes drops its unknown). A block is stored by columns of eight lanes, lane = row, the last
// two zero: vectors hold eight numbers a group likewise. The factor is made in doubles and then rounded to single
// precision: what it is for, a correction, is approximate anyway, and reading it is what a solve costs.
#pragma once

#include "base/arena.h"

#include <stdbool.h>

enum { TN_SKYLINE_BLOCK = 48, TN_SKYLINE_STRIDE = 8 };

typedef struct tn_skyline {
    int n;            // groups
    const int *first; // (n) first block column of each row
    size_t *at;       // (n + 1) blocks before each row
    double *value;    // (at[n], 6, 8) the matrix; of no meaning once it is factored
    float *single;    // (at[n], 6, 8) the factor L, in the memory of value
    float *inverse;   // (n, 2, 6, 8) inverses of L's diagonal blocks and their transposes; zero rows where dropped
    double *scratch;  // (n, 6, 8)
} tn_skyline;

// Zero matrix with that envelope, first[I] <= I. False: no memory.
bool tn_skyline_create(tn_skyline *skyline, int n, const int *first, tn_arena *arena);

static inline double *tn_skyline_block(const tn_skyline *skyline, int row, int column)
{
    return skyline->value + TN_SKYLINE_BLOCK * (skyline->at[row] + (size_t)(column - skyline->first[row]));
}

// Lower factor in place, from the blocks of the lower triangle. Pivots below `relative` times the largest diagonal
// number drop their unknown.
void tn_skyline_factor(tn_skyline *skyline, double relative);
void tn_skyline_solve(const tn_skyline *skyline, float *x); // (n, 8) in place; the last two numbers zero
