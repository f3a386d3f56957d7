// Eight nodes of a packed vector (kernels/sell.h) as lanes of x, y and z, for kernels that work on slices.
#pragma once

#include "kernels/lanes.h"
#include "kernels/sell.h"

typedef double one_node __attribute__((vector_size(32))); // x, y, z and one of no meaning

typedef struct node_lanes {
    lanes x, y, z;
} node_lanes;

// Four nodes, transposed. Spelled out: arrays and loops end up in memory.
typedef struct four_nodes {
    one_node x, y, z;
} four_nodes;

TN_INLINE one_node load_node(const double *p)
{
    one_node n;
    memcpy(&n, p, sizeof n);
    return n;
}

TN_INLINE void store_node(double *p, one_node n)
{
    memcpy(p, &n, sizeof n);
}

TN_INLINE four_nodes transpose(one_node n0, one_node n1, one_node n2, one_node n3)
{
    one_node a = __builtin_shufflevector(n0, n1, 0, 4, 2, 6), b = __builtin_shufflevector(n2, n3, 0, 4, 2, 6);
    one_node c = __builtin_shufflevector(n0, n1, 1, 5, 3, 7), d = __builtin_shufflevector(n2, n3, 1, 5, 3, 7);
    return (four_nodes){.x = __builtin_shufflevector(a, b, 0, 1, 4, 5),
                        .y = __builtin_shufflevector(c, d, 0, 1, 4, 5),
                        .z = __builtin_shufflevector(a, b, 2, 3, 6, 7)};
}

TN_INLINE node_lanes join(four_nodes a, four_nodes b)
{
    return (node_lanes){.x = __builtin_shufflevector(a.x, b.x, 0, 1, 2, 3, 4, 5, 6, 7),
                        .y = __builtin_shufflevector(a.y, b.y, 0, 1, 2, 3, 4, 5, 6, 7),
                        .z = __builtin_shufflevector(a.z, b.z, 0, 1, 2, 3, 4, 5, 6, 7)};
}

// Nodes whose numbers start at place[0..7].
TN_INLINE node_lanes load_nodes(const double *x, const int *place)
{
    return join(
        transpose(load_node(x + place[0]), load_node(x + place[1]), load_node(x + place[2]), load_node(x + place[3])),
        transpose(load_node(x + place[4]), load_node(x + place[5]), load_node(x + place[6]), load_node(x + place[7])));
}

// The eight nodes of one slice.
TN_INLINE node_lanes load_slice(const double *x, int slice)
{
    const double *p = x + 4 * TN_SELL_LANES * (size_t)slice;
    return join(transpose(load_node(p), load_node(p + 4), load_node(p + 8), load_node(p + 12)),
                transpose(load_node(p + 16), load_node(p + 20), load_node(p + 24), load_node(p + 28)));
}

TN_INLINE void store_four(double *p, one_node x, one_node y, one_node z)
{
    const one_node zero = {0.0};
    one_node a = __builtin_shufflevector(x, y, 0, 4, 2, 6), b = __builtin_shufflevector(x, y, 1, 5, 3, 7);
    one_node c = __builtin_shufflevector(z, zero, 0, 4, 2, 6), d = __builtin_shufflevector(z, zero, 1, 5, 3, 7);
    store_node(p, __builtin_shufflevector(a, c, 0, 1, 4, 5));
    store_node(p + 4, __builtin_shufflevector(b, d, 0, 1, 4, 5));
    store_node(p + 8, __builtin_shufflevector(a, c, 2, 3, 6, 7));
    store_node(p + 12, __builtin_shufflevector(b, d, 2, 3, 6, 7));
}

TN_INLINE void store_slice(double *x, int slice, node_lanes v)
{
    double *p = x + 4 * TN_SELL_LANES * (size_t)slice;
    store_four(p, __builtin_shufflevector(v.x, v.x, 0, 1, 2, 3), __builtin_shufflevector(v.y, v.y, 0, 1, 2, 3),
               __builtin_shufflevector(v.z, v.z, 0, 1, 2, 3));
    store_four(p + 16, __builtin_shufflevector(v.x, v.x, 4, 5, 6, 7), __builtin_shufflevector(v.y, v.y, 4, 5, 6, 7),
               __builtin_shufflevector(v.z, v.z, 4, 5, 6, 7));
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
