// What kernels do with the contacts of a slice: in doubles, half a slice, four nodes, at a time.
#pragma once

#include "kernels/nodal/sweep.h"
#include "kernels/sell_rows.h"

enum { HALF = TN_SELL_LANES / 2 };

// Half h of a slice's nodes.
TN_QUAD_INLINE quad_nodes widen(octet_nodes v, int h)
{
    return (quad_nodes){quad_half(v.x, h), quad_half(v.y, h), quad_half(v.z, h)};
}

TN_QUAD_INLINE octet narrow_two(quad low, quad high)
{
    quad_single a = __builtin_convertvector(low, quad_single), b = __builtin_convertvector(high, quad_single);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

// Both halves of a slice's nodes.
TN_QUAD_INLINE octet_nodes narrow(const quad_nodes half[2])
{
    return (octet_nodes){narrow_two(half[0].x, half[1].x), narrow_two(half[0].y, half[1].y),
                         narrow_two(half[0].z, half[1].z)};
}

// Of half h: three rows of numbers, numbers, a mask or states.
TN_QUAD_INLINE quad_nodes half_three(const double p[3][TN_SELL_LANES], int h)
{
    return load_three(p[0] + HALF * h, TN_SELL_LANES);
}

TN_QUAD_INLINE void half_store_three(double p[3][TN_SELL_LANES], int h, quad_nodes v)
{
    store_three(p[0] + HALF * h, TN_SELL_LANES, v);
}

TN_QUAD_INLINE quad half_of(const double *p, int h)
{
    return quad_load(p + HALF * h);
}

TN_QUAD_INLINE quad_mask half_mask(const int64_t *p, int h)
{
    quad_mask m;
    memcpy(&m, p + HALF * h, sizeof m);
    return m;
}

// The contacts of a slice, or NULL.
TN_QUAD_INLINE tn_nodal_contacts *contacts_of(const tn_nodal_rows *rows, int slice)
{
    int k = rows->contact_of_slice[slice];
    return k < 0 ? NULL : rows->contacts + k;
}
