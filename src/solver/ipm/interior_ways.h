// Ways along the strict law's path (interior_path.h), one after the other until one gets to its end.
//
// Where a way folds, and whether it gets across, is chance: on hard piles one of five to ten gets there, and one that
// goes on in the same manner comes to the same fold again and again. So each way is short and starts at another depth,
// and each fold is crossed in another manner; drawn by a counter, the same every time.
#pragma once

#include "problem/delassus.h"
#include "solver/check.h"

typedef struct tn_interior_ways {
    int max_steps; // of all ways together, one factorisation each
    // out
    int ways, steps;
    bool arrived; // the check's score is at most 1
    double setup; // time of analysis and factorisations [s]
} tn_interior_ways;

// lambda (contacts, 3): the best forces of all, those given among them. For rigid bodies in global form without joints,
// Omega or moments; delassus not of the factored kind. TN_OK also where none arrives.
tn_status tn_interior_ways_solve(const tn_problem *problem, const tn_check *check, const tn_delassus *delassus,
                                 tn_interior_ways *run, tn_arena *arena, double *lambda, tn_error *error);
