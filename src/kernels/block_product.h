// y = A x of a 3x3-block sparse matrix: threaded, and vectorised for what the processor has.
//
// Every block row has nine sums, one for each entry of a block, over its blocks from left to right; y_i = (sum of entry
// 3 i + that of 3 i + 1) + that of 3 i + 2. Without fused multiply-adds: the same bits for any processor and number of
// threads.
#pragma once

#include "tenon/problem.h"

#include <stdbool.h>

// y (3 A->n_rows) = A x (3 A->n_cols); y must not overlap x. n_threads >= 1.
void tn_block_product(const tn_blocks *A, const double *x, double *y, int n_threads);

// y[k] = A x[k], two at once: the bits of two products, in two thirds of their time.
void tn_block_product_two(const tn_blocks *A, const double *const x[2], double *const y[2], int n_threads);

// The instruction set that tn_block_product uses here: "avx512", "avx2" or "baseline". For reports.
const char *tn_block_product_kind(void);

// The same product by one thread with the named instruction set; false (y untouched) where the processor lacks it.
// For tests and measurements.
bool tn_block_product_with(const char *kind, const tn_blocks *A, const double *x, double *y);
