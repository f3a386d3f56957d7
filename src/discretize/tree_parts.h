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

// Rigid gears (tree_gears.c). Which there are, by along of all rows.
bool tn_tree_find_gears(tn_tree_problem *reduced, const tn_tree_along *along, tn_arena *arena);
// The rate by which one moves, and how fast: itself, but where it is gone.
int tn_tree_mover(const tn_tree_problem *reduced, int rate, double *factor);
// T^T A T and T^T b where nu = T z + shift; z of what is gone is zero.
void tn_tree_gears_into_matrix(tn_tree_problem *reduced);
void tn_tree_gears_into_rates(const tn_tree_problem *reduced, double *b);
// shift, of the offsets; rates of z.
void tn_tree_find_shift(tn_tree_problem *reduced);
void tn_tree_find_rates(tn_tree_problem *reduced);
// Forces of gears that are gone, into the singles, and what the balance lacks without them.
bool tn_tree_gear_forces(const tn_tree_problem *reduced, tn_arena *arena, double *singles, double *lacking);
