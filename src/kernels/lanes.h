// Eight lanes of doubles for kernels: one source, compiled for each instruction set, the same bits everywhere.
//
// Written with the compiler's vector types, so that every processor runs it; AVX2 and AVX-512 only make it faster.
// Multiplications and additions are not fused. For .c files of kernels, not for their headers. Lanes never cross a call
// that is not inlined, so how they are passed (-Wpsabi) does not matter.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef double lanes __attribute__((vector_size(64)));
typedef int64_t lane_masks __attribute__((vector_size(64))); // -1 or 0 a lane

#define TN_INLINE static inline __attribute__((always_inline))

TN_INLINE lanes load(const double *p)
{
    lanes x;
    memcpy(&x, p, sizeof x);
    return x;
}

TN_INLINE void store(double *p, lanes x)
{
    memcpy(p, &x, sizeof x);
}

TN_INLINE lanes gather(const double *x, const int *at)
{
    return (lanes){x[at[0]], x[at[1]], x[at[2]], x[at[3]], x[at[4]], x[at[5]], x[at[6]], x[at[7]]};
}

TN_INLINE lanes choose(lane_masks mask, lanes yes, lanes no)
{
    return (lanes)((mask & (lane_masks)yes) | (~mask & (lane_masks)no));
}

TN_INLINE lanes larger(lanes a, lanes b)
{
    return choose(a > b, a, b);
}

TN_INLINE lanes roots(lanes x)
{
    lanes y;
    for (int i = 0; i < 8; i++) {
        y[i] = sqrt(x[i]);
    }
    return y;
}

TN_INLINE double sum_of_lanes(lanes x)
{
    return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}
