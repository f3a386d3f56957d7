// What ties the rates of trees to one another while the trees are placed (trees.c): joints that close loops, rigid
// gears, and inertia of differences of rates. Their forces change along the rows of the step's start, so that loops
// close at its end: SHAKE (shake.c) in the coordinates of trees.
//
//     A dnu = lacking + G^T df,   h G dnu = -e,      A of the trees, e what loops and gears are off at the step's end
//
// What else is rigid, as motors of gears, keeps what the solve has given it: e = 0.
#pragma once

#include "sim/mechanisms.h"
#include "solver/dense/motion.h"

typedef struct tn_ties {
    int n, n_rigid; // rows; the first n_rigid of them are rigid, the others inertia, which gives way
    int n_held;     // the first ones, of what is held: errors of positions count
    int *single;    // (n) of the whole problem
    int *number;    // (n_held) of model->joint_rows
    int *tree;      // (n) one of those that the row acts on
    double *force;  // (n) of rigid rows more than in the solve, of others all [N, N m]
    int *group;     // (trees->n) trees of one mechanism have the same number, below n_groups
    int n_groups;   //
    int *block;     // (trees->n) first block of a tree in the problem; -1: nothing ties it
    tn_rows rows;   // singles
    tn_blocks A;    //
    tn_hints hints; //
    tn_parts parts; //
    tn_problem problem;
    tn_motion motion;
    double *offset, *change; // (n), (3 A.n_rows)
    tn_joint_geometry *room; // (n_joints)
} tn_ties;

// Of the step's reduced problem. TN_NUMERICS: what the trees weigh is not positive.
tn_status tn_ties_create(const tn_step_placing *at, tn_ties *out);
// Errors of what is held, where at->next has the trees and their coordinates; those of other joints follow there.
void tn_ties_look(const tn_step_placing *at, tn_ties *ties);
// lacking (3 trees->n_blocks) of trees that move and are tied becomes the change of their rates; more (n): that of the
// forces.
void tn_ties_change(const tn_step_placing *at, tn_ties *ties, const bool *moves, double *lacking, double *more);
