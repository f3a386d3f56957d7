// Packs of tetrahedra (pack.h) for AVX2.
#if defined(__x86_64__)
#define TET_WIDTH 4
#define TET_TARGET __attribute__((target("avx2")))
#include "kernels/tets/pack.h"

TET_TARGET void tn_tets_packs_avx2(const tn_tets *tets, const double *position, tn_tets_elastic *out, int first,
                                   int end)
{
    packs_body(tets, position, out, first, end);
}
#else
typedef int tets_pack_needs_x86_64; // a file must not be empty
#endif
