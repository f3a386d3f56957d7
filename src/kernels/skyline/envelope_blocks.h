// What the two factors in an envelope share (envelope.c in doubles, skyline.c rounded): blocks by columns of eight
// lanes.
#pragma once

#include "kernels/lanes.h"
#include "kernels/sell_rows.h"

// C -= L_I L_J^T over `count` blocks of both rows, all of them consecutive.
TN_INLINE void subtract_products(double *C, const double *row_i, const double *row_j, int count)
{
    lanes c0 = load(C), c1 = load(C + 8), c2 = load(C + 16), c3 = load(C + 24), c4 = load(C + 32), c5 = load(C + 40);
    for (int k = 0; k < 6 * count; k++) {
        lanes x = load(row_i + 8 * (size_t)k);
        const double *y = row_j + 8 * (size_t)k;
        c0 -= x * y[0];
        c1 -= x * y[1];
        c2 -= x * y[2];
        c3 -= x * y[3];
        c4 -= x * y[4];
        c5 -= x * y[5];
    }
    store(C, c0);
    store(C + 8, c1);
    store(C + 16, c2);
    store(C + 24, c3);
    store(C + 32, c4);
    store(C + 40, c5);
}

// One step of a diagonal block's factorisation: column j of L, and what it takes from those behind it.
TN_INLINE void eliminate(double *C, int j, double least, double *inverse)
{
    double pivot = C[8 * j + j];
    inverse[j] = pivot > least ? 1.0 / sqrt(pivot) : 0.0;
    lanes column = load(C + 8 * j) * inverse[j];
    store(C + 8 * j, column);
    for (int k = j + 1; k < 6; k++) {
        store(C + 8 * k, load(C + 8 * k) - column * C[8 * j + k]);
    }
}
