// P^T A P for a prolongation P from groups of six numbers, a velocity y and a spin theta, to block rows.
#pragma once

#include "kernels/nodal/groups.h"
#include "kernels/skyline/skyline.h"
#include "tenon/problem.h"

// What P makes of the motion y + theta x arm that its group gives to a row.
typedef enum tn_row_motion {
    TN_ROW_RIGID,  // that
    TN_ROW_SLIDES, // without the part along a normal
    TN_ROW_HELD,   // nothing
    TN_ROW_OTHER,  // something else: blocks of its own
} tn_row_motion;

typedef struct tn_prolongation {
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
    const int *group;          // (start[n_others])
    const double *value;       // (start[n_others], 3, 8) 3x6 blocks of lanes, the last two columns 0
} tn_prolongation;

// out += lower triangle of P^T A P; the envelope must hold every pair of groups that A couples. A symmetric; runs: of
// A and of_row. The same bits for any number of threads.
void tn_galerkin_add(const tn_blocks *A, const tn_prolongation *P, const tn_group_runs *runs, tn_skyline *out,
                     int n_threads);
