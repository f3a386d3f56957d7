// Three components of eight nodes as lanes of doubles, and what kernels do with the contacts of a slice.
#pragma once

#include "kernels/lanes.h"
#include "kernels/nodal/sweep.h"
#include "kernels/sell_rows.h"

typedef struct node_lanes {
    lanes x, y, z;
} node_lanes;

TN_INLINE node_lanes widen(octet_nodes v)
{
    return (node_lanes){__builtin_convertvector(v.x, lanes), __builtin_convertvector(v.y, lanes),
                        __builtin_convertvector(v.z, lanes)};
}

TN_INLINE octet_nodes narrow(node_lanes v)
{
    return (octet_nodes){__builtin_convertvector(v.x, octet), __builtin_convertvector(v.y, octet),
                         __builtin_convertvector(v.z, octet)};
}

TN_INLINE lanes dot(node_lanes a, node_lanes b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// a + s b
TN_INLINE node_lanes madd(node_lanes a, lanes s, node_lanes b)
{
    return (node_lanes){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

TN_INLINE node_lanes plus(node_lanes a, node_lanes b)
{
    return (node_lanes){a.x + b.x, a.y + b.y, a.z + b.z};
}

TN_INLINE node_lanes minus(node_lanes a, node_lanes b)
{
    return (node_lanes){a.x - b.x, a.y - b.y, a.z - b.z};
}

TN_INLINE node_lanes choose_nodes(lane_masks mask, node_lanes yes, node_lanes no)
{
    return (node_lanes){choose(mask, yes.x, no.x), choose(mask, yes.y, no.y), choose(mask, yes.z, no.z)};
}

TN_INLINE node_lanes masked(lane_masks mask, node_lanes v)
{
    const lanes zero = {0.0};
    return choose_nodes(mask, v, (node_lanes){zero, zero, zero});
}

TN_INLINE node_lanes load_three(const double p[3][TN_SELL_LANES])
{
    return (node_lanes){load(p[0]), load(p[1]), load(p[2])};
}

TN_INLINE void store_three(double p[3][TN_SELL_LANES], node_lanes v)
{
    store(p[0], v.x);
    store(p[1], v.y);
    store(p[2], v.z);
}

TN_INLINE lane_masks load_masks(const int64_t *p)
{
    lane_masks m;
    memcpy(&m, p, sizeof m);
    return m;
}

// The contacts of a slice, or NULL.
TN_INLINE tn_nodal_contacts *contacts_of(const tn_nodal_rows *rows, int slice)
{
    int k = rows->contact_of_slice[slice];
    return k < 0 ? NULL : rows->contacts + k;
}
