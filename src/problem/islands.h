// The islands of a problem: what A and the rows tie together. Each is a problem of its own, with its own scales, so
// that its solution depends on nothing else.
#pragma once

#include "base/arena.h"
#include "problem/hints.h"
#include "tenon/problem.h"

// Islands with rows come in the order of their first block rows, then one island of all that no row touches, if there
// is such. Elastic bodies of a problem whose hints have a layout make one island, whose A is the whole one, so that the
// layout holds: what it has beside its own bodies stands still without load.
typedef struct tn_islands {
    int n;
    int loose;                        // the island without rows; -1: none
    int whole;                        // the island whose A is the whole one; -1: none
    const int *block_start, *block;   // (n + 1), (A->n_rows) block rows of each, ascending
    const int *triple_start, *triple; // (n + 1), (n_triples) likewise
    const int *single_start, *single; // (n + 1), (n_singles)
    const int *place;                 // (A->n_rows) number of each block row in its island
    const tn_parts *parts;            // of A
} tn_islands;

// Global form. TN_NO_MEMORY only.
tn_status tn_islands_find(const tn_problem *problem, tn_arena *arena, tn_islands *out);

// One of them as a problem, and its start.
typedef struct tn_island {
    tn_problem problem;
    tn_rows rows;
    tn_blocks A;
    tn_parts parts;
    tn_hints hints;
    tn_solution solution;
} tn_island;

// The scales of a problem that is an island.
void tn_island_set_scales(tn_problem *problem);
// Island k, its solution gathered from that of all. TN_NO_MEMORY only.
tn_status tn_island_take(const tn_problem *problem, const tn_islands *islands, int k, const tn_solution *solution,
                         tn_arena *arena, tn_island *out);
// What it has found, to the solution of all.
void tn_island_put(const tn_problem *problem, const tn_islands *islands, int k, const tn_island *island,
                   tn_solution *solution);
