// Dense fronts (front_body.h) in double precision for AVX-512.
#include "kernels/fronts/variants.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define FRONT_REAL double
#define FRONT_BYTES 64
#define FRONT_COLUMNS 8
#define FRONT_TARGET __attribute__((target("avx512f")))
#define FRONT_LESS(c, a, b) _mm512_fnmadd_pd(a, b, c)
#define FRONT_MORE(c, a, b) _mm512_fmadd_pd(a, b, c)
#define FRONT_KIND "avx512"
#define FRONT_NAME tn_front_avx512
#define FRONT_TABLE tn_front_kernels
#include "kernels/fronts/front_body.h"
#else
typedef int front_needs_x86_64; // a file must not be empty
#endif
