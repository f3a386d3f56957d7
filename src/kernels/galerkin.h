// P^T A P for a prolongation P from groups of six numbers to block rows.
#pragma once

#include "kernels/skyline.h"
#include "tenon/problem.h"

// Row i of P has the entries start[i]..start[i + 1]-1: 3x6 blocks of lanes, value (3, 8) each, the last two columns 0.
typedef struct tn_prolongation {
    const int *start;    // (n_rows + 1)
    const int *group;    // (start[n_rows])
    const double *value; // (start[n_rows], 3, 8)
} tn_prolongation;

// out += lower triangle of P^T A P; the envelope must hold every pair of groups that A couples. A symmetric.
void tn_galerkin_add(const tn_blocks *A, const tn_prolongation *P, tn_skyline *out);
