// Private to the files that include it: TET_WIDTH elements (8, 4 or 2, set before) side by side in one vector. No fused
// multiply-adds, so that every width and instruction set gives the same bits.
#pragma once

#include "kernels/quad.h"
#include "kernels/tets/tets.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The including file sets TET_TARGET too: the instruction set's attribute, or nothing.
#define LANES_INLINE TET_TARGET static inline __attribute__((always_inline))
// Loops over a matrix's entries: unrolled, so that the entries live in registers.
#if defined(__clang__)
#define LANES_UNROLL _Pragma("clang loop unroll(full)")
#else
#define LANES_UNROLL _Pragma("GCC unroll 16")
#endif

TN_VECTOR(LANES_INLINE, lanes, double, 8 * TET_WIDTH)
TN_VECTOR_MASK(LANES_INLINE, lanes, long long, 8 * TET_WIDTH)

LANES_INLINE lanes lanes_abs(lanes a)
{
    return (lanes)((lanes_mask)a & 0x7fffffffffffffffLL);
}

// a < b, and whether any lane of a mask is set. Written out for x86: gcc takes 512-bit comparisons apart.
LANES_INLINE lanes_mask lanes_less(lanes a, lanes b)
{
#if TET_WIDTH == 8 && defined(__x86_64__)
    __mmask8 less = _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
    return (lanes_mask)_mm512_maskz_set1_epi64(less, -1);
#else
    return a < b;
#endif
}

LANES_INLINE bool lanes_any(lanes_mask mask)
{
#if TET_WIDTH == 8 && defined(__x86_64__)
    return _mm512_movepi64_mask((__m512i)mask) != 0;
#elif TET_WIDTH == 4 && defined(__x86_64__)
    return _mm256_movemask_pd((__m256d)mask) != 0;
#else
    return (mask[0] | mask[1]) != 0; // TET_WIDTH 2
#endif
}

LANES_INLINE lanes lanes_sqrt(lanes a)
{
    double root[TET_WIDTH];
    memcpy(root, &a, sizeof a);
    for (int l = 0; l < TET_WIDTH; l++) {
        root[l] = __builtin_sqrt(root[l]);
    }
    return lanes_load(root);
}

// Four numbers a, b, c, d of each lane: into rows, a given number of doubles apart.
LANES_INLINE void lanes_to_rows(lanes a, lanes b, lanes c, lanes d, double *rows, size_t apart)
{
#if TET_WIDTH == 2
    lanes row[4] = {__builtin_shufflevector(a, b, 0, 2), __builtin_shufflevector(c, d, 0, 2),
                    __builtin_shufflevector(a, b, 1, 3), __builtin_shufflevector(c, d, 1, 3)};
    memcpy(rows, row, 2 * sizeof(lanes));
    memcpy(rows + apart, row + 2, 2 * sizeof(lanes));
#elif TET_WIDTH == 4
    lanes ab02 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab13 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    lanes cd02 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd13 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    lanes row[4] = {__builtin_shufflevector(ab02, cd02, 0, 1, 4, 5), __builtin_shufflevector(ab13, cd13, 0, 1, 4, 5),
                    __builtin_shufflevector(ab02, cd02, 2, 3, 6, 7), __builtin_shufflevector(ab13, cd13, 2, 3, 6, 7)};
    LANES_UNROLL
    for (int l = 0; l < 4; l++) {
        memcpy(rows + apart * (size_t)l, &row[l], sizeof row[l]);
    }
#else
    lanes ab_even = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
    lanes ab_odd = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    lanes cd_even = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
    lanes cd_odd = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
    lanes pair[4] = {__builtin_shufflevector(ab_even, cd_even, 0, 1, 8, 9, 4, 5, 12, 13), // elements 0 and 4
                     __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 8, 9, 4, 5, 12, 13),   // 1 and 5
                     __builtin_shufflevector(ab_even, cd_even, 2, 3, 10, 11, 6, 7, 14, 15),
                     __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 10, 11, 6, 7, 14, 15)};
    LANES_UNROLL
    for (int l = 0; l < 4; l++) {
        memcpy(rows + apart * (size_t)l, &pair[l], 4 * sizeof(double));
        memcpy(rows + apart * (size_t)(l + 4), (const char *)&pair[l] + 4 * sizeof(double), 4 * sizeof(double));
    }
#endif
}

// The first three of the four numbers that start at 4 index[l] of from, less those at 4 origin[l]: lane by lane.
LANES_INLINE void lanes_from_rows(const double *from, const int *index, const int *origin, lanes out[3])
{
    quad row[TET_WIDTH];
    LANES_UNROLL
    for (int l = 0; l < TET_WIDTH; l++) {
        row[l] = quad_load(from + 4 * (size_t)index[l]) - quad_load(from + 4 * (size_t)origin[l]);
    }
#if TET_WIDTH == 2
    out[0] = (lanes){row[0][0], row[1][0]};
    out[1] = (lanes){row[0][1], row[1][1]};
    out[2] = (lanes){row[0][2], row[1][2]};
#elif TET_WIDTH == 4
    quad low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    quad low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
    quad high01 = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    quad high23 = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
#else
    lanes pair[4];
    LANES_UNROLL
    for (int l = 0; l < 4; l++) {
        pair[l] = __builtin_shufflevector(row[l], row[l + 4], 0, 1, 2, 3, 4, 5, 6, 7);
    }
    lanes low01 = __builtin_shufflevector(pair[0], pair[1], 0, 8, 2, 10, 4, 12, 6, 14);
    lanes low23 = __builtin_shufflevector(pair[2], pair[3], 0, 8, 2, 10, 4, 12, 6, 14);
    lanes high01 = __builtin_shufflevector(pair[0], pair[1], 1, 9, 3, 11, 5, 13, 7, 15);
    lanes high23 = __builtin_shufflevector(pair[2], pair[3], 1, 9, 3, 11, 5, 13, 7, 15);
    out[0] = __builtin_shufflevector(low01, low23, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(high01, high23, 0, 1, 8, 9, 4, 5, 12, 13);
    out[2] = __builtin_shufflevector(low01, low23, 2, 3, 10, 11, 6, 7, 14, 15);
#endif
}
