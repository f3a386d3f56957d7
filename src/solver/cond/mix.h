// Anderson's method on the iterates of cond: without nodes few numbers of very different weights, all in doubles; with
// nodes many numbers, by the fused mixer in single memory.
#pragma once

#include "kernels/mixer.h"
#include "solver/cond/accelerate.h"
#include "solver/cond/system.h"

typedef struct tn_cond_mix {
    const tn_cond_system *system;
    tn_cond_anderson anderson; // without nodes
    tn_mixer mixer;            // with nodes
    double *scale;             // (n) of the mixer's variables
} tn_cond_mix;

// Numbers that vectors of n must have room for; those beyond n are 0.
static inline int tn_cond_mix_room(int n)
{
    return (n + 15) / 16 * 16;
}

bool tn_cond_mix_create(tn_cond_mix *mix, const tn_cond_system *system, int depth, tn_arena *arena); // false: no memory
void tn_cond_mix_restart(tn_cond_mix *mix);
// From x and out = F(x) to the next iterate, in x; out is spent.
void tn_cond_mix_advance(tn_cond_mix *mix, double *x, double *out);
