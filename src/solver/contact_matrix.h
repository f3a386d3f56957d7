// K = A + sum over contacts of J_m^T C_m J_m + sum over joint rows of w_i G_i^T G_i: what Newton's method, ADMM and
// the interior point method factorise. Its pattern does not change while the 3x3 matrices C_m and the weights w_i do,
// so one analysis serves a whole solve.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_contact_matrix {
    const tn_problem *problem;
    tn_blocks K;
    int *place;    // (blocks of A) position in K of A's blocks; NULL: the pattern is A's own
    int *pair;     // position in K of block (block[e], block[f]) of each contact's entries e, f, e major
    int *row_pair; // the same of the joint rows' entries, row after row; NULL without joints
} tn_contact_matrix;

// Pattern in arena; A with all of its diagonal blocks. False: no memory.
bool tn_contact_matrix_create(tn_contact_matrix *matrix, const tn_problem *problem, tn_arena *arena);
// K's values from A's and C (contacts, 9), each symmetric.
void tn_contact_matrix_fill(tn_contact_matrix *matrix, const double *C);
// K += sum of weight[i] G_i^T G_i over the problem's joint rows.
void tn_contact_matrix_add_singles(tn_contact_matrix *matrix, const double *weight);
