// The law of each constraint of a problem, with its numbers, for the table of sets (law/set.h).
#pragma once

#include "law/set.h"
#include "tenon/problem.h"

// Of friction k of the last n_frictions triples.
static inline tn_set tn_friction_set(const tn_rows *rows, int k)
{
    return rows->friction_set ? (tn_set)rows->friction_set[k] : TN_SET_MOMENT;
}

// Of constraint i: a triple below n_triples, then the singles. lambda (3 n_triples): forces that press others; NULL:
// nothing presses.
tn_bound tn_problem_bound(const tn_problem *problem, int i, const double *lambda);

// Bit 1 << set of every set that its constraints lie in.
unsigned tn_problem_sets(const tn_problem *problem);

// Adds constraint m's own softness to its block W (9); m < n_triples.
void tn_rows_soften(const tn_rows *rows, int m, double W[9]);
