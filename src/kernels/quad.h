// Four lanes of doubles for kernels, as wide as AVX2's: compilers take wider vectors apart where the processor has
// none, through memory (measured: 2 to 5 times slower), and comparisons of them even with AVX-512. One source for every
// instruction set, without fused multiply-adds: the same bits everywhere.
#pragma once

#include "kernels/vector.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define TN_QUAD_INLINE static inline __attribute__((always_inline))

TN_VECTOR(TN_QUAD_INLINE, quad, double, 32)
TN_VECTOR_MASK(TN_QUAD_INLINE, quad, int64_t, 32)
TN_VECTOR(TN_QUAD_INLINE, quad_single, float, 16)

// Rounded to single precision.
TN_QUAD_INLINE void quad_store_single(float *p, quad x)
{
    quad_single_store(p, __builtin_convertvector(x, quad_single));
}

// One vector of three numbers in each lane.
typedef struct quad_three {
    quad x[3];
} quad_three;

// Four vectors of three, one behind the other.
TN_QUAD_INLINE quad_three quad_three_load(const double *p)
{
    quad a = quad_load(p), b = quad_load(p + 4), c = quad_load(p + 8);
    quad x = __builtin_shufflevector(a, b, 0, 3, 6, 6), y = __builtin_shufflevector(a, b, 1, 4, 7, 7);
    quad z = __builtin_shufflevector(a, b, 2, 5, 5, 5);
    return (quad_three){{__builtin_shufflevector(x, c, 0, 1, 2, 5), __builtin_shufflevector(y, c, 0, 1, 2, 6),
                         __builtin_shufflevector(z, c, 0, 1, 4, 7)}};
}

TN_QUAD_INLINE quad quad_abs(quad x)
{
    return (quad)((quad_mask)x & INT64_MAX);
}

// a where a > b, else b: a NaN in b stays.
TN_QUAD_INLINE quad quad_larger(quad a, quad b)
{
    return quad_choose(a > b, a, b);
}

TN_QUAD_INLINE quad quad_root(quad x)
{
    return (quad){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
}

TN_QUAD_INLINE double quad_sum(quad x)
{
    return (x[0] + x[2]) + (x[1] + x[3]);
}
