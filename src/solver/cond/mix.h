// Anderson's method on the iterates of cond, whose numbers weigh differently: without nodes few numbers, kept in
// doubles; with nodes many.
#pragma once

#include "kernels/mixer/mixer.h"
#include "solver/cond/system.h"

typedef struct tn_cond_mix {
    const tn_cond_system *system;
    tn_mixer mixer;
    double *scale; // (n) of the mixer's variables
} tn_cond_mix;

// Vectors have room for tn_mixer_room(n) numbers. False: no memory.
bool tn_cond_mix_create(tn_cond_mix *mix, const tn_cond_system *system, int depth, tn_arena *arena);
void tn_cond_mix_restart(tn_cond_mix *mix);
// From x and out = F(x) to the next iterate, in x; out is spent.
void tn_cond_mix_advance(tn_cond_mix *mix, double *x, double *out);
