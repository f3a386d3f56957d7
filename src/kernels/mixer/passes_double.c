// The mixer's passes with memory in double: for stiff problems of few numbers, where differences that are nearly
// dependent must be told apart.
#define MIXER_REAL double
#define MIXER_PASSES tn_mixer_passes_double
#include "kernels/mixer/passes_body.h"
