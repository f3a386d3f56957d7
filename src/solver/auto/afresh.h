// newton again from other starts, where the iterates of other solvers have led it astray.
#pragma once

#include "solver/solver.h"

// The best of several solvers' iterates; arrays in an arena.
typedef struct tn_auto_best {
    tn_solution solution; // v, lambda
    double score;         // its largest ratio of a figure to its tolerance
} tn_auto_best;

// The largest ratio of a figure to its tolerance (<= 1: all hold); where only the law is demanded the balance counts
// as much. A NaN is infinite. TN_NO_MEMORY only.
tn_status tn_auto_score(const tn_problem *problem, const tn_tolerance *tolerance, const tn_solution *solution,
                        tn_arena *arena, double *score, tn_error *error);

// Room for a solution of the problem without joint rows, score infinite. False: no memory.
bool tn_auto_best_create(tn_auto_best *best, const tn_problem *problem, tn_arena *arena);
// solution, if its figures are better. TN_NO_MEMORY only.
tn_status tn_auto_best_keep(tn_auto_best *best, const tn_problem *problem, const tn_tolerance *tolerance,
                            const tn_solution *solution, tn_arena *arena, tn_error *error);

// newton from rest without forces, then from `start`, at most n_steps each; solution is the best of theirs and of
// `best` at the end.
tn_status tn_auto_newton_afresh(const tn_problem *problem, const tn_solve_options *options, int n_steps,
                                const tn_solution *start, tn_auto_best *best, tn_arena *arena, tn_solution *solution,
                                tn_solve_report *report, tn_error *error);
