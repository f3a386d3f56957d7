// direct: no contacts, so A v = b by one factorisation, or body by body where A falls apart; with joints one
// factorisation of A and their dampers (multipliers.h).
#include "math/cholesky.h"
#include "problem/delassus.h"
#include "problem/joint_rows.h"
#include "solver/multipliers.h"
#include "solver/solvers.h"

static tn_status solve_free(const tn_problem *problem, tn_arena *arena, tn_solution *solution, tn_error *error)
{
    tn_delassus delassus = {0};
    tn_delassus_kind kind = tn_delassus_choose(problem, arena);
    tn_status status = tn_delassus_create(problem, kind, arena, &delassus, error);
    if (status == TN_OK) {
        status = tn_delassus_recover(&delassus, solution->lambda, solution->v, arena, error);
    }
    tn_delassus_destroy(&delassus);
    return status;
}

// user: the factor, made by the first call.
static tn_status solve_held(void *user, const tn_problem *augmented, bool changed, tn_solution *solution,
                            tn_solve_report *report, tn_error *error)
{
    tn_cholesky **factor = user;
    if (!*factor) {
        *factor = tn_cholesky_create(augmented->A, error);
        if (!*factor) {
            return TN_NO_MEMORY;
        }
    }
    tn_status status = changed ? tn_cholesky_factor(*factor, augmented->A, error) : TN_OK;
    report->iterations = 1;
    return status == TN_OK ? tn_cholesky_solve(*factor, 1, augmented->b, solution->v, error) : status;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    report->converged = true;
    if (!problem->A) {
        return TN_OK;
    }
    if (tn_joint_row_count(problem) == 0) {
        return solve_free(problem, arena, solution, error);
    }
    tn_cholesky *factor = NULL;
    const tn_multipliers_inner inner = {.user = &factor, .solve = solve_held};
    tn_status status = tn_multipliers_run(&inner, problem, options, arena, solution, report, error);
    tn_cholesky_destroy(factor);
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
    .takes_joints = TN_JOINTS_OWN,
    .solve = solve,
};
