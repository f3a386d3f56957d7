// One sparse matrix of an FCLIB file, in any of its three layouts, to checked triplets; inside problem/ only.
#pragma once

#include "problem/hdf5_input.h"

// What one reading passes around. scratch lives as long as the call.
typedef struct tn_fclib_reader {
    tn_h5_input input;
    tn_arena *arena, *scratch;
    int dimension;  // 2 or 3
    int n_contacts; // from mu
} tn_fclib_reader;

// Raw arrays of one matrix group and the size that it must have.
typedef struct tn_fclib_matrix {
    const char *name;
    long long n_rows, n_cols; // expected
    long long nz;             // >= 0: triplets; -1: compressed columns; -2: compressed rows
    long long *p, *i;
    double *x;
    int n_p, n_i, n_x;
} tn_fclib_matrix;

// row, column: (count + extra) in scratch; the caller may append `extra` triplets.
typedef struct tn_fclib_triplets {
    int count;
    int *row, *column;
    double *value;
} tn_fclib_triplets;

// A matrix group as triplets in scratch, all indices in range, with room for `extra` more.
tn_status tn_fclib_read_matrix(const tn_fclib_reader *r, tn_fclib_matrix *m, int extra, tn_fclib_triplets *t);
// Append one (the room was asked for).
void tn_fclib_triplets_add(tn_fclib_triplets *t, long long row, long long column, double value);
