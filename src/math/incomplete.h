// Incomplete Cholesky factor of a symmetric block matrix, in the matrix' own pattern: a preconditioner.
//
// L has blocks where A's lower triangle has them; what would fill in elsewhere is dropped. L L^T is near A where A is
// near its diagonal, and L may fail to exist although A is positive definite. The order is A's.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_incomplete {
    int n;           // block rows
    int *start;      // (n + 1)
    int *column;     // (start[n]) below the diagonal, ascending in each row
    double *value;   // (start[n], 9)
    double *inverse; // (n, 9) of the diagonal's lower triangles
} tn_incomplete;

// For A's pattern: symmetric, columns ascending, with all diagonal blocks. False: no memory.
bool tn_incomplete_create(tn_incomplete *factor, const tn_blocks *A, tn_arena *arena);
bool tn_incomplete_values(tn_incomplete *factor, const tn_blocks *A);              // false: it does not exist
void tn_incomplete_solve(const tn_incomplete *factor, const double *b, double *x); // x = (L L^T)^-1 b; may alias
