// A small separator of a graph that leaves two sides of about the same weight.
//
// By levels (G. Karypis, V. Kumar, A fast and high quality multilevel scheme for partitioning irregular graphs, 1998):
// rows are matched with neighbours and joined until few are left, those are cut by growing one side from several
// starts, and the best cut is carried back, made smaller at each level (separator.h). Far coarser moves are tried so
// than rows one by one allow, and each level costs little.
#pragma once

#include "math/separator.h"

#include <stdbool.h>
#include <stddef.h>

// A: connected, its pattern symmetric, without diagonal; side (n_rows): TN_SIDE_. work (tn_bisection_work) is scratch.
// False: one side is empty.
bool tn_bisect(const tn_blocks *A, int *side, int *work);
// Integers of scratch for any graph of at most n_rows rows and n_blocks neighbours in all.
size_t tn_bisection_work(int n_rows, int n_blocks);
