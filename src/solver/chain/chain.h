// Newton's method along chains: rods whose contacts are with what does not move.
//
// Where each body of A (two block rows) is coupled with two others at most, no chain is a ring and each constraint that
// bears a force acts on one body alone, A + J^T K J stays a chain. Each step linearises the natural map of every
// constraint,
//
//     (1 - P' + P' rho R + e) dl = -(l - P(z)) - P' rho J dv,   z = l - rho u,   A dv - J^T dl = b - A v + J^T l,
//
// eliminates dl constraint by constraint and dv from end to end of the chains. e is a proximal term: it leaves e of
// what sticks for the next step, and makes redundant constraints harmless. A route of `auto`, without a name of its
// own to ask for: 320 segments wound on a cylinder in a fraction of a millisecond.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

// *fits false: the problem is none of these, or Newton's method goes astray; the solution is as it was.
tn_status tn_chain_try(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, bool *fits, tn_error *error);
