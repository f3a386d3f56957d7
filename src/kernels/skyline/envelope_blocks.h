// What the two factors in an envelope share (envelope.c in doubles, skyline.c rounded): blocks by columns of eight
// lanes, worked on in halves of four.
#pragma once

#include "kernels/quad.h"

// Half of C -= L_I L_J^T over `count` blocks of both rows, all of them consecutive.
TN_QUAD_INLINE void subtract_half(double *C, const double *row_i, const double *row_j, int count)
{
    quad c0 = quad_load(C), c1 = quad_load(C + 8), c2 = quad_load(C + 16);
    quad c3 = quad_load(C + 24), c4 = quad_load(C + 32), c5 = quad_load(C + 40);
    for (int k = 0; k < 6 * count; k++) {
        quad x = quad_load(row_i + 8 * (size_t)k);
        const double *y = row_j + 8 * (size_t)k;
        c0 -= x * y[0];
        c1 -= x * y[1];
        c2 -= x * y[2];
        c3 -= x * y[3];
        c4 -= x * y[4];
        c5 -= x * y[5];
    }
    quad_store(C, c0);
    quad_store(C + 8, c1);
    quad_store(C + 16, c2);
    quad_store(C + 24, c3);
    quad_store(C + 32, c4);
    quad_store(C + 40, c5);
}

TN_QUAD_INLINE void subtract_products(double *C, const double *row_i, const double *row_j, int count)
{
    subtract_half(C, row_i, row_j, count);
    subtract_half(C + 4, row_i + 4, row_j, count);
}

// Column j of C, scaled, and what it takes from those behind it: C_k -= C_j L_kj. L may be C.
TN_QUAD_INLINE void eliminate(double *C, int j, double scale, const double *L)
{
    quad low = quad_load(C + 8 * j) * scale, high = quad_load(C + 8 * j + 4) * scale;
    quad_store(C + 8 * j, low);
    quad_store(C + 8 * j + 4, high);
    for (int k = j + 1; k < 6; k++) {
        quad_store(C + 8 * k, quad_load(C + 8 * k) - low * L[8 * j + k]);
        quad_store(C + 8 * k + 4, quad_load(C + 8 * k + 4) - high * L[8 * j + k]);
    }
}

// A diagonal block's factor in place and its inverse pivots, 0 where a pivot is not above `least`. The strict upper
// triangle has no meaning.
TN_QUAD_INLINE void factor_block(double *C, double least, double *inverse)
{
    for (int j = 0; j < 6; j++) {
        double pivot = C[8 * j + j];
        inverse[j] = pivot > least ? 1.0 / sqrt(pivot) : 0.0;
        eliminate(C, j, inverse[j], C);
    }
}
