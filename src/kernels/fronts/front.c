#include "kernels/fronts/front.h"

#include "kernels/fronts/variants.h"
#include "kernels/processor.h"

#include <stddef.h>
#include <string.h>

static bool fits(const char *kind, const char *wanted)
{
    return (!wanted || strcmp(kind, wanted) == 0) && tn_processor_runs(kind);
}

const tn_front_kernels *tn_front_kernels_find(const char *kind)
{
#if defined(__x86_64__)
    static const tn_front_kernels *const all[] = {&tn_front_avx512, &tn_front_avx2, &tn_front_baseline};
#else
    static const tn_front_kernels *const all[] = {&tn_front_baseline};
#endif
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (fits(all[i]->kind, kind)) {
            return all[i];
        }
    }
    return NULL;
}

const tn_front_kernels_single *tn_front_kernels_find_single(const char *kind)
{
#if defined(__x86_64__)
    static const tn_front_kernels_single *const all[] = {&tn_front_single_avx512, &tn_front_single_avx2,
                                                         &tn_front_single_baseline};
#else
    static const tn_front_kernels_single *const all[] = {&tn_front_single_baseline};
#endif
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (fits(all[i]->kind, kind)) {
            return all[i];
        }
    }
    return NULL;
}
