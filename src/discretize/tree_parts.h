// What tree_problem.c is made of; not for others. All false: no memory.
#pragma once

#include "discretize/tree_problem.h"

// A row of joints that is along rates of trees: a coordinate's, or of a gear. n 0: it is not; below 0: a hold of a
// tree's joint or the inertia of a coordinate, which are no rows here.
typedef struct tn_tree_along {
    int n, rate[2];
    double factor[2];
} tn_tree_along;

// Where the holds of trees' joints are, and rows of coordinates' inertia; *along (n_singles) of all rows (tree_rows.c).
bool tn_tree_find_holds(tn_tree_problem *reduced, const tn_joint_step *joints, tn_arena *arena, tn_tree_along **along);
// After that: A, parts and inertia (tree_matrix.c).
bool tn_tree_fill_matrix(tn_tree_problem *reduced, tn_arena *arena);
// After that: which constraints stay, and their rows; springs go into A (tree_rows.c).
bool tn_tree_fill_rows(tn_tree_problem *reduced, const tn_tree_along *along, tn_arena *arena);
