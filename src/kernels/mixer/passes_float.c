// The mixer's passes with memory in float: half the traffic, for iterations of many numbers, which come in either
// precision.
#define MIXER_REAL float
#define MIXER_PASSES tn_mixer_passes_float
#include "kernels/mixer/passes_body.h"
