// The inner loop of pivoting methods on a dense dictionary.
#pragma once

#include <stddef.h>

// For all rows i but r of T (n_rows, width): with a = T[i][c], T[i] += a row and T[i][c] = a row[c]. Rows with a = 0
// are not touched. width is a multiple of 8, row (width) is no row of T. No fused multiply-adds: the same bits with any
// instruction set.
void tn_pivot_rows(int n_rows, size_t width, double *T, int r, int c, const double *row);
