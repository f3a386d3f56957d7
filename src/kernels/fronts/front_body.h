// Private: the kernels of front.h for the number type and vectors that the including file sets: FRONT_REAL,
// FRONT_BYTES of a vector, FRONT_COLUMNS that a tile has beside its two vectors of rows (4 or 8), FRONT_TARGET,
// FRONT_MORE and FRONT_LESS (c + a b and c - a b, fused if possible), FRONT_NAME of the table, FRONT_TABLE its type.
//
// Pivots go by strips of eight columns inside blocks of TN_FRONT_DEPTH: a strip first takes what the block's earlier
// columns owe it, then the triangle of its own diagonal; a finished block is subtracted from all later columns. Nearly
// all of the time goes into one loop: a tile of rows and columns in registers, less a product of depth up to
// TN_FRONT_DEPTH. Tiles start at multiples of 16 rows, so they may reach above the diagonal, where nothing is read.
#pragma once

#include "kernels/fronts/front.h"
#include "kernels/vector.h"

#include <math.h>
#include <string.h>

typedef FRONT_REAL real;
enum { LANES = FRONT_BYTES / sizeof(real), STRIP = TN_FRONT_STRIP, COLUMNS = FRONT_COLUMNS, TILE = 2 * LANES };

#define FRONT_INLINE FRONT_TARGET static inline __attribute__((always_inline))

TN_VECTOR(FRONT_INLINE, lanes, real, FRONT_BYTES)

// C (n_vectors vectors of rows, COLUMNS) -= A B^T, or where it is fresh C = -A B^T; A (rows, depth) with stride lda, B
// packed (depth, STRIP). The product is summed by itself: C is often far larger, and would be rounded `depth` times.
FRONT_INLINE void subtract_tile(int n_vectors, bool fresh, int depth, const real *A, size_t lda, const real *B, real *C,
                                size_t ldc)
{
    lanes sum[COLUMNS][2];
#pragma GCC unroll 8
    for (int j = 0; j < COLUMNS; j++) {
        sum[j][0] = sum[j][1] = (lanes){0};
    }
    for (int p = 0; p < depth; p++) {
        lanes a[2];
#pragma GCC unroll 2
        for (int v = 0; v < n_vectors; v++) {
            a[v] = lanes_load(A + (size_t)p * lda + v * LANES);
        }
#pragma GCC unroll 8
        for (int j = 0; j < COLUMNS; j++) {
            lanes b = lanes_all(B[STRIP * p + j]);
#pragma GCC unroll 2
            for (int v = 0; v < n_vectors; v++) {
                sum[j][v] = FRONT_MORE(sum[j][v], a[v], b);
            }
        }
    }
#pragma GCC unroll 8
    for (int j = 0; j < COLUMNS; j++) {
#pragma GCC unroll 2
        for (int v = 0; v < n_vectors; v++) {
            real *c = C + (size_t)j * ldc + v * LANES;
            lanes_store(c, (fresh ? (lanes){0} : lanes_load(c)) - sum[j][v]);
        }
    }
}

// n rows of a strip, a multiple of TN_FRONT_ROWS.
FRONT_INLINE void subtract_rows(int n, bool fresh, int depth, const real *A, size_t lda, const real *B, real *C,
                                size_t ldc)
{
    int row = 0;
    for (; row + TILE <= n; row += TILE) {
        for (int j = 0; j < STRIP; j += COLUMNS) {
            subtract_tile(2, fresh, depth, A + row, lda, B + j, C + row + (size_t)j * ldc, ldc);
        }
    }
    for (; row < n; row += LANES) {
        for (int j = 0; j < STRIP; j += COLUMNS) {
            subtract_tile(1, fresh, depth, A + row, lda, B + j, C + row + (size_t)j * ldc, ldc);
        }
    }
}

FRONT_TARGET static void subtract_strip(int n, int depth, const real *A, size_t lda, const real *B, real *C, size_t ldc)
{
    subtract_rows(n, false, depth, A, lda, B, C, ldc);
}

FRONT_TARGET static void begin_strip(int n, int depth, const real *A, size_t lda, const real *B, real *C, size_t ldc)
{
    subtract_rows(n, true, depth, A, lda, B, C, ldc);
}

// Eight rows of A as B of subtract_tile.
FRONT_TARGET static void pack_strip(int depth, const real *A, size_t lda, real *B)
{
    for (int p = 0; p < depth; p++) {
        memcpy(B + STRIP * (size_t)p, A + (size_t)p * lda, STRIP * sizeof *B);
    }
}

// Lower factor of the 8 x 8 block at D, its diagonal inverted, zeros above; also into L (8, 8) by columns.
FRONT_TARGET static bool factor_corner(real *D, size_t ld, real L[STRIP * STRIP])
{
    for (int j = 0; j < STRIP; j++) {
        real pivot = D[j + (size_t)j * ld];
        for (int p = 0; p < j; p++) {
            pivot -= L[STRIP * p + j] * L[STRIP * p + j];
        }
        if (!(pivot > 0) || !(pivot < (real)HUGE_VAL)) {
            return false;
        }
        real inverse = (real)(1 / sqrt((double)pivot));
        for (int i = j + 1; i < STRIP; i++) {
            real x = D[i + (size_t)j * ld];
            for (int p = 0; p < j; p++) {
                x -= L[STRIP * p + i] * L[STRIP * p + j];
            }
            L[STRIP * j + i] = x * inverse;
        }
        L[STRIP * j + j] = inverse;
    }
    return true;
}

// Rows of a strip divided by the factor of its corner: C L^-T.
FRONT_TARGET static void divide_strip(int n, const real L[STRIP * STRIP], real *C, size_t ldc)
{
    for (int row = 0; row < n; row += LANES) {
        lanes x[STRIP];
#pragma GCC unroll 8
        for (int j = 0; j < STRIP; j++) {
            x[j] = lanes_load(C + row + (size_t)j * ldc);
#pragma GCC unroll 8
            for (int p = 0; p < j; p++) {
                x[j] = FRONT_LESS(x[j], x[p], lanes_all(L[STRIP * p + j]));
            }
            x[j] *= lanes_all(L[STRIP * j + j]);
            lanes_store(C + row + (size_t)j * ldc, x[j]);
        }
    }
}

// The strip of pivots at column c, whose earlier columns of the block begin at `from`.
FRONT_TARGET static bool factor_strip(int ld, int from, int c, real *panel, real *packed)
{
    int top = c / TN_FRONT_ROWS * TN_FRONT_ROWS;
    real *own = panel + (size_t)c * (size_t)ld, *before = panel + (size_t)from * (size_t)ld, L[STRIP * STRIP];
    memset(L, 0, sizeof L);
    if (c > from) {
        pack_strip(c - from, before + c, (size_t)ld, packed);
        subtract_strip(ld - top, c - from, before + top, (size_t)ld, packed, own + top, (size_t)ld);
    }
    if (!factor_corner(own + c, (size_t)ld, L)) {
        return false;
    }
    divide_strip(ld - top, L, own + top, (size_t)ld);
    for (int j = 0; j < STRIP; j++) {
        memcpy(own + c + (size_t)j * (size_t)ld, L + STRIP * j, STRIP * sizeof *L);
    }
    return true;
}

FRONT_TARGET static bool factor(int n, int k, real *panel, real *rest, real *packed)
{
    int ld = tn_front_stride(n), m = n - k;
    for (int from = 0; from < k; from += TN_FRONT_DEPTH) {
        int end = k < from + TN_FRONT_DEPTH ? k : from + TN_FRONT_DEPTH, depth = end - from;
        real *block = panel + (size_t)from * (size_t)ld;
        for (int c = from; c < end; c += STRIP) {
            if (!factor_strip(ld, from, c, panel, packed)) {
                return false;
            }
        }
        for (int c = end; c < n; c += STRIP) {
            pack_strip(depth, block + c, (size_t)ld, packed);
            int top = (c < k ? c : c - k) / TN_FRONT_ROWS * TN_FRONT_ROWS;
            if (c < k) {
                subtract_strip(ld - top, depth, block + top, (size_t)ld, packed, panel + top + (size_t)c * (size_t)ld,
                               (size_t)ld);
            } else {
                (from == 0 ? begin_strip : subtract_strip)(m - top, depth, block + k + top, (size_t)ld, packed,
                                                           rest + top + (size_t)(c - k) * (size_t)m, (size_t)m);
            }
        }
    }
    return true;
}

// Wider vectors than the instruction set's are left out.
#if FRONT_BYTES >= 32
typedef FRONT_REAL half_lanes __attribute__((vector_size(32)));
#else
typedef FRONT_REAL half_lanes __attribute__((vector_size(16)));
#endif
typedef FRONT_REAL quarter_lanes __attribute__((vector_size(16)));

// As many of the n numbers from i on as vectors of that type hold.
#define FRONT_ADD(vector)                                                                                              \
    for (vector a, b; i + (int)(sizeof a / sizeof(real)) <= n; i += (int)(sizeof a / sizeof(real))) {                  \
        memcpy(&a, from + i, sizeof a);                                                                                \
        memcpy(&b, to + i, sizeof b);                                                                                  \
        b += a;                                                                                                        \
        memcpy(to + i, &b, sizeof b);                                                                                  \
    }

// to += from, n numbers.
FRONT_INLINE void add_numbers(int n, const real *from, real *to)
{
    int i = 0;
    FRONT_ADD(lanes)
    FRONT_ADD(half_lanes)
    FRONT_ADD(quarter_lanes)
    for (; i < n; i++) {
        to[i] += from[i];
    }
}

FRONT_TARGET static void add(int n_runs, const tn_front_run *run, int m, const real *rest, tn_front_part part, real *to)
{
    for (const tn_front_run *end = run + n_runs; run < end && run->to < part.end; run++) {
        int low = run->to < part.first ? part.first - run->to : 0;
        int high = run->to + run->size > part.end ? part.end - run->to : run->size;
        for (int j = low; j < high; j++) {
            const real *source = rest + (size_t)(run->from + j) * (size_t)m;
            real *target = to + (size_t)(run->to + j - part.first) * part.ld;
            add_numbers(run->size - j, source + run->from + j, target + (run->to + j - part.first));
            for (const tn_front_run *r = run + 1; r < end; r++) {
                add_numbers(r->size, source + r->from, target + (r->to - part.first));
            }
        }
    }
}

FRONT_TARGET static void forward(int n, int k, const real *panel, real *y)
{
    int ld = tn_front_stride(n);
    for (int c = 0; c < k; c += STRIP) {
        const real *L = panel + (size_t)c * (size_t)ld;
        real t[STRIP];
        memcpy(t, y + c, sizeof t);
        for (int j = 0; j < STRIP; j++) {
            t[j] *= L[c + j + (size_t)j * (size_t)ld];
            for (int i = j + 1; i < STRIP; i++) {
                t[i] -= L[c + i + (size_t)j * (size_t)ld] * t[j];
            }
        }
        for (int row = (c + STRIP) / TN_FRONT_ROWS * TN_FRONT_ROWS; row < ld; row += LANES) {
            lanes sum = lanes_load(y + row), other = {0};
#pragma GCC unroll 4
            for (int j = 0; j < STRIP; j += 2) {
                sum = FRONT_LESS(sum, lanes_load(L + row + (size_t)j * (size_t)ld), lanes_all(t[j]));
                other = FRONT_LESS(other, lanes_load(L + row + (size_t)(j + 1) * (size_t)ld), lanes_all(t[j + 1]));
            }
            lanes_store(y + row, sum + other);
        }
        memcpy(y + c, t, sizeof t);
    }
}

FRONT_INLINE real sum_of(lanes x)
{
    real part[LANES];
    lanes_store(part, x);
    for (int half = LANES / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            part[i] += part[i + half];
        }
    }
    return part[0];
}

FRONT_TARGET static void backward(int n, int k, const real *panel, real *y)
{
    int ld = tn_front_stride(n);
    for (int c = k - STRIP; c >= 0; c -= STRIP) {
        const real *L = panel + (size_t)c * (size_t)ld;
        real t[STRIP];
        lanes sum[STRIP];
        memcpy(t, y + c, sizeof t);
        memset(y + c, 0, sizeof t);
        for (int j = 0; j < STRIP; j++) {
            sum[j] = (lanes){0};
        }
        for (int row = (c + STRIP) / TN_FRONT_ROWS * TN_FRONT_ROWS; row < ld; row += LANES) {
            lanes own = lanes_load(y + row);
#pragma GCC unroll 8
            for (int j = 0; j < STRIP; j++) {
                sum[j] = FRONT_LESS(sum[j], lanes_load(L + row + (size_t)j * (size_t)ld), own);
            }
        }
        for (int j = STRIP - 1; j >= 0; j--) {
            t[j] += sum_of(sum[j]);
            for (int i = j + 1; i < STRIP; i++) {
                t[j] -= L[c + i + (size_t)j * (size_t)ld] * t[i];
            }
            t[j] *= L[c + j + (size_t)j * (size_t)ld];
        }
        memcpy(y + c, t, sizeof t);
    }
}

const FRONT_TABLE FRONT_NAME = {FRONT_KIND, factor, add, forward, backward};
