// How slender a rigid world is: what a direct method would cost on its graph of contacts.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

// Operations of one Cholesky factorisation of a matrix with A's blocks coupled by contacts, taken level by level from
// an end of each piece: towers, walls and chains cost little, heaps as much as their cross-section to the third power
// says. Linear in contacts; where there are more than `most` only some of them are counted. Global form only. HUGE_VAL:
// no memory.
double tn_band_flops(const tn_problem *problem, double most, tn_arena *arena);
