// The forces of least norm that solve a problem at rest, however many of its rows depend on one another.
#pragma once

#include "solver/solver.h"

typedef struct tn_rest_problem {
    const tn_problem *problem; // of contacts and joints in one; b without what given rows bear
    const tn_rows *contacts;
    const tn_rows *joints;  // those with lower = upper bear that whatever moves
    const double *softness; // (triples + singles) of each row, in proportion to which forces are shared [m/(s N)]
    const tn_solver *solver;
    const tn_solve_options *options;
} tn_rest_problem;

// solution (in: zeros) of `problem`; report with its certificate. refinements: solves done.
tn_status tn_rest_solve(const tn_rest_problem *rest, tn_arena *arena, tn_solution *solution, tn_solve_report *report,
                        int *refinements, tn_error *error);
// The worst of the figures that judge it.
double tn_rest_figure(const tn_certificate *certificate);
