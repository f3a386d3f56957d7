// A^-1 J^T of contacts one by one, where A falls into small parts: nine numbers on every block of the parts that each
// touches.
#pragma once

#include "math/parts.h"

typedef struct tn_responses {
    const int *start;    // (n + 1) entries of each contact
    const int *block;    // (start[n])
    const double *value; // (start[n], 3, 3) change of the block's velocity by the rows' forces
} tn_responses;

// The first n triples of rows. False: no memory.
bool tn_responses_create(const tn_rows *rows, int n, const tn_part_factors *factors, tn_arena *arena,
                         tn_responses *out);
