// Nested dissection of a matrix's graph: which rows separate it, and at what depth.
#pragma once

#include "tenon/problem.h"

#include <stddef.h>

enum { TN_DISSECTION_DEPTH = 32 };

// rank (A->n_rows): 0 for rows of the pieces that remain, and for the rows of a separator more the earlier it was
// found, TN_DISSECTION_DEPTH - 1 for the first; TN_DISSECTION_DEPTH for rows with many more blocks than most. An order
// that eliminates by rank, and inside a rank by minimum degree, fills less than minimum degree alone where the body is
// thick in all directions. A: square, its pattern symmetric. work (tn_dissection_work) is scratch.
//
// Pieces are halved by bisection.h, down to 100 rows. In heaps of spheres the order takes 7 to 20 % fewer operations
// than one by the levels of breadth-first searches, in blocks of tetrahedra 8 to 29 %; METIS takes 5 to 20 % fewer
// still in heaps and balls, more in slabs (docs/solver_notes.md), but allocates, and draws from the C library's random
// numbers, which are the program's and shared by its threads: an island's bits would depend on who else is at work.
void tn_dissection_rank(const tn_blocks *A, int *rank, int *work);
size_t tn_dissection_work(const tn_blocks *A); // integers
