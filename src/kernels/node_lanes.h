// Eight nodes of a packed vector (kernels/sell.h) as lanes of x, y and z, for kernels that work on slices.
#pragma once

#include "kernels/lanes.h"
#include "kernels/sell.h"

typedef double one_node __attribute__((vector_size(32))); // x, y, z and one of no meaning

typedef struct node_lanes {
    lanes x, y, z;
} node_lanes;

// x, y and z of four nodes.
TN_INLINE void transpose_four(const one_node n[4], one_node *x, one_node *y, one_node *z)
{
    one_node a = __builtin_shufflevector(n[0], n[1], 0, 4, 2, 6), b = __builtin_shufflevector(n[2], n[3], 0, 4, 2, 6);
    one_node c = __builtin_shufflevector(n[0], n[1], 1, 5, 3, 7), d = __builtin_shufflevector(n[2], n[3], 1, 5, 3, 7);
    *x = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    *y = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    *z = __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

TN_INLINE node_lanes transpose_eight(const one_node n[8])
{
    one_node x[2], y[2], z[2];
    transpose_four(n, x, y, z);
    transpose_four(n + 4, x + 1, y + 1, z + 1);
    return (node_lanes){.x = __builtin_shufflevector(x[0], x[1], 0, 1, 2, 3, 4, 5, 6, 7),
                        .y = __builtin_shufflevector(y[0], y[1], 0, 1, 2, 3, 4, 5, 6, 7),
                        .z = __builtin_shufflevector(z[0], z[1], 0, 1, 2, 3, 4, 5, 6, 7)};
}

// Nodes whose numbers start at place[0..7].
TN_INLINE node_lanes load_nodes(const double *x, const int *place)
{
    one_node n[8];
    for (int i = 0; i < 8; i++) {
        memcpy(&n[i], x + place[i], sizeof n[i]);
    }
    return transpose_eight(n);
}

// The eight nodes of one slice.
TN_INLINE node_lanes load_slice(const double *x, int slice)
{
    one_node n[8];
    memcpy(n, x + 4 * TN_SELL_LANES * (size_t)slice, sizeof n);
    return transpose_eight(n);
}

TN_INLINE void store_slice(double *x, int slice, node_lanes v)
{
    double *to = x + 4 * TN_SELL_LANES * (size_t)slice;
    for (int i = 0; i < TN_SELL_LANES; i++) {
        one_node n = {v.x[i], v.y[i], v.z[i], 0.0};
        memcpy(to + 4 * i, &n, sizeof n);
    }
}

// A x on the rows of one slice; values in doubles.
TN_INLINE node_lanes rows_times(const tn_sell *sell, const double *x, int slice)
{
    node_lanes sum = {{0.0}, {0.0}, {0.0}};
    for (int q = sell->order->start[slice]; q < sell->order->start[slice + 1]; q++) {
        const double *a = sell->value + 72 * (size_t)q;
        node_lanes v = load_nodes(x, sell->order->place + TN_SELL_LANES * (size_t)q);
        sum.x += load(a) * v.x + load(a + 8) * v.y + load(a + 16) * v.z;
        sum.y += load(a + 24) * v.x + load(a + 32) * v.y + load(a + 40) * v.z;
        sum.z += load(a + 48) * v.x + load(a + 56) * v.y + load(a + 64) * v.z;
    }
    return sum;
}
