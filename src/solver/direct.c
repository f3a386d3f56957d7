// direct: no contacts, so A v = b by one factorisation, or body by body where A falls apart.
#include "problem/delassus.h"
#include "solver/solvers.h"

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    (void)options;
    report->converged = true;
    if (!problem->A) {
        return TN_OK;
    }
    tn_delassus delassus = {0};
    tn_delassus_kind kind = tn_delassus_choose(problem, arena);
    tn_status status = tn_delassus_create(problem, kind, arena, &delassus, error);
    if (status == TN_OK) {
        status = tn_delassus_recover(&delassus, solution->lambda, solution->v, arena, error);
    }
    tn_delassus_destroy(&delassus);
    return status;
}

static const char *refuses(const tn_problem *problem)
{
    return problem->contacts->n > 0 ? "it has contacts, and direct solves problems without; use auto" : NULL;
}

const tn_solver tn_solver_direct = {
    .name = "direct",
    .summary = "no contacts: one factorisation",
    .refuses = refuses,
    .solve = solve,
};
