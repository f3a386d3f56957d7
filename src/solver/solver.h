// The solver's contract. Adding a solver = one file and one row of table.c; the conformance suite
// then runs it on every stored problem.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"
#include "tenon/set.h"

// Sets (tenon/set.h) as bits: what a solver takes, and what a problem holds.
enum {
    TN_TAKES_CONES = 1 << TN_SET_CONE,
    TN_TAKES_POLYHEDRA = 1 << TN_SET_POLYHEDRON,
    TN_TAKES_FRICTIONS = 1 << TN_SET_MOMENT | 1 << TN_SET_BALL | 1 << TN_SET_ELLIPSE, // triples beside contacts
    TN_TAKES_SINGLES = 1 << TN_SET_FREE | 1 << TN_SET_RAY | 1 << TN_SET_BOX,
};

typedef struct tn_solver {
    const char *name;
    const char *summary; // one line for `tenon info`
    unsigned sets;       // TN_TAKES_*; the table refuses other problems and names who takes them
    bool by_multipliers; // joint rows go round its solve (solver/multipliers.h), which does not know them
    bool by_islands;     // takes each island of a problem (problem/islands.h) by itself
    bool global;         // needs the balance A, b: no local form
    bool own_law;        // its forces follow a law of its own (penalty): nothing to polish
    // NULL when the solver takes this problem otherwise (law, global or local form, structure), else why not: one
    // sentence for the user that names what would take it. Static string.
    const char *(*refuses)(const tn_problem *problem);
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

// What the constraints of a problem ask of a solve, each by itself (n_triples + n_singles). Islands are solved where
// one of their constraints is due, with the least part of theirs.
typedef struct tn_aims {
    bool free;      // what has no constraints is due
    bool *due;      // out: its island was solved and has converged
    double *part;   // of the natural tolerance and of enough that is aimed at; out: that of its island
    double *motion; // out: how its island's contacts move at the step's start, relative to h |g|; at most 1
} tn_aims;

// solver->solve, and around it what the solver itself does not know of joints.
tn_status tn_solver_call(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                         tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);

// The same, and what it leaves is made exact (solver/polish.h): what anyone calls who is no solver. aims: NULL, all of
// it as the options say.
tn_status tn_solver_solve(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                          const tn_aims *aims, tn_arena *arena, tn_solution *solution, tn_solve_report *report,
                          tn_error *error);

// What tn_problem_solve does, with the caller's arena: refuse, solve, certify.
tn_status tn_solver_run(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                        tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
