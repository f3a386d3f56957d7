// Scaled velocities x = L^T v, A = L L^T by parts, laid out in lines of eight numbers for kernels/contact/packs.h.
//
// A line holds at most two blocks, so a rigid body has one: a part of two blocks, or two single blocks that the
// contacts name side by side. Larger parts (bodies joined by springs) take two lines; contacts on them are swept
// one by one.
#pragma once

#include "base/arena.h"
#include "math/parts.h"
#include "tenon/problem.h"

// Lower factor of a line's blocks, with inverse diagonals: [0] (0,0), [1] (1,0), [2] (1,1), [3] (2,0), [4] (2,1),
// [5] (2,2) of each block.
typedef struct tn_line_factor {
    double block[2][6];
    const double *below; // second block's rows, six numbers each, first block's columns; NULL: zero
    bool coupled;        // it is not
    bool diagonal;       // nothing else than the diagonals: the usual rigid body
} tn_line_factor;

typedef struct tn_lines {
    const tn_parts *parts;            // of A
    tn_part_factors factors_of_parts; // none where those of lines say all
    int n;
    const int *at;                 // (A->n_rows) where each block lies in x
    const tn_line_factor *factors; // (n)
    const bool *large;             // (n) row of a part of more than two blocks
} tn_lines;

// TN_BAD_INPUT when A has a SPARSE part; TN_NUMERICS when it is not positive
// definite (the error names the block).
tn_status tn_lines_create(const tn_problem *problem, int n_threads, tn_arena *arena, tn_lines *out, tn_error *error);

// v (3 A->n_rows) = A^-1 v.
void tn_lines_solve(const tn_lines *lines, int n_threads, double *v);
// x (8 n) = L^-1 b; unused places keep their zeros.
void tn_lines_free(const tn_lines *lines, const double *b, double *x);
// row (6), one row of J on a line's two blocks, becomes one of H. The line is not large.
static inline void tn_line_forward(const tn_line_factor *f, double row[6])
{
    const double *a = f->block[0], *b = f->block[1];
    row[0] *= a[0];
    row[1] = (row[1] - a[1] * row[0]) * a[2];
    row[2] = (row[2] - a[3] * row[0] - a[4] * row[1]) * a[5];
    if (f->coupled) {
        for (int i = 0; i < 3; ++i) {
            const double *c = f->below + 6 * i;
            row[3 + i] -= c[0] * row[0] + c[1] * row[1] + c[2] * row[2];
        }
    }
    row[3] *= b[0];
    row[4] = (row[4] - b[1] * row[3]) * b[2];
    row[5] = (row[5] - b[3] * row[3] - b[4] * row[4]) * b[5];
}
// y (3 size) = L^-1 y for one part.
void tn_lines_forward(const tn_lines *lines, int part, double *y);
