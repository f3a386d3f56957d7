// Sweeps in single precision (single.h) for AVX2.
#if defined(__x86_64__)
#define CONTACT_WIDTH 8
#define CONTACT_TARGET __attribute__((target("avx2")))
#define CONTACT_NAME tn_contact_single_avx2
#define CONTACT_KIND "avx2"
#include "kernels/contact/single.h"
#else
typedef int contact_single_needs_x86_64; // a file must not be empty
#endif
