// Lanes of the contact kernels: CONTACT_WIDTH doubles at once, 8, 4 or 2, one source. CONTACT_TARGET is the attribute
// of the instruction set. For the files contact_sweep_*.c only.
//
// Multiplications and additions are not fused and roots are correctly rounded, so every width gives the same bits.
#pragma once

#include "kernels/vector.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(CONTACT_SINGLE)
typedef float real;
typedef int32_t real_mask;
#else
typedef double real;
typedef int64_t real_mask;
#endif

// A loop over the few numbers of a body, written out: its arrays stay in registers.
#if defined(__clang__)
#define TN_UNROLL _Pragma("unroll")
#else
#define TN_UNROLL _Pragma("GCC unroll 8")
#endif

#define TN_INLINE CONTACT_TARGET static inline __attribute__((always_inline))

TN_VECTOR(TN_INLINE, lanes, real, sizeof(real) * CONTACT_WIDTH)
TN_VECTOR_MASK(TN_INLINE, lanes, real_mask, sizeof(real) * CONTACT_WIDTH)

// b where a is no number.
#if defined(CONTACT_SINGLE) && CONTACT_WIDTH == 16
TN_INLINE lanes larger(lanes a, lanes b)
{
    return (lanes)_mm512_max_ps((__m512)a, (__m512)b);
}

TN_INLINE lanes smaller(lanes a, lanes b)
{
    return (lanes)_mm512_min_ps((__m512)a, (__m512)b);
}
#elif defined(CONTACT_SINGLE) && CONTACT_WIDTH == 8
TN_INLINE lanes larger(lanes a, lanes b)
{
    return (lanes)_mm256_max_ps((__m256)a, (__m256)b);
}

TN_INLINE lanes smaller(lanes a, lanes b)
{
    return (lanes)_mm256_min_ps((__m256)a, (__m256)b);
}
#else
TN_INLINE lanes larger(lanes a, lanes b)
{
    return lanes_choose(a > b, a, b);
}

TN_INLINE lanes smaller(lanes a, lanes b)
{
    return lanes_choose(a < b, a, b);
}
#endif

// Where a line begins in x. Central packs name that place itself: an instruction less for each of eight.
TN_INLINE size_t place_of(int line)
{
#if defined(CONTACT_CENTRAL)
    return (unsigned)line;
#else
    return 8 * (size_t)line;
#endif
}

// Line k of x is at x + 8 k. columns[i][lane] = number i of line[lane], i < 6; and back.
#if defined(CONTACT_SINGLE) && CONTACT_WIDTH == 16
TN_INLINE lanes roots(lanes x)
{
    return (lanes)_mm512_sqrt_ps((__m512)x);
}

TN_INLINE bool any(lanes_mask mask)
{
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
}

// Four by four within each quarter.
TN_INLINE void turn_quarters(const __m512 in[4], __m512 out[4])
{
    __m512 a = _mm512_unpacklo_ps(in[0], in[1]), b = _mm512_unpackhi_ps(in[0], in[1]);
    __m512 c = _mm512_unpacklo_ps(in[2], in[3]), d = _mm512_unpackhi_ps(in[2], in[3]);
    out[0] = _mm512_shuffle_ps(a, c, 0x44);
    out[1] = _mm512_shuffle_ps(a, c, 0xee);
    out[2] = _mm512_shuffle_ps(b, d, 0x44);
    out[3] = _mm512_shuffle_ps(b, d, 0xee);
}

TN_INLINE void read_lines(const real *x, const int *line, lanes columns[6])
{
    __m512 rows[8], quads[8];
    TN_UNROLL
    for (int i = 0; i < 8; i++) {
        int first = i % 4 + 8 * (i / 4);
        __m256 low = _mm256_load_ps(x + place_of(line[first])), high = _mm256_load_ps(x + place_of(line[first + 4]));
        rows[i] = _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
    }
    turn_quarters(rows, quads);
    turn_quarters(rows + 4, quads + 4);
    TN_UNROLL
    for (int i = 0; i < 4; i++) {
        columns[i] = (lanes)_mm512_shuffle_f32x4(quads[i], quads[i + 4], 0x88);
    }
    columns[4] = (lanes)_mm512_shuffle_f32x4(quads[0], quads[4], 0xdd);
    columns[5] = (lanes)_mm512_shuffle_f32x4(quads[1], quads[5], 0xdd);
}

TN_INLINE void write_lines(real *x, const int *line, const lanes columns[6])
{
    const __m512i low = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
    const __m512i high = _mm512_setr_epi32(8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
    __m512 quads[8], rows[8];
    TN_UNROLL
    for (int i = 0; i < 4; i++) {
        __m512 first = (__m512)columns[i], second = i < 2 ? (__m512)columns[4 + i] : _mm512_setzero_ps();
        quads[i] = _mm512_permutex2var_ps(first, low, second);
        quads[i + 4] = _mm512_permutex2var_ps(first, high, second);
    }
    turn_quarters(quads, rows);
    turn_quarters(quads + 4, rows + 4);
    TN_UNROLL
    for (int i = 0; i < 8; i++) {
        int first = i % 4 + 8 * (i / 4);
        _mm256_store_ps(x + place_of(line[first]), _mm512_castps512_ps256(rows[i]));
        _mm256_store_ps(x + place_of(line[first + 4]), _mm512_extractf32x8_ps(rows[i], 1));
    }
}
#elif defined(CONTACT_SINGLE) && CONTACT_WIDTH == 8
TN_INLINE lanes roots(lanes x)
{
    return (lanes)_mm256_sqrt_ps((__m256)x);
}

TN_INLINE bool any(lanes_mask mask)
{
    return _mm256_movemask_ps((__m256)mask) != 0;
}

// Rows become columns: out[k] = number k of each row, k < 6 (rows: k < 8).
TN_INLINE void half_turn(const __m256 in[8], __m256 quads[8])
{
    __m256 t[8];
    TN_UNROLL
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(in[i], in[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(in[i], in[i + 1]);
    }
    TN_UNROLL
    for (int i = 0; i < 8; i += 4) {
        quads[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        quads[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        quads[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        quads[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
}

TN_INLINE void read_lines(const real *x, const int *line, lanes columns[6])
{
    __m256 rows[8], quads[8];
    TN_UNROLL
    for (int i = 0; i < 8; i++) {
        rows[i] = _mm256_load_ps(x + place_of(line[i]));
    }
    half_turn(rows, quads);
    TN_UNROLL
    for (int i = 0; i < 4; i++) {
        columns[i] = (lanes)_mm256_permute2f128_ps(quads[i], quads[i + 4], 0x20);
    }
    columns[4] = (lanes)_mm256_permute2f128_ps(quads[0], quads[4], 0x31);
    columns[5] = (lanes)_mm256_permute2f128_ps(quads[1], quads[5], 0x31);
}

TN_INLINE void write_lines(real *x, const int *line, const lanes columns[6])
{
    __m256 rows[8], quads[8];
    TN_UNROLL
    for (int i = 0; i < 8; i++) {
        rows[i] = i < 6 ? (__m256)columns[i] : _mm256_setzero_ps();
    }
    half_turn(rows, quads);
    TN_UNROLL
    for (int i = 0; i < 4; i++) {
        _mm256_store_ps(x + place_of(line[i]), _mm256_permute2f128_ps(quads[i], quads[i + 4], 0x20));
        _mm256_store_ps(x + place_of(line[i + 4]), _mm256_permute2f128_ps(quads[i], quads[i + 4], 0x31));
    }
}
#elif CONTACT_WIDTH == 8
TN_INLINE lanes roots(lanes x)
{
    return (lanes)_mm512_sqrt_pd((__m512d)x);
}

TN_INLINE bool any(lanes_mask mask)
{
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
}

TN_INLINE __m512d four_pairs(const double *a, const double *b, const double *c, const double *d)
{
    __m512d x = _mm512_castpd128_pd512(_mm_load_pd(a));
    x = _mm512_insertf64x2(x, _mm_load_pd(b), 1);
    x = _mm512_insertf64x2(x, _mm_load_pd(c), 2);
    return _mm512_insertf64x2(x, _mm_load_pd(d), 3);
}

TN_INLINE void read_lines(const double *x, const int *line, lanes columns[6])
{
    const double *at[8];
    TN_UNROLL
    for (int i = 0; i < 8; i++) {
        at[i] = x + place_of(line[i]);
    }
    TN_UNROLL
    for (int k = 0; k < 6; k += 2) {
        __m512d even = four_pairs(at[0] + k, at[2] + k, at[4] + k, at[6] + k);
        __m512d odd = four_pairs(at[1] + k, at[3] + k, at[5] + k, at[7] + k);
        columns[k] = (lanes)_mm512_unpacklo_pd(even, odd);
        columns[k + 1] = (lanes)_mm512_unpackhi_pd(even, odd);
    }
}

TN_INLINE void write_pairs(__m512d x, double *a, double *b, double *c, double *d)
{
    _mm_store_pd(a, _mm512_castpd512_pd128(x));
    _mm_store_pd(b, _mm512_extractf64x2_pd(x, 1));
    _mm_store_pd(c, _mm512_extractf64x2_pd(x, 2));
    _mm_store_pd(d, _mm512_extractf64x2_pd(x, 3));
}

TN_INLINE void write_lines(double *x, const int *line, const lanes columns[6])
{
    double *at[8];
    TN_UNROLL
    for (int i = 0; i < 8; i++) {
        at[i] = x + place_of(line[i]);
    }
    TN_UNROLL
    for (int k = 0; k < 6; k += 2) {
        __m512d first = (__m512d)columns[k], second = (__m512d)columns[k + 1];
        write_pairs(_mm512_unpacklo_pd(first, second), at[0] + k, at[2] + k, at[4] + k, at[6] + k);
        write_pairs(_mm512_unpackhi_pd(first, second), at[1] + k, at[3] + k, at[5] + k, at[7] + k);
    }
}
#elif CONTACT_WIDTH == 4 && !defined(CONTACT_SINGLE)
TN_INLINE lanes roots(lanes x)
{
    return (lanes)_mm256_sqrt_pd((__m256d)x);
}

TN_INLINE bool any(lanes_mask mask)
{
    return _mm256_movemask_pd((__m256d)mask) != 0;
}

TN_INLINE __m256d two_pairs(const double *a, const double *b)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(a)), _mm_load_pd(b), 1);
}

TN_INLINE void read_lines(const double *x, const int *line, lanes columns[6])
{
    const double *a = x + place_of(line[0]), *b = x + place_of(line[1]);
    const double *c = x + place_of(line[2]), *d = x + place_of(line[3]);
    TN_UNROLL
    for (int k = 0; k < 6; k += 2) {
        __m256d even = two_pairs(a + k, c + k), odd = two_pairs(b + k, d + k);
        columns[k] = (lanes)_mm256_unpacklo_pd(even, odd);
        columns[k + 1] = (lanes)_mm256_unpackhi_pd(even, odd);
    }
}

TN_INLINE void write_pairs(__m256d x, double *a, double *b)
{
    _mm_store_pd(a, _mm256_castpd256_pd128(x));
    _mm_store_pd(b, _mm256_extractf128_pd(x, 1));
}

TN_INLINE void write_lines(double *x, const int *line, const lanes columns[6])
{
    double *a = x + place_of(line[0]), *b = x + place_of(line[1]);
    double *c = x + place_of(line[2]), *d = x + place_of(line[3]);
    TN_UNROLL
    for (int k = 0; k < 6; k += 2) {
        __m256d first = (__m256d)columns[k], second = (__m256d)columns[k + 1];
        write_pairs(_mm256_unpacklo_pd(first, second), a + k, c + k);
        write_pairs(_mm256_unpackhi_pd(first, second), b + k, d + k);
    }
}
#else
TN_INLINE lanes roots(lanes x)
{
    lanes y;
    for (int i = 0; i < CONTACT_WIDTH; i++) {
        y[i] = (real)sqrt(x[i]);
    }
    return y;
}

TN_INLINE bool any(lanes_mask mask)
{
    real_mask all = 0;
    for (int i = 0; i < CONTACT_WIDTH; i++) {
        all |= mask[i];
    }
    return all != 0;
}

TN_INLINE void read_lines(const real *x, const int *line, lanes columns[6])
{
    for (int k = 0; k < 6; k++) {
        lanes column = {0};
        for (int i = 0; i < CONTACT_WIDTH; i++) {
            column[i] = x[place_of(line[i]) + k];
        }
        columns[k] = column;
    }
}

TN_INLINE void write_lines(real *x, const int *line, const lanes columns[6])
{
    for (int i = 0; i < CONTACT_WIDTH; i++) {
        real *to = x + place_of(line[i]);
        for (int k = 0; k < 6; k++) {
            to[k] = columns[k][i];
        }
    }
}
#endif

TN_INLINE lanes zeros(void)
{
    return (lanes){(real)0.0};
}
