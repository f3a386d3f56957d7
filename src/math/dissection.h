// Nested dissection of a matrix's graph: which rows separate it, and at what depth.
#pragma once

#include "tenon/problem.h"

enum { TN_DISSECTION_DEPTH = 32 };

// rank (A->n_rows): 0 for rows of the pieces that remain, and for the rows of a separator more the earlier it was
// found, TN_DISSECTION_DEPTH - 1 for the first; TN_DISSECTION_DEPTH for rows with many more blocks than most. An order
// that eliminates by rank, and inside a rank by minimum degree, fills less than minimum degree alone where the body is
// thick in all directions. A: square, its pattern symmetric. work (4 A->n_rows) is scratch.
//
// Pieces are split by the thinnest level of a breadth-first search from the far end of the graph (George and Liu,
// 1978) that leaves at least 30 % on either side. METIS' separators are about a tenth smaller, but it takes five times
// as long and reseeds the C library's random numbers, which are the program's.
void tn_dissection_rank(const tn_blocks *A, int *rank, int *work);
