// Kernels of tetrahedra for each instruction set: the best one that the processor has, or one by name.
#include "kernels/tets/parts.h"

#include "kernels/processor.h"

#include <string.h>

// The best first.
static const tet_kernels list[] = {
#if defined(__x86_64__)
    {"avx512", tn_tets_packs_avx512, &tn_tets_rows_avx512},
    {"avx2", tn_tets_packs_avx2, &tn_tets_rows_avx2},
#endif
    {"baseline", tn_tets_packs_baseline, &tn_tets_rows_baseline},
};
enum { N_KERNELS = sizeof list / sizeof list[0] };

const tet_kernels *tn_tets_kernels_named(const char *kind)
{
    for (int k = 0; k < N_KERNELS; k++) {
        if (strcmp(list[k].kind, kind) == 0 && tn_processor_runs(kind)) {
            return &list[k];
        }
    }
    return NULL;
}

const tet_kernels *tn_tets_kernels(void)
{
    const tet_kernels *best = list;
    while (!tn_processor_runs(best->kind)) {
        best++; // ends at the baseline
    }
    return best;
}
