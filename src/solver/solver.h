// The solver's contract. Adding a solver = one file and one row of table.c; the conformance suite
// then runs it on every stored problem.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_solver {
    const char *name;
    const char *summary; // one line for `tenon info`
    // NULL when the solver takes this problem (law, global or local form, structure), else why not: one
    // sentence for the user that names what would take it. Static string.
    const char *(*refuses)(const tn_problem *problem);
    bool takes_moments; // rolling and torsional friction
    // Warm start in solution, result out; scratch from arena (released on return). Fills report but for its certificate
    // and, unless it delegates, its name. TN_OK also when tolerances were not reached: report->converged says so.
    tn_status (*solve)(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error);
} tn_solver;

const tn_solver *tn_solver_find(const char *name); // NULL: unknown
const tn_solver *tn_solver_at(int index);          // NULL past the end; the order of `tenon info`

// Why the solver does not take this problem; NULL: it does.
const char *tn_solver_refusal(const tn_solver *solver, const tn_problem *problem);

// What tn_problem_solve does, with the caller's arena: refuse, solve, certify.
tn_status tn_solver_run(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                        tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
