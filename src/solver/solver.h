// The solver's contract. Adding a solver = one file and one row of table.c; the conformance suite
// then runs it on every stored problem.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef enum tn_takes_joints {
    TN_JOINTS_NONE,        // it refuses problems with joint rows
    TN_JOINTS_OWN,         // its solve knows them
    TN_JOINTS_MULTIPLIERS, // its solve does not: solver/multipliers.h goes round it
} tn_takes_joints;

typedef struct tn_solver {
    const char *name;
    const char *summary; // one line for `tenon info`
    // NULL when the solver takes this problem (law, global or local form, structure), else why not: one
    // sentence for the user that names what would take it. Static string.
    const char *(*refuses)(const tn_problem *problem);
    bool takes_moments; // rolling and torsional friction
    tn_takes_joints takes_joints;
    bool takes_facets; // a polyhedral friction cone
    bool own_law;      // its forces follow a law of its own (penalty): nothing to polish
    // To be called by tn_solver_call. Warm start in solution, result out; scratch from arena (released on return).
    // Fills report but for its certificate and, unless it delegates, its name. TN_OK also when tolerances were not
    // reached: report->converged says so.
    tn_status (*solve)(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error);
} tn_solver;

const tn_solver *tn_solver_find(const char *name); // NULL: unknown
const tn_solver *tn_solver_at(int index);          // NULL past the end; the order of `tenon info`

// Why the solver does not take this problem; NULL: it does.
const char *tn_solver_refusal(const tn_solver *solver, const tn_problem *problem);
// The same as an error for the user, TN_BAD_INPUT: the reason, and where it is one of the flags' those who take it.
tn_status tn_solver_check(const tn_solver *solver, const tn_problem *problem, tn_error *error);

// solver->solve, and around it what the solver itself does not know of joints.
tn_status tn_solver_call(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                         tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);

// The same, and what it leaves is made exact (solver/polish.h): what anyone calls who is no solver.
tn_status tn_solver_solve(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                          tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);

// What tn_problem_solve does, with the caller's arena: refuse, solve, certify.
tn_status tn_solver_run(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                        tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
