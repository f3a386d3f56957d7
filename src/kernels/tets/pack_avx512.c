// Packs of tetrahedra (pack.h) for AVX-512.
#if defined(__x86_64__)
#define TET_WIDTH 8
#define TET_TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))
#include "kernels/tets/pack.h"

TET_TARGET void tn_tets_packs_avx512(const tn_tets *tets, const double *position, tn_tets_elastic *out, int first,
                                     int end)
{
    packs_body(tets, position, out, first, end);
}
#else
typedef int tets_pack_needs_x86_64; // a file must not be empty
#endif
