// What tests of the summary set by hand.
#pragma once

#include "tenon/summary.h"

// What a scheme of first order may gain for a moment: where bodies of the mass m start to rise at v, gravity's work is
// that of the step's end, off by m g h v / 2 <= fall sqrt(2 m K) / 2 with fall = g h, K their kinetic energy.
typedef struct tn_gain_scale {
    double floor; // least energy that gains are compared with [J]
    double pull;  // fall sqrt(2 m) of all bodies [sqrt(J)]
} tn_gain_scale;

// tn_summarizer_start with numbers instead of a state: step h [s], energy before the first step [J].
void tn_summarizer_begin(tn_summarizer *summarizer, double step, double energy, const tn_gain_scale *scale);
