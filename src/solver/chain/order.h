// A as chains of bodies of two block rows each, and who of them each constraint acts on.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

#include <stdbool.h>

typedef struct tn_chain_order {
    int n;         // bodies
    int *body;     // (n) body at each place: chain after chain, neighbours side by side
    int *place;    // (n) of each body
    int *place_of; // (constraints) of the body that it acts on; -1: none, or two
    double *U;     // (n, 6, 8) A's blocks with the next place's body (kernels/chain.h); zero at a chain's end
} tn_chain_order;

// *fits false: A has another structure. TN_NO_MEMORY only.
tn_status tn_chain_order_find(const tn_problem *problem, tn_arena *arena, tn_chain_order *out, bool *fits);
// A's blocks of each place's body with itself, as tn_chain_solve takes them: D (n, 6, 8).
void tn_chain_own_blocks(const tn_blocks *A, const tn_chain_order *order, double *D);
