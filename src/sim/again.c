// How often a step may be solved again for each reason, and in all: a table of caps. Without the last line of defence
// the caps multiply: four lists of pairs, each with 17 problems of joints, each with 21 of springs, each with five
// aims.
#include "sim/again.h"

#include "tenon/sim.h"

#include <string.h>

// Left for what comes once however often a step was solved: midpoint's rows at the step's start where they do not come
// to rest, and the second solve of an impact, of Poisson's law or of overlaps that come out fast.
enum { ONCE = 4 };

static const int most[TN_AGAIN_REASONS] = {
    [TN_AGAIN_FINER] = 4,
    [TN_AGAIN_SQUEEZED] = 3,
    [TN_AGAIN_SPRINGS] = 19,
    [TN_AGAIN_JOINTS] = 15,
    [TN_AGAIN_ARCS] = 3,
    [TN_AGAIN_BOUNCES] = 3,
    [TN_AGAIN_PAIRS] = 3,
    [TN_AGAIN_NEWTON] = TN_STEP_SOLVES, // newton.max of the scene
};

bool tn_again_may(tn_again *again, tn_again_reason reason)
{
    bool may = again->n[reason] < most[reason] && again->solves < TN_STEP_SOLVES - ONCE;
    again->n[reason]++;
    memset(again->n, 0, (size_t)reason * sizeof *again->n);
    return may;
}
