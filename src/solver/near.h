// What is near constraints that ask for another solve: their bodies' other constraints too. Where one contact of a heap
// is off by more than it may be, its neighbourhood is solved again, not the heap.
#pragma once

#include "problem/islands.h"
#include "solver/solver.h"

// Of the islands of all constraints those of the near ones alone; the forces of the others, as the solution has them,
// go into the problem's b. Islands that joints or elastic bodies tie, and those where near is more than half, are kept
// whole. TN_NO_MEMORY only.
tn_status tn_near_choose(tn_problem *problem, const tn_aims *aims, const tn_solution *solution, tn_arena *arena,
                         tn_islands *islands);
