#include "kernels/sell.h"

#include "base/team.h"
#include "kernels/processor.h"
#include "kernels/sell_rows.h"

#include <string.h>

enum { TEAM_SLICES = 16 }; // slices that a thread takes at a time; no influence on the result

tn_status tn_sell_create(const tn_ordering *order, bool single, tn_arena *arena, tn_sell *out)
{
    size_t n = 72 * (size_t)order->start[order->n_slices];
    *out = (tn_sell){.order = order};
    if (single) {
        out->single = TN_PUSH_RAW(arena, float, n);
    } else {
        out->value = TN_PUSH_RAW(arena, double, n);
    }
    return out->value || out->single ? TN_OK : TN_NO_MEMORY;
}

TN_QUAD_INLINE void put(tn_sell *sell, size_t at, quad x)
{
    if (sell->value) {
        quad_store(sell->value + at, x);
    } else {
        quad_single y = __builtin_convertvector(x, quad_single);
        memcpy(sell->single + at, &y, sizeof y);
    }
}

// Entries first..first+3 of four blocks a to a column, from `at` on. Returns the sums of their squares.
TN_QUAD_INLINE quad put_four(tn_sell *sell, bool wide, const double *const a[4], int first, size_t at)
{
    quad w = {a[0][first + 3], a[1][first + 3], a[2][first + 3], a[3][first + 3]};
    quad_nodes v = quad_gather(wide, a[0] + first, a[1] + first, a[2] + first, a[3] + first);
    put(sell, at + 8 * (size_t)first, v.x);
    put(sell, at + 8 * (size_t)first + 8, v.y);
    put(sell, at + 8 * (size_t)first + 16, v.z);
    put(sell, at + 8 * (size_t)first + 24, w);
    return (v.x * v.x + v.y * v.y) + (v.z * v.z + w * w);
}

// The lanes half..half+3 of a column. Returns the sums of their blocks' squares.
TN_QUAD_INLINE quad fill_four(tn_sell *sell, bool wide, const double *value, size_t column, size_t half)
{
    static const double none[9] = {0.0};
    const double *a[4];
    for (size_t i = 0; i < 4; i++) {
        int block = sell->order->source[8 * column + half + i];
        a[i] = block < 0 ? none : value + 9 * (size_t)block;
    }
    quad squares = put_four(sell, wide, a, 0, 72 * column + half);
    squares += put_four(sell, wide, a, 4, 72 * column + half);
    quad last = {a[0][8], a[1][8], a[2][8], a[3][8]};
    put(sell, 72 * column + half + 64, last);
    return squares + last * last;
}

TN_QUAD_INLINE const double *block_or_none(const double *value, int block)
{
    static const double none[9] = {0.0};
    return block < 0 ? none : value + 9 * (size_t)block;
}

// Four numbers of two blocks side by side, rounded.
TN_QUAD_INLINE octet round_pair(const double *a, const double *b)
{
    quad_single low = __builtin_convertvector(quad_load(a), quad_single);
    quad_single high = __builtin_convertvector(quad_load(b), quad_single);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

// Four numbers of eight blocks to four vectors; ae: of blocks 0 and 4, and so on.
TN_QUAD_INLINE void put_octets(octet ae, octet bf, octet cg, octet dh, float *to)
{
    octet front_ab = __builtin_shufflevector(ae, bf, 0, 8, 1, 9, 4, 12, 5, 13);
    octet front_cd = __builtin_shufflevector(cg, dh, 0, 8, 1, 9, 4, 12, 5, 13);
    octet back_ab = __builtin_shufflevector(ae, bf, 2, 10, 3, 11, 6, 14, 7, 15);
    octet back_cd = __builtin_shufflevector(cg, dh, 2, 10, 3, 11, 6, 14, 7, 15);
    octet_store(to, __builtin_shufflevector(front_ab, front_cd, 0, 1, 8, 9, 4, 5, 12, 13));
    octet_store(to + 8, __builtin_shufflevector(front_ab, front_cd, 2, 3, 10, 11, 6, 7, 14, 15));
    octet_store(to + 16, __builtin_shufflevector(back_ab, back_cd, 0, 1, 8, 9, 4, 5, 12, 13));
    octet_store(to + 24, __builtin_shufflevector(back_ab, back_cd, 2, 3, 10, 11, 6, 7, 14, 15));
}

// A column in single precision, sums of squares not wanted. (Named pointers, not an array: they stay in registers.)
TN_QUAD_INLINE void round_column(tn_sell *sell, bool wide, const double *value, size_t column)
{
    const int *source = sell->order->source + 8 * column;
    float *to = sell->single + 72 * column;
    if (!wide) {
        for (int i = 0; i < TN_SELL_LANES; i++) {
            const double *block = block_or_none(value, source[i]);
            for (int k = 0; k < 9; k++) {
                to[8 * k + i] = (float)block[k];
            }
        }
        return;
    }
    const double *a = block_or_none(value, source[0]), *b = block_or_none(value, source[1]);
    const double *c = block_or_none(value, source[2]), *d = block_or_none(value, source[3]);
    const double *e = block_or_none(value, source[4]), *f = block_or_none(value, source[5]);
    const double *g = block_or_none(value, source[6]), *h = block_or_none(value, source[7]);
    put_octets(round_pair(a, e), round_pair(b, f), round_pair(c, g), round_pair(d, h), to);
    put_octets(round_pair(a + 4, e + 4), round_pair(b + 4, f + 4), round_pair(c + 4, g + 4), round_pair(d + 4, h + 4),
               to + 32);
    octet last = {(float)a[8], (float)b[8], (float)c[8], (float)d[8],
                  (float)e[8], (float)f[8], (float)g[8], (float)h[8]};
    octet_store(to + 64, last);
}

TN_QUAD_INLINE void fill_body(bool wide, tn_sell *sell, const double *value, int slice, double *squares)
{
    const tn_ordering *o = sell->order;
    if (sell->single && !squares) {
        for (int q = o->start[slice]; q < o->start[slice + 1]; q++) {
            round_column(sell, wide, value, (size_t)q);
        }
        return;
    }
    quad sum[2] = {{0.0}, {0.0}};
    for (int q = o->start[slice]; q < o->start[slice + 1]; q++) {
        sum[0] += fill_four(sell, wide, value, (size_t)q, 0);
        sum[1] += fill_four(sell, wide, value, (size_t)q, 4);
    }
    if (squares) {
        quad_store(squares + TN_SELL_LANES * (size_t)slice, sum[0]);
        quad_store(squares + TN_SELL_LANES * (size_t)slice + 4, sum[1]);
    }
}

TN_WIDE_VARIANTS(fill, (tn_sell * sell, const double *value, int slice, double *squares), sell, value, slice, squares)

typedef struct filling {
    tn_sell *sell;
    const double *value;
    double *squares;
} filling;

static void fill_slices(const void *context, int first, int end, int thread)
{
    const filling *f = context;
    fill_function *fill = TN_BEST(fill);
    for (int s = first; s < end; s++) {
        fill(f->sell, f->value, s, f->squares);
    }
}

void tn_sell_fill(tn_sell *sell, const tn_blocks *A, double *squares, int n_threads)
{
    tn_team_share(n_threads, sell->order->n_slices, TEAM_SLICES, fill_slices, &(filling){sell, A->value, squares});
}

void tn_sell_pack(const tn_ordering *order, const double *v, double *x)
{
    for (int at = 0; at < TN_SELL_LANES * order->n_slices; at++) {
        int row = order->row[at];
        for (int i = 0; i < 3; i++) {
            x[4 * (size_t)at + (size_t)i] = row >= 0 ? v[3 * (size_t)row + (size_t)i] : 0.0;
        }
        x[4 * (size_t)at + 3] = 0.0;
    }
}

void tn_sell_unpack(const tn_ordering *order, const double *x, double *v)
{
    for (int row = 0; row < order->n_rows; row++) {
        memcpy(v + 3 * (size_t)row, x + 4 * (size_t)order->lane[row], 3 * sizeof *v);
    }
}

TN_QUAD_INLINE void product_slices(const tn_sell *sell, bool single, bool wide, const double *x, double *y, int first,
                                   int end)
{
    for (int s = first; s < end; s++) {
        slice_nodes sum = slice_product(sell, single, wide, x, s);
        quad_store_nodes(wide, y + half_place(s, 0), sum.half[0]);
        quad_store_nodes(wide, y + half_place(s, 1), sum.half[1]);
    }
}

TN_QUAD_INLINE void product_body(bool wide, const tn_sell *sell, const double *x, double *y, int first, int end)
{
    if (sell->single) {
        product_slices(sell, true, wide, x, y, first, end);
    } else {
        product_slices(sell, false, wide, x, y, first, end);
    }
}

TN_WIDE_VARIANTS(product, (const tn_sell *sell, const double *x, double *y, int first, int end), sell, x, y, first, end)

const char *tn_sell_kind(void)
{
    return tn_processor_has(TN_AVX512) ? "avx512" : tn_processor_has(TN_AVX2) ? "avx2" : "baseline";
}

bool tn_sell_product_with(const char *kind, const tn_sell *sell, const double *x, double *y)
{
    product_function *product = TN_NAMED(product, kind);
    if (product) {
        product(sell, x, y, 0, sell->order->n_slices);
    }
    return product != NULL;
}

typedef struct multiplying {
    const tn_sell *sell;
    const double *x;
    double *y;
} multiplying;

static void multiply_slices(const void *context, int first, int end, int thread)
{
    const multiplying *m = context;
    TN_BEST(product)(m->sell, m->x, m->y, first, end);
}

void tn_sell_product(const tn_sell *sell, const double *x, double *y, int n_threads)
{
    tn_team_share(n_threads, sell->order->n_slices, TEAM_SLICES, multiply_slices, &(multiplying){sell, x, y});
}
