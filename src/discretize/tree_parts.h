// What tree_problem.c is made of; not for others. All false: no memory.
#pragma once

#include "discretize/tree_problem.h"

// Where the holds of trees' joints are, and rows of coordinates' inertia; *link (n_singles): of other rows of such a
// joint its link, of holds and inertia below -1, else -1 (tree_rows.c).
bool tn_tree_find_holds(tn_tree_problem *reduced, const tn_joint_step *joints, tn_arena *arena, int **link);
// After that: A, parts and inertia (tree_matrix.c).
bool tn_tree_fill_matrix(tn_tree_problem *reduced, tn_arena *arena);
// After that: which constraints stay, and their rows; springs go into A (tree_rows.c).
bool tn_tree_fill_rows(tn_tree_problem *reduced, const int *link, tn_arena *arena);
