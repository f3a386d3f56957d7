// What the certificate needs of A^-1: inverses of the diagonal blocks that contacts touch.
#pragma once

#include "base/arena.h"
#include "math/parts.h"
#include "tenon/problem.h"

typedef struct tn_certificate_blocks {
    double *inverse; // (n_rows, 9) where touched
    bool *touched;   // (n_rows)
    bool regular;    // none of them is singular
    bool diagonal;   // nor has one anything off its diagonal
    bool alone;      // nor coupled to another block: then inverse holds blocks of A^-1
    int n_threads;
} tn_certificate_blocks;

// Global form. TN_NO_MEMORY only.
tn_status tn_certificate_blocks_create(const tn_blocks *A, const tn_rows *contacts, int n_threads, tn_arena *arena,
                                       tn_certificate_blocks *out);

// A^-1 where contacts act, if that is cheap, and the velocities without the contact forces.
typedef struct tn_certificate_motion {
    bool known;     // else it would need a factorisation of A
    bool by_blocks; // by the blocks' inverses, else by parts
    tn_part_factors factors;
    double *free; // (3 n_rows) A^-1 b
} tn_certificate_motion;

// TN_NO_MEMORY only.
tn_status tn_certificate_find_motion(const tn_problem *problem, const tn_certificate_blocks *blocks, tn_arena *arena,
                                     tn_certificate_motion *out);
// x (3 n_rows) = A^-1 x, right where contacts act; known.
void tn_certificate_motion_solve(const tn_problem *problem, const tn_certificate_blocks *blocks,
                                 const tn_certificate_motion *motion, double *x);
