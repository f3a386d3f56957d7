// The best of several solvers' iterates.
#pragma once

#include "solver/solver.h"

typedef struct tn_auto_best {
    tn_solution solution; // in an arena; lambda NULL: none is kept yet
    double score;         // its largest ratio of a figure of the certificate to its tolerance
} tn_auto_best;

// v and lambda.
void tn_auto_copy(const tn_problem *problem, const tn_solution *from, tn_solution *to);
// The same into new arrays.
tn_status tn_auto_keep(const tn_problem *problem, const tn_solution *from, tn_arena *arena, tn_solution *to,
                       tn_error *error);
// The largest ratio of a figure to its tolerance (<= 1: all hold; infinite: no number). TN_NO_MEMORY only.
tn_status tn_auto_score(const tn_problem *problem, const tn_tolerance *tolerance, const tn_solution *solution,
                        tn_arena *arena, double *score, tn_error *error);
// solution, if its figures are better; starts with {.score = HUGE_VAL}. TN_NO_MEMORY only.
tn_status tn_auto_best_keep(tn_auto_best *best, const tn_problem *problem, const tn_tolerance *tolerance,
                            const tn_solution *solution, tn_arena *arena, tn_error *error);
// The same, and solution becomes the best.
tn_status tn_auto_best_go_back(tn_auto_best *best, const tn_problem *problem, const tn_tolerance *tolerance,
                               tn_solution *solution, tn_arena *arena, tn_error *error);
