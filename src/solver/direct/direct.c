// direct: no contacts, so A v = b by one factorisation, or body by body where A falls apart; with joints one
// factorisation of A and their dampers (multipliers.h).
#include "problem/delassus.h"
#include "problem/rows.h"
#include "solver/body_factor.h"
#include "solver/direct/joints.h"
#include "solver/multipliers.h"
#include "solver/solvers.h"

static tn_status solve_free(const tn_problem *problem, tn_arena *arena, tn_solution *solution, tn_error *error)
{
    tn_delassus delassus = {0};
    tn_delassus_kind kind = tn_delassus_choose(problem, arena);
    tn_status status = tn_delassus_create(problem, kind, arena, &delassus, error);
    status = status == TN_OK ? tn_delassus_recover(&delassus, solution->lambda, solution->v, arena, error) : status;
    tn_delassus_destroy(&delassus);
    return status;
}

typedef struct held {
    tn_arena *arena;
    tn_body_factor factor;
    bool made; // by the first call
} held;

static tn_status solve_held(void *user, const tn_problem *augmented, bool changed, tn_solution *solution,
                            tn_solve_report *report, tn_error *error)
{
    held *h = user;
    tn_status status = TN_OK;
    if (!h->made) {
        status = tn_body_factor_create(&h->factor, augmented->A, h->arena, error);
        h->made = status == TN_OK;
    }
    if (status == TN_OK && changed) {
        status = tn_body_factor_values(&h->factor, augmented->A, error);
    }
    report->iterations = 1;
    if (status == TN_OK) {
        tn_body_factor_solve(&h->factor, augmented->b, solution->v);
    }
    return status;
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
    bool done = false;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = tn_direct_joints_solve(problem, options, arena, solution, report, &done, error);
    tn_arena_release(arena, mark);
    if (status != TN_OK || done) {
        return status;
    }
    held h = {.arena = arena};
    const tn_multipliers_inner inner = {.user = &h, .solve = solve_held};
    return tn_multipliers_run(&inner, problem, options, arena, solution, report, error);
}

const tn_solver tn_solver_direct = {
    .name = "direct",
    .summary = "no contacts: one factorisation",
    .sets = TN_TAKES_SINGLES,
    .solve = solve,
};
