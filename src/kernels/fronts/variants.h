// Private: the front kernels that were compiled, of which front.c chooses.
#pragma once

#include "kernels/fronts/front.h"

extern const tn_front_kernels tn_front_baseline;
extern const tn_front_kernels_single tn_front_single_baseline;
#if defined(__x86_64__)
extern const tn_front_kernels tn_front_avx2, tn_front_avx512;
extern const tn_front_kernels_single tn_front_single_avx2, tn_front_single_avx512;
#endif
