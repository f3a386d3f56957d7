// A sparse pattern: a box of nodes, each with its neighbours within one step in every direction.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

// a x b x c nodes, `copies` such boxes that do not touch; rows and columns in arena, no values.
static inline tn_blocks box_pattern(int a, int b, int c, int copies, tn_arena *arena)
{
    int one = a * b * c, n = one * copies, used = 0;
    tn_blocks A = {
        .n_rows = n, .n_cols = n, .start = TN_PUSH(arena, int, n + 1), .column = TN_PUSH(arena, int, 27 * n)};
    for (int i = 0; i < n; i++) {
        int x = i % one % a, y = i % one / a % b, z = i % one / (a * b);
        for (int d = 0; d < 27; d++) {
            int u = x + d % 3 - 1, v = y + d / 3 % 3 - 1, w = z + d / 9 - 1;
            if (u >= 0 && u < a && v >= 0 && v < b && w >= 0 && w < c) {
                A.column[used++] = i / one * one + (w * b + v) * a + u;
            }
        }
        A.start[i + 1] = used;
    }
    return A;
}
