// What tree_problem.c is made of; not for others. Both false: no memory.
#pragma once

#include "discretize/tree_problem.h"

// A, parts and inertia (tree_matrix.c).
bool tn_tree_fill_matrix(tn_tree_problem *reduced, tn_arena *arena);
// Which constraints stay, and their rows (tree_rows.c).
bool tn_tree_fill_rows(tn_tree_problem *reduced, const tn_joint_step *joints, tn_arena *arena);
