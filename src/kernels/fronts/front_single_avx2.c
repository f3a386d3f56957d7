// Dense fronts (front_body.h) in single precision for AVX2.
#include "kernels/fronts/variants.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define FRONT_REAL float
#define FRONT_BYTES 32
#define FRONT_COLUMNS 4
#define FRONT_TARGET __attribute__((target("avx2,fma")))
#define FRONT_LESS(c, a, b) _mm256_fnmadd_ps(a, b, c)
#define FRONT_MORE(c, a, b) _mm256_fmadd_ps(a, b, c)
#define FRONT_KIND "avx2"
#define FRONT_NAME tn_front_single_avx2
#define FRONT_TABLE tn_front_kernels_single
#include "kernels/fronts/front_body.h"
#else
typedef int front_needs_x86_64; // a file must not be empty
#endif
