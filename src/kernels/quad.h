// Four lanes of doubles for kernels, as wide as AVX2's: compilers take wider vectors apart where the processor has
// none, through memory (measured: 2 to 5 times slower), and comparisons of them even with AVX-512. One source for every
// instruction set, without fused multiply-adds: the same bits everywhere.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_mask __attribute__((vector_size(32))); // -1 or 0 a lane
typedef float quad_single __attribute__((vector_size(16)));

#define TN_QUAD_INLINE static inline __attribute__((always_inline))

TN_QUAD_INLINE quad quad_load(const double *p)
{
    quad x;
    memcpy(&x, p, sizeof x);
    return x;
}

TN_QUAD_INLINE void quad_store(double *p, quad x)
{
    memcpy(p, &x, sizeof x);
}

// Rounded to single precision.
TN_QUAD_INLINE void quad_store_single(float *p, quad x)
{
    quad_single rounded = __builtin_convertvector(x, quad_single);
    memcpy(p, &rounded, sizeof rounded);
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

TN_QUAD_INLINE quad quad_choose(quad_mask mask, quad yes, quad no)
{
    return (quad)((mask & (quad_mask)yes) | (~mask & (quad_mask)no));
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
