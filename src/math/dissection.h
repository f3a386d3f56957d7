// Nested dissection of a matrix's graph: which rows separate it, and at what depth.
#pragma once

#include "tenon/problem.h"

enum { TN_DISSECTION_DEPTH = 32 };

// rank (A->n_rows): 0 for rows of the pieces that remain, and for the rows of a separator more the earlier it was
// found, TN_DISSECTION_DEPTH - 1 for the first; TN_DISSECTION_DEPTH for rows with many more blocks than most. An order
// that eliminates by rank, and inside a rank by minimum degree, fills less than minimum degree alone where the body is
// thick in all directions. A: square, its pattern symmetric. work (12 A->n_rows) is scratch.
//
// Pieces are split by the thinnest level of a breadth-first search (George and Liu, 1978) that leaves at least 30 % on
// either side, made smaller by moves of single rows (separator.h); the best of seven starts, one from the far end of
// the graph. In heaps of spheres the order takes a fifth to two fifths fewer operations than by plain levels, 5 to 30 %
// more than METIS'. METIS reseeds the C library's random numbers, which are the program's.
void tn_dissection_rank(const tn_blocks *A, int *rank, int *work);
