// Packs of tetrahedra (pack.h) for any processor.
#define TET_WIDTH 2
#define TET_TARGET
#include "kernels/tets/pack.h"

void tn_tets_packs_baseline(const tn_tets *tets, const double *position, tn_tets_elastic *out, int first, int end)
{
    packs_body(tets, position, out, first, end);
}
