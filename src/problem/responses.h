// A^-1 J^T of constraints one by one, where A falls into small parts: three numbers for each of a constraint's rows on
// every block of the parts that it touches.
#pragma once

#include "math/parts.h"

typedef struct tn_responses {
    const int *start;    // (n + 1) entries of each constraint
    const int *block;    // (start[n])
    const double *value; // (start[n], 3, width) change of the block's velocity by the rows' forces
} tn_responses;

// The first n constraints of rows with `width` rows each: triples (3), or singles (1) of tn_rows_singles. False: no
// memory.
bool tn_responses_create(const tn_rows *rows, int n, int width, const tn_part_factors *factors, tn_arena *arena,
                         tn_responses *out);
