// Three components of four nodes, and their arithmetic.
#pragma once

#include "kernels/quad.h"

typedef struct quad_nodes {
    quad x, y, z;
} quad_nodes;

TN_QUAD_INLINE quad dot(quad_nodes a, quad_nodes b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TN_QUAD_INLINE quad_nodes add(quad_nodes a, quad_nodes b)
{
    return (quad_nodes){a.x + b.x, a.y + b.y, a.z + b.z};
}

TN_QUAD_INLINE quad_nodes subtract(quad_nodes a, quad_nodes b)
{
    return (quad_nodes){a.x - b.x, a.y - b.y, a.z - b.z};
}

// a + s d
TN_QUAD_INLINE quad_nodes add_scaled(quad_nodes a, quad s, quad_nodes d)
{
    return (quad_nodes){a.x + s * d.x, a.y + s * d.y, a.z + s * d.z};
}

TN_QUAD_INLINE quad_nodes choose_nodes(quad_mask mask, quad_nodes yes, quad_nodes no)
{
    return (quad_nodes){quad_choose(mask, yes.x, no.x), quad_choose(mask, yes.y, no.y), quad_choose(mask, yes.z, no.z)};
}

// v where the mask is set, else 0.
TN_QUAD_INLINE quad_nodes masked_nodes(quad_mask mask, quad_nodes v)
{
    const quad zero = {0.0};
    return choose_nodes(mask, v, (quad_nodes){zero, zero, zero});
}

// Component k from p + k stride on.
TN_QUAD_INLINE quad_nodes load_three(const double *p, int stride)
{
    return (quad_nodes){quad_load(p), quad_load(p + stride), quad_load(p + 2 * stride)};
}

TN_QUAD_INLINE void store_three(double *p, int stride, quad_nodes v)
{
    quad_store(p, v.x);
    quad_store(p + stride, v.y);
    quad_store(p + 2 * stride, v.z);
}
