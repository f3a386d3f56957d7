// A separator of a graph made smaller: rows go from it to a side and draw their neighbours on the other side into it.
//
// Fiduccia and Mattheyses' method on vertices (C. Ashcraft, J. Liu, Applications of the Dulmage-Mendelsohn
// decomposition and network flow to graph bisection improvement, 1998, compare it): always the move that leaves the
// lightest separator, also where that is heavier than before, each row once; then back to the best of all
// states on the way. Passes like this as long as they help.
#pragma once

#include "tenon/problem.h"

enum { TN_SIDE_NEAR = 0, TN_SIDE_FAR = 1, TN_SIDE_SEPARATOR = 2 };

// A: its pattern symmetric, the diagonal may be missing; weight (n_rows) of the rows; side (n_rows): no row on one side
// has a neighbour on the other, before and after. least: weight that a side keeps at least, where it has as much.
// work (6 n_rows) is scratch. Returns the separator's weight.
int tn_separator_refine(const tn_blocks *A, const int *weight, int least, int *side, int *work);
