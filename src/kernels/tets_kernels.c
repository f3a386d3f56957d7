#include "kernels/tets_parts.h"

#include <string.h>

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
    for (int k = 0; k < tn_tets_n_kernels; k++) {
        if (strcmp(tn_tets_kernel_list[k].kind, kind) == 0 && supported(kind)) {
            return &tn_tets_kernel_list[k];
        }
    }
    return NULL;
}

const tet_kernels *tn_tets_kernels(void)
{
    const tet_kernels *best = tn_tets_kernel_list;
    while (!supported(best->kind)) {
        best++; // ends at the baseline
    }
    return best;
}
