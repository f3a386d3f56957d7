// Anderson acceleration (type II) of a fixed point iteration g = G(x).
#pragma once

#include "base/arena.h"

#include <stdbool.h>

typedef struct tn_anderson tn_anderson;

// n numbers, at most depth (<= 10) differences remembered. NULL: no memory.
tn_anderson *tn_anderson_create(int n, int depth, tn_arena *arena);
void tn_anderson_clear(tn_anderson *anderson);

// x (n) went into the iteration, g (n) came out; g becomes the mixed next start. False: g unchanged (no history yet,
// or the step grew and the history was cleared).
bool tn_anderson_mix(tn_anderson *anderson, const double *x, double *g);
