// Rows that touch the same blocks one after the other.
#pragma once

#include "tenon/problem.h"

#include <stdbool.h>

// Constraint i touches the blocks of the one before, as contacts of two boxes do.
static inline bool tn_rows_repeat(const tn_rows *rows, int i)
{
    const int *start = rows->start;
    int n = start[i + 1] - start[i];
    bool same = i > 0 && n == start[i] - start[i - 1];
    for (int e = 0; same && e < n; e++) {
        same = rows->block[start[i] + e] == rows->block[start[i - 1] + e];
    }
    return same;
}
