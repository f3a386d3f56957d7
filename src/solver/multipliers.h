// Joints for solvers that know only A v = b + J^T lambda: the method of multipliers (Hestenes 1969, Powell 1969;
// Rockafellar 1976 for bounded rows).
//
// Each row is held by a stiff damper p of 1e5 times its effective mass, and its force is carried on to the next round:
//
//     f = clamp((f_0 - p (G v + c)) / (1 + p R)),    A' = A + G^T w G,    w = p / (1 + p R) on rows inside their bounds
//
// The inner solver sees A' and a shifted b only; two or three rounds leave rounding. Rows that depend on one another do
// no harm: from f = 0 (or a start in the range of G) the forces of least weighted norm come out. Contradictory rows end
// as the least squares motion, and the report is not converged.
#pragma once

#include "solver/solver.h"

// Who solves the problems without joints. changed: A' is not the last call's (the first call, or another set of rows at
// their bounds); its pattern is always the same.
typedef struct tn_multipliers_inner {
    void *user;
    tn_status (*solve)(void *user, const tn_problem *augmented, bool changed, tn_solution *solution,
                       tn_solve_report *report, tn_error *error);
    bool must_converge; // a solve that does not ends the run, unconverged
} tn_multipliers_inner;

// problem has joint rows; the solution is their start too. The report is the last inner one, with
// iterations summed; converged only if the rows hold too.
tn_status tn_multipliers_run(const tn_multipliers_inner *inner, const tn_problem *problem,
                             const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                             tn_solve_report *report, tn_error *error);

// The same round solver->solve.
tn_status tn_multipliers_solve(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                               tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
// The same; ends, unconverged, where solver->solve does not converge once.
tn_status tn_multipliers_try(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                             tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
