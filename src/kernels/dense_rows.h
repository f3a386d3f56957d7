// The inner loop of sweeps and products with a dense symmetric matrix of 3x3 contact blocks.
#pragma once

#include <stdbool.h>

// y (n) += d[0] r_0 + d[1] r_1 + d[2] r_2; rows (3, n): r_0, r_1, r_2 one after the other. Number by number in that
// order without fused multiply-adds: the bits do not depend on the instruction set, which is chosen at run time.
void tn_dense_rows_add(int n, const double *rows, const double d[3], double *y);

// The same with the named instruction set, "avx512", "avx2" or "baseline"; false (y untouched) where the processor
// lacks it.
bool tn_dense_rows_add_with(const char *kind, int n, const double *rows, const double d[3], double *y);
