// Block Gauss-Seidel over joints and contacts of rigid bodies, v kept up to date.
//
// The rows of one joint that have no bounds are solved together, by the inverse of their block of G A^-1 G^T + R
// (regularised by 1e-10, for rows that come twice); bounded rows one by one, clamped; contacts by the exact one-contact
// solve, moments of rolling likewise. No part of A is SPARSE (math/parts.h).
#pragma once

#include "problem/delassus.h"
#include "problem/responses.h"

typedef struct tn_joint_sweep {
    const tn_problem *problem;
    tn_delassus delassus; // of the contacts, by components
    int n_groups;
    const int *group_start; // (n_groups + 1) rows of each group: the free rows of a joint, or one bounded row
    const int *group_row;   // (joint rows) rows by group
    const int *inverse_at;  // (n_groups + 1) first number of each group's inverse
    const double *inverse;  // by group, size square: (G A^-1 G^T + R + small)^-1; one number for a bounded row
    tn_responses responses; // of the joint rows
    double *v;              // (3 A->n_rows) A^-1 (b + J^T lambda + G^T f), up to rounding
    double *lambda;         // (contacts, 3)
    double *f;              // (joint rows)
} tn_joint_sweep;

enum { TN_JOINT_SWEEP_ROWS = 12 }; // largest block; longer joints are cut

// The forces of start. TN_BAD_INPUT where A couples more.
tn_status tn_joint_sweep_create(tn_joint_sweep *sweep, const tn_problem *problem, const tn_solution *start,
                                tn_arena *arena, tn_error *error);
void tn_joint_sweep_once(tn_joint_sweep *sweep);
void tn_joint_sweep_refresh(tn_joint_sweep *sweep); // v of the forces alone, without gathered rounding
