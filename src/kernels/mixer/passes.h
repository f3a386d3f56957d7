// The two passes of a step of the mixer over its vectors, for each precision of its memory. x and g are floats or, not
// `single`, doubles; first and end are multiples of 16.
#pragma once

#include "kernels/mixer/mixer.h"

// What a pass sums: df . df_k and f . df_k for all k, side by side, then f . f, df . f and df . df.
enum { TN_MIXER_FF = 2 * TN_MIXER_DEPTH_MAX, TN_MIXER_DF_F, TN_MIXER_DF_DF, TN_MIXER_SUMS };

typedef struct tn_mixer_passes {
    // Of numbers first..end-1: f and the newest differences, and all sums.
    void (*remember)(bool single, tn_mixer *m, const void *x, const void *g, int first, int end, double *sums);
    // The next start into x and g, from x, g and the differences, or by a leap. dx into dg's next slot.
    void (*mix)(bool single, const tn_mixer *m, const double *y, void *x, void *g, int first, int end);
} tn_mixer_passes;

// Those of this processor.
tn_mixer_passes tn_mixer_passes_float(void);
tn_mixer_passes tn_mixer_passes_double(void);
