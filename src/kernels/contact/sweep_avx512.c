// Contact kernels (sweep.h) for AVX-512.
#if defined(__x86_64__)
#define CONTACT_WIDTH 8
#define CONTACT_TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))
#define CONTACT_NAME tn_contact_avx512
#define CONTACT_KIND "avx512"
#include "kernels/contact/sweep.h"
#else
typedef int contact_sweep_needs_x86_64; // a file must not be empty
#endif
