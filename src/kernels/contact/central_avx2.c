// Central contacts (central_sweep.h) for AVX2.
#if defined(__x86_64__)
#define CONTACT_WIDTH 8
#define CONTACT_TARGET __attribute__((target("avx2")))
#define CONTACT_NAME tn_central_avx2
#define CONTACT_KIND "avx2"
#include "kernels/contact/central_sweep.h"
#else
typedef int central_needs_x86_64; // a file must not be empty
#endif
