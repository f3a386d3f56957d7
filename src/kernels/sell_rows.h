// Rows of a sliced matrix times a packed vector, inlined into the kernels that work on this format.
//
// A slice is worked on in two halves of four lanes: vectors of four doubles are as fast as vectors of eight here (the
// values come from the second cache level or beyond), and both compilers treat them well. One source for every
// instruction set; `wide` says that it is compiled for one that has such vectors, and is a constant where inlined.
#pragma once

#include "kernels/quad_nodes.h"
#include "kernels/sell.h"

// Of a slice.
typedef struct slice_nodes {
    quad_nodes half[2];
} slice_nodes;

// Transpose four nodes. Loads and shuffles: a gather instruction takes twice the time.
TN_QUAD_INLINE quad_nodes quad_gather(bool wide, const double *a, const double *b, const double *c, const double *d)
{
    if (!wide) {
        return (quad_nodes){
            .x = {a[0], b[0], c[0], d[0]}, .y = {a[1], b[1], c[1], d[1]}, .z = {a[2], b[2], c[2], d[2]}};
    }
    quad na = quad_load(a), nb = quad_load(b), nc = quad_load(c), nd = quad_load(d);
    quad xy_ac = __builtin_shufflevector(na, nc, 0, 1, 4, 5), xy_bd = __builtin_shufflevector(nb, nd, 0, 1, 4, 5);
    quad z_ac = __builtin_shufflevector(na, nc, 2, 3, 6, 7), z_bd = __builtin_shufflevector(nb, nd, 2, 3, 6, 7);
    return (quad_nodes){.x = __builtin_shufflevector(xy_ac, xy_bd, 0, 4, 2, 6),
                        .y = __builtin_shufflevector(xy_ac, xy_bd, 1, 5, 3, 7),
                        .z = __builtin_shufflevector(z_ac, z_bd, 0, 4, 2, 6)};
}

// Four nodes side by side, as in a packed vector, and back; the fourth numbers become 0.
TN_QUAD_INLINE quad_nodes quad_load_nodes(bool wide, const double *p)
{
    return quad_gather(wide, p, p + 4, p + 8, p + 12);
}

TN_QUAD_INLINE void quad_store_nodes(bool wide, double *p, quad_nodes v)
{
    if (!wide) {
        for (int i = 0; i < 4; i++) {
            p[4 * i] = v.x[i];
            p[4 * i + 1] = v.y[i];
            p[4 * i + 2] = v.z[i];
            p[4 * i + 3] = 0.0;
        }
        return;
    }
    quad zero = {0.0, 0.0, 0.0, 0.0};
    quad xy_ac = __builtin_shufflevector(v.x, v.y, 0, 4, 2, 6), xy_bd = __builtin_shufflevector(v.x, v.y, 1, 5, 3, 7);
    quad z_ac = __builtin_shufflevector(v.z, zero, 0, 4, 2, 6), z_bd = __builtin_shufflevector(v.z, zero, 1, 4, 3, 6);
    quad_store(p, __builtin_shufflevector(xy_ac, z_ac, 0, 1, 4, 5));
    quad_store(p + 4, __builtin_shufflevector(xy_bd, z_bd, 0, 1, 4, 5));
    quad_store(p + 8, __builtin_shufflevector(xy_ac, z_ac, 2, 3, 6, 7));
    quad_store(p + 12, __builtin_shufflevector(xy_bd, z_bd, 2, 3, 6, 7));
}

// Four values of a column, as doubles. single: which of the two arrays holds them; a constant where inlined.
TN_QUAD_INLINE quad quad_value(const tn_sell *sell, bool single, size_t at)
{
    if (!single) {
        return quad_load(sell->value + at);
    }
    const float *x = sell->single + at;
    return (quad){x[0], x[1], x[2], x[3]};
}

// sum += a column's blocks times the nodes v, four lanes.
TN_QUAD_INLINE void quad_add_column(const tn_sell *sell, bool single, size_t a, quad_nodes v, quad_nodes *sum)
{
    sum->x += quad_value(sell, single, a) * v.x;
    sum->y += quad_value(sell, single, a + 24) * v.x;
    sum->z += quad_value(sell, single, a + 48) * v.x;
    sum->x += quad_value(sell, single, a + 8) * v.y;
    sum->y += quad_value(sell, single, a + 32) * v.y;
    sum->z += quad_value(sell, single, a + 56) * v.y;
    sum->x += quad_value(sell, single, a + 16) * v.z;
    sum->y += quad_value(sell, single, a + 40) * v.z;
    sum->z += quad_value(sell, single, a + 64) * v.z;
}

// A x on the rows of one slice.
TN_QUAD_INLINE slice_nodes slice_product(const tn_sell *sell, bool single, bool wide, const double *x, int slice)
{
    quad zero = {0.0, 0.0, 0.0, 0.0};
    slice_nodes sum = {{{zero, zero, zero}, {zero, zero, zero}}};
    for (int q = sell->order->start[slice]; q < sell->order->start[slice + 1]; q++) {
        const int *at = sell->order->place + TN_SELL_LANES * (size_t)q;
        size_t a = 72 * (size_t)q;
        quad_add_column(sell, single, a, quad_gather(wide, x + at[0], x + at[1], x + at[2], x + at[3]), &sum.half[0]);
        quad_add_column(sell, single, a + 4, quad_gather(wide, x + at[4], x + at[5], x + at[6], x + at[7]),
                        &sum.half[1]);
    }
    return sum;
}

// Where half h of a slice begins in a packed vector.
TN_QUAD_INLINE size_t half_place(int slice, int h)
{
    return 4 * (size_t)(TN_SELL_LANES * slice + 4 * h);
}

TN_VECTOR(TN_QUAD_INLINE, octet, float, 32) // a number of eight nodes
typedef struct octet_nodes {
    octet x, y, z;
} octet_nodes;

// Numbers of nodes a and b side by side.
TN_QUAD_INLINE octet octet_join(const float *a, const float *b)
{
    return __builtin_shufflevector(quad_single_load(a), quad_single_load(b), 0, 1, 2, 3, 4, 5, 6, 7);
}

// Transpose eight nodes whose single numbers start at place[0..7] of x.
TN_QUAD_INLINE octet_nodes octet_gather(bool wide, const float *x, const int *place)
{
    const float *a = x + place[0], *b = x + place[1], *c = x + place[2], *d = x + place[3];
    const float *e = x + place[4], *f = x + place[5], *g = x + place[6], *h = x + place[7];
    if (!wide) {
        return (octet_nodes){.x = {a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0]},
                             .y = {a[1], b[1], c[1], d[1], e[1], f[1], g[1], h[1]},
                             .z = {a[2], b[2], c[2], d[2], e[2], f[2], g[2], h[2]}};
    }
    octet ae = octet_join(a, e), bf = octet_join(b, f), cg = octet_join(c, g), dh = octet_join(d, h);
    octet xy_ab = __builtin_shufflevector(ae, bf, 0, 8, 1, 9, 4, 12, 5, 13);
    octet xy_cd = __builtin_shufflevector(cg, dh, 0, 8, 1, 9, 4, 12, 5, 13);
    octet z_ab = __builtin_shufflevector(ae, bf, 2, 10, 3, 11, 6, 14, 7, 15);
    octet z_cd = __builtin_shufflevector(cg, dh, 2, 10, 3, 11, 6, 14, 7, 15);
    return (octet_nodes){.x = __builtin_shufflevector(xy_ab, xy_cd, 0, 1, 8, 9, 4, 5, 12, 13),
                         .y = __builtin_shufflevector(xy_ab, xy_cd, 2, 3, 10, 11, 6, 7, 14, 15),
                         .z = __builtin_shufflevector(z_ab, z_cd, 0, 1, 8, 9, 4, 5, 12, 13)};
}

TN_QUAD_INLINE quad quad_half(octet x, int h)
{
    quad_single half = h ? __builtin_shufflevector(x, x, 4, 5, 6, 7) : __builtin_shufflevector(x, x, 0, 1, 2, 3);
    return __builtin_convertvector(half, quad);
}

// The eight nodes of one slice of a packed vector, and back; the fourth numbers become 0.
TN_QUAD_INLINE octet_nodes octet_load_slice(bool wide, const float *x, int slice)
{
    static const int place[8] = {0, 4, 8, 12, 16, 20, 24, 28};
    return octet_gather(wide, x + 4 * TN_SELL_LANES * (size_t)slice, place);
}

// Nodes i and i + 4 from the numbers side by side.
TN_QUAD_INLINE void octet_part(float *p, int i, octet both)
{
    quad_single low = __builtin_shufflevector(both, both, 0, 1, 2, 3);
    quad_single high = __builtin_shufflevector(both, both, 4, 5, 6, 7);
    memcpy(p + 4 * i, &low, sizeof low);
    memcpy(p + 4 * i + 16, &high, sizeof high);
}

TN_QUAD_INLINE void octet_store_slice(bool wide, float *x, int slice, octet_nodes v)
{
    float *p = x + 4 * TN_SELL_LANES * (size_t)slice;
    if (!wide) {
        for (int i = 0; i < TN_SELL_LANES; i++) {
            p[4 * i] = v.x[i];
            p[4 * i + 1] = v.y[i];
            p[4 * i + 2] = v.z[i];
            p[4 * i + 3] = 0.0F;
        }
        return;
    }
    const octet zero = {0.0F};
    octet xy_01 = __builtin_shufflevector(v.x, v.y, 0, 8, 1, 9, 4, 12, 5, 13);
    octet xy_23 = __builtin_shufflevector(v.x, v.y, 2, 10, 3, 11, 6, 14, 7, 15);
    octet z_01 = __builtin_shufflevector(v.z, zero, 0, 8, 1, 9, 4, 12, 5, 13);
    octet z_23 = __builtin_shufflevector(v.z, zero, 2, 10, 3, 11, 6, 14, 7, 15);
    octet_part(p, 0, __builtin_shufflevector(xy_01, z_01, 0, 1, 8, 9, 4, 5, 12, 13));
    octet_part(p, 1, __builtin_shufflevector(xy_01, z_01, 2, 3, 10, 11, 6, 7, 14, 15));
    octet_part(p, 2, __builtin_shufflevector(xy_23, z_23, 0, 1, 8, 9, 4, 5, 12, 13));
    octet_part(p, 3, __builtin_shufflevector(xy_23, z_23, 2, 3, 10, 11, 6, 7, 14, 15));
}

// n columns of blocks (n, 9, 8) times x at place (n, 8), all in single precision: values, x (packed like a vector of
// doubles) and sums. One sum for each entry of a block, so that no addition waits for the one before.
TN_QUAD_INLINE octet_nodes octet_columns(int n, const float *a, const int *place, bool wide, const float *x)
{
    const octet zero = {0.0F};
    octet xx = zero, xy = zero, xz = zero, yx = zero, yy = zero, yz = zero, zx = zero, zy = zero, zz = zero;
    for (int q = 0; q < n; q++, a += 72, place += TN_SELL_LANES) {
        octet_nodes v = octet_gather(wide, x, place);
        xx += octet_load(a) * v.x;
        xy += octet_load(a + 8) * v.y;
        xz += octet_load(a + 16) * v.z;
        yx += octet_load(a + 24) * v.x;
        yy += octet_load(a + 32) * v.y;
        yz += octet_load(a + 40) * v.z;
        zx += octet_load(a + 48) * v.x;
        zy += octet_load(a + 56) * v.y;
        zz += octet_load(a + 64) * v.z;
    }
    return (octet_nodes){xx + xy + xz, yx + yy + yz, zx + zy + zz};
}

// A x on the rows of one slice.
TN_QUAD_INLINE octet_nodes octet_product(const tn_sell *sell, bool wide, const float *x, int slice)
{
    size_t first = (size_t)sell->order->start[slice];
    return octet_columns(sell->order->start[slice + 1] - sell->order->start[slice], sell->single + 72 * first,
                         sell->order->place + TN_SELL_LANES * first, wide, x);
}

// The same in halves of doubles.
TN_QUAD_INLINE slice_nodes slice_product_single(const tn_sell *sell, bool wide, const float *x, int slice)
{
    octet_nodes sum = octet_product(sell, wide, x, slice);
    slice_nodes out;
    for (int h = 0; h < 2; h++) {
        out.half[h] = (quad_nodes){quad_half(sum.x, h), quad_half(sum.y, h), quad_half(sum.z, h)};
    }
    return out;
}
