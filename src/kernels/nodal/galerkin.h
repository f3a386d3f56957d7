// P^T A P for a prolongation P from groups to block rows. A group moves as a rigid body, by six numbers, a velocity y
// and a spin theta; or affinely, by twelve, a velocity and its change along x, y and z: two blocks of six numbers,
// (y, y_x) and (y_y, y_z).
#pragma once

#include "kernels/nodal/groups.h"
#include "kernels/skyline/skyline.h"
#include "tenon/problem.h"

#include <stdbool.h>
#include <string.h>

// What P makes of the motion that its group gives to a row: y + theta x arm, or y + y_x arm_x + y_y arm_y + y_z arm_z.
typedef enum tn_row_motion {
    TN_ROW_RIGID,  // that
    TN_ROW_SLIDES, // without the part along a normal
    TN_ROW_HELD,   // nothing
    TN_ROW_OTHER,  // something else: blocks of its own
} tn_row_motion;

typedef struct tn_prolongation {
    int n_affine;              // groups [0, n_affine) move affinely, the others as rigid bodies
    const int *of_row;         // (n_rows) group of each row
    const double *arm;         // (n_rows, 4) from the group's centre, in its unit of length; the fourth 0
    const signed char *motion; // (n_rows) tn_row_motion
    const double *normal;      // (n_rows, 4) of length 1, where motion is to slide; the fourth 0
    const double *across;      // (n_rows, 4) there: s, at right angles; s s^T is added to the diagonal block
    const double *along;       // (n_rows, 4) there: another such vector
    int n_others;              // rows of other motion:
    const int *other;          // (n_others) each row
    const int *place;          // (n_rows) which of them each row is; of no meaning elsewhere
    const int *start;          // (n_others + 1) its blocks
    const int *group;          // (start[n_others]) tn_coarse_block of the group, or the second one
    const double *value;       // (start[n_others], 3, 8) 3x6 blocks of lanes, the last two columns 0
} tn_prolongation;

// The first block of six numbers of a group: the only one, or the first of two.
static inline int tn_coarse_block(int n_affine, int group)
{
    return group + (group < n_affine ? group : n_affine);
}

// B (3, 8), or two of them where its group moves affinely: a node's row of P as its group moves it.
static inline void tn_coarse_row(bool affine, const double *arm, double *B)
{
    memset(B, 0, (affine ? 48 : 24) * sizeof *B);
    B[0] = B[9] = B[18] = 1.0;
    if (affine) {
        B[3] = B[12] = B[21] = arm[0];
        B[24] = B[33] = B[42] = arm[1];
        B[27] = B[36] = B[45] = arm[2];
    } else {
        B[4] = B[11] = arm[2];
        B[5] = B[19] = arm[1];
        B[13] = B[20] = arm[0];
        B[5] = -B[5];
        B[11] = -B[11];
        B[20] = -B[20];
    }
}

// out += lower triangle of P^T A P; the envelope must hold every pair of blocks that A couples. A symmetric; runs: of
// A and of_row. The same bits for any number of threads.
void tn_galerkin_add(const tn_blocks *A, const tn_prolongation *P, const tn_group_runs *runs, tn_skyline *out,
                     int n_threads);
