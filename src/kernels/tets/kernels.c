#include "kernels/tets/parts.h"

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

static bool supported(const char *kind)
{
#if defined(__x86_64__)
    if (strcmp(kind, "avx512") == 0) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    }
    if (strcmp(kind, "avx2") == 0) {
        return __builtin_cpu_supports("avx2");
    }
#endif
    return strcmp(kind, "baseline") == 0;
}

const tet_kernels *tn_tets_kernels_named(const char *kind)
{
    for (int k = 0; k < N_KERNELS; k++) {
        if (strcmp(list[k].kind, kind) == 0 && supported(kind)) {
            return &list[k];
        }
    }
    return NULL;
}

const tet_kernels *tn_tets_kernels(void)
{
    const tet_kernels *best = list;
    while (!supported(best->kind)) {
        best++; // ends at the baseline
    }
    return best;
}
