// y = A x of a 3x3-block sparse matrix: threaded, and vectorised for what the processor has.
//
// Every block row is summed from left to right in the scalar product's own order, without fused multiply-adds, so the
// bits are those of tn_blocks_mul (math/blocks.h, the scalar twin) for any processor and number of threads.
#pragma once

#include "tenon/problem.h"

#include <stdbool.h>

// y (3 A->n_rows) = A x (3 A->n_cols); y must not overlap x. n_threads >= 1.
void tn_block_product(const tn_blocks *A, const double *x, double *y, int n_threads);

// The instruction set that tn_block_product uses here: "avx2" or "baseline". For reports.
const char *tn_block_product_kind(void);

// The same product by one thread with the named instruction set; false (y untouched) where the processor lacks it.
// For tests and measurements.
bool tn_block_product_with(const char *kind, const tn_blocks *A, const double *x, double *y);
