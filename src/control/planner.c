// The planners behind one call: memory, what all of them begin with, and what each plan says of itself.
#include "control/planner.h"

#include "base/timer.h"
#include "control/admm.h"
#include "control/branch.h"
#include "control/lcs.h"
#include "control/mpcc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_arrays(tn_planner *p, const tn_lcs *s)
{
    const size_t n_x = (size_t)p->n_x, n_u = (size_t)p->n_u, n_c = (size_t)p->n_c, N = (size_t)p->N;
    const struct {
        double **at;
        size_t n;
    } arrays[] = {{&p->Dx, n_c * n_x},
                  {&p->Hw, n_c * n_u},
                  {&p->Ew, n_c * n_c},
                  {&p->ow, n_c},
                  {&p->Gx, n_c * n_x},
                  {&p->Gu, n_c * n_u},
                  {&p->og, n_c},
                  {&p->S, (N + 1) * n_x * (size_t)p->qp.n},
                  {&p->free, (N + 1) * n_x},
                  {&p->x_low, (N + 1) * n_x},
                  {&p->x_high, (N + 1) * n_x},
                  {&p->u_low, n_u},
                  {&p->u_high, n_u},
                  {&p->most[TN_SIDE_C], N * n_c},
                  {&p->most[TN_SIDE_W], N * n_c},
                  {&p->most[TN_SIDE_W_BELOW], N * n_c},
                  {&p->most[TN_SIDE_GUARD], N * n_c},
                  {&p->most[TN_SIDE_GUARD_BELOW], N * n_c},
                  {&p->blocks, n_c <= TN_PLANNER_BLOCK_MAX ? (n_c * n_c) << n_c : 0},
                  {&p->low, (size_t)p->qp.m},
                  {&p->high, (size_t)p->qp.m},
                  {&p->zero, (size_t)(p->n_quantities * p->n_pairs)},
                  {&p->trial, (size_t)p->qp.n}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!(*arrays[i].at = TN_PUSH(p->arena, double, arrays[i].n))) {
            return false;
        }
    }
    p->known_size =
        sizeof(double) * (tn_lcs_numbers(s) + 2 * n_x * n_x + n_u * n_u + (size_t)p->n_X * n_x + (size_t)p->n_U * n_u);
    p->known = TN_PUSH(p->arena, uint8_t, p->known_size);
    p->modes = TN_PUSH(p->arena, uint8_t, p->n_pairs);
    return p->known && p->modes;
}

static void number_rows(tn_planner *p)
{
    p->row_sum = p->n_quantities * p->n_pairs;
    p->row_u = p->row_sum + p->n_conflicts * p->n_pairs;
    p->row_U = p->row_u + p->N * p->n_u;
    p->row_x = p->row_U + p->N * p->n_U;
    p->row_X = p->row_x + p->N * p->n_x;
}

enum { VARIABLES_MAX = 2000, ENUMERATED_MAX = 1 << 24 };
static const double SPARE = 0.1; // of a time budget, for what follows the last look at the clock

tn_planner *tn_planner_create(const tn_plan_problem *problem, tn_error *error)
{
    if (tn_plan_problem_check(problem, error) != TN_OK) {
        return NULL;
    }
    const tn_lcs *s = &problem->lcs;
    if ((double)problem->horizon * (s->n_u + s->n_c) > VARIABLES_MAX) {
        tn_error_set(error, TN_BAD_INPUT, "%d steps of %d inputs and forces are more than %d numbers", problem->horizon,
                     s->n_u + s->n_c, VARIABLES_MAX);
        return NULL;
    }
    tn_planner *p = calloc(1, sizeof *p);
    if (p) {
        *p = (tn_planner){.arena = tn_arena_create(0),
                          .n_x = s->n_x,
                          .n_u = s->n_u,
                          .n_c = s->n_c,
                          .N = problem->horizon,
                          .n_X = problem->X.n_rows,
                          .n_U = problem->U.n_rows,
                          .n_pairs = problem->horizon * s->n_c,
                          .n_quantities = tn_lcs_has_guards(s) ? TN_QUANTITIES : TN_PAIR_GUARD,
                          .n_sides = tn_lcs_has_guards(s) ? TN_SIDES : TN_SIDE_W_BELOW,
                          .n_conflicts = tn_lcs_has_guards(s) ? TN_CONFLICTS : 1};
        number_rows(p);
        const int rows = p->row_X + p->N * p->n_X;
        if (p->arena && tn_qp_create(p->arena, p->N * (p->n_u + p->n_c), rows, &p->qp) && make_arrays(p, s) &&
            tn_planner_make_team(p, 1) && tn_branch_make_room(p) && (p->admm = tn_admm_create(p)) &&
            tn_plan_create(problem, &p->best, NULL) == TN_OK && tn_plan_create(problem, &p->moved, NULL) == TN_OK) {
            return p;
        }
    }
    tn_error_set(error, TN_NO_MEMORY, "no memory for a planner");
    tn_planner_destroy(p);
    return NULL;
}

void tn_planner_destroy(tn_planner *planner)
{
    if (planner) {
        tn_planner_disband(planner);
        tn_arena_destroy(planner->arena);
        tn_plan_destroy(&planner->best);
        tn_plan_destroy(&planner->moved);
        free(planner);
    }
}

static tn_status check_call(const tn_planner *p, const tn_plan_problem *problem, const tn_plan *plan, tn_error *error)
{
    if (!p || !plan || !plan->x) {
        return tn_error_set(error, TN_BAD_INPUT, "a planner, or a place for what it finds, is not there");
    }
    const tn_status status = tn_plan_problem_check(problem, error);
    if (status != TN_OK) {
        return status;
    }
    const tn_lcs *s = &problem->lcs;
    if (s->n_x != p->n_x || s->n_u != p->n_u || s->n_c != p->n_c || problem->horizon != p->N ||
        problem->X.n_rows != p->n_X || problem->U.n_rows != p->n_U ||
        (tn_lcs_has_guards(s) && p->n_quantities != TN_QUANTITIES) || plan->n_x != p->n_x || plan->n_u != p->n_u ||
        plan->n_c != p->n_c || plan->horizon != p->N) {
        return tn_error_set(error, TN_BAD_INPUT, "planner, problem and plan are of different sizes");
    }
    return TN_OK;
}

static double count_modes(const tn_planner *p, const tn_lcs *s)
{
    double count = 1.0;
    for (int i = 0; i < p->n_c; i++) {
        count *= pow(tn_lcs_has_guard(s, i) ? 3.0 : 2.0, p->N);
    }
    return count;
}

static tn_status check_method(const tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *o,
                              tn_error *error)
{
    if ((unsigned)o->method > TN_PLAN_ENUMERATE) {
        return tn_error_set(error, TN_BAD_INPUT, "there is no method number %d", (int)o->method);
    }
    const double count = o->method == TN_PLAN_ENUMERATE ? count_modes(p, &problem->lcs) : 0.0;
    if (count > ENUMERATED_MAX) {
        return tn_error_set(error, TN_BAD_INPUT, "%.3g modes are too many to try all (at most %d)", count,
                            ENUMERATED_MAX);
    }
    if (o->method == TN_PLAN_MPCC && tn_lcs_has_guards(&problem->lcs)) {
        return tn_error_set(error, TN_BAD_INPUT, "method 'mpcc' does not have guards: take 'miqp' or 'admm'");
    }
    if (!(o->penalty > 0.0 && o->penalty < INFINITY) || !(o->penalty_grow >= 1.0) || o->iterations < 0) {
        return tn_error_set(error, TN_BAD_INPUT, "ADMM needs a positive penalty that does not shrink");
    }
    if (o->n_threads < 1 || o->n_threads > TN_PLANNER_THREADS_MAX) {
        return tn_error_set(error, TN_BAD_INPUT, "%d threads: 1 to %d can plan at once", o->n_threads,
                            TN_PLANNER_THREADS_MAX);
    }
    if (!(o->gap >= 0.0) || !(o->time_budget >= 0.0) || o->node_budget < 0 || o->motions < 0) {
        return tn_error_set(error, TN_BAD_INPUT, "gap and budgets must not be negative");
    }
    return TN_OK;
}

// The given plan's modes as they are, and one step on, as the next step of a receding horizon finds them.
static void try_given(tn_planner *p, const tn_plan_problem *problem, const tn_plan *given)
{
    uint8_t *wanted = (uint8_t *)p->trial;
    for (int shift = 0; shift <= 1; shift++) {
        for (int pair = 0; pair < p->n_pairs; pair++) {
            const int from = pair + shift * p->n_c < p->n_pairs ? pair + shift * p->n_c : pair;
            const int mode = 1 << given->mode[from] & p->modes[pair];
            wanted[pair] = (uint8_t)(mode ? mode : p->modes[pair] & -p->modes[pair]);
        }
        tn_branch_try(p, problem, wanted, INFINITY);
    }
}

static tn_status solve(tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *o, tn_plan *plan,
                       tn_error *error)
{
    tn_qp_forget(&p->qp);
    p->qp.iterations = 0;
    p->best.cost = INFINITY;
    if (o->method == TN_PLAN_ENUMERATE) { // an oracle trusts no bounds
        tn_planner_forget_bounds(p, &problem->lcs);
    }
    tn_planner_bound_rows(p, problem);
    if (o->warm_start && (o->method == TN_PLAN_MIQP || o->method == TN_PLAN_ADMM)) {
        try_given(p, problem, plan);
    }
    if (o->method == TN_PLAN_MIQP || o->method == TN_PLAN_ADMM) {
        tn_search_motions(p, problem, o, o->warm_start ? plan : NULL);
    }
    switch (o->method) {
    case TN_PLAN_ENUMERATE:
        tn_enumerate(p, problem, plan);
        return TN_OK;
    case TN_PLAN_ADMM:
        tn_admm_solve(p, problem, o, plan);
        return TN_OK;
    case TN_PLAN_MPCC:
        return tn_mpcc_solve(p, problem, o, plan, error);
    default:
        tn_branch_solve(p, problem, o, plan);
        return TN_OK;
    }
}

static void explain(tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *o, tn_plan *plan)
{
    static const char *const names[] = {"", "X", "U", "complementarity"};
    if (plan->conflict == TN_PLAN_SET_NONE) { // tightening has not said it already
        tn_planner_explain(p, problem, o, plan);
    }
    if (plan->conflict != TN_PLAN_SET_NONE) {
        snprintf(plan->conflict_text, sizeof plan->conflict_text, "%s at step %d", names[plan->conflict],
                 plan->conflict_step);
    }
}

tn_status tn_planner_solve(tn_planner *planner, const tn_plan_problem *problem, const tn_plan_options *options,
                           tn_plan *plan, tn_error *error)
{
    const double begun = tn_timer_now();
    const tn_plan_options o = options ? *options : tn_plan_options_default();
    tn_status status = check_call(planner, problem, plan, error);
    status = status == TN_OK ? check_method(planner, problem, &o, error) : status;
    status = status == TN_OK ? tn_planner_condense(planner, problem, error) : status;
    if (status == TN_OK && !(tn_planner_make_team(planner, o.n_threads > 1 ? TN_PLANNER_DIVERS * o.n_threads + 1 : 1) &&
                             tn_branch_make_room(planner))) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for planners on %d threads", o.n_threads);
    }
    if (status != TN_OK) {
        return status;
    }
    planner->qp.deadline = o.time_budget > 0.0 ? begun + (1.0 - SPARE) * o.time_budget : INFINITY;
    planner->qp.stop = o.stop;
    planner->qp.user = o.user;
    planner->qp.is_late = false;
    plan->nodes = plan->iterations = 0;
    plan->cost = plan->residual = plan->gap = INFINITY;
    plan->bound = -INFINITY;
    plan->conflict_text[0] = '\0';
    if (tn_planner_tighten(planner, problem, &plan->conflict, &plan->conflict_step)) {
        status = solve(planner, problem, &o, plan, error);
    } else {
        plan->status = TN_PLAN_INFEASIBLE;
        plan->bound = INFINITY;
    }
    if (status == TN_OK && plan->status == TN_PLAN_INFEASIBLE) {
        explain(planner, problem, &o, plan);
    }
    plan->iterations = planner->qp.iterations;
    plan->seconds = tn_timer_now() - begun;
    return status;
}

tn_status tn_planner_bounds(tn_planner *planner, const tn_plan_problem *problem, const tn_plan_bounds *out,
                            bool *feasible, tn_error *error)
{
    tn_status status = check_call(planner, problem, planner && out && feasible ? &planner->best : NULL, error);
    if (status == TN_OK) {
        status = tn_planner_condense(planner, problem, error);
    }
    if (status == TN_OK) {
        tn_plan_set set;
        int step;
        *feasible = tn_planner_tighten(planner, problem, &set, &step);
        double *const to[TN_SIDES] = {out->c_high, out->w_high, out->w_low, out->guard_high, out->guard_low};
        for (int i = 0; i < TN_SIDES * planner->n_pairs; i++) {
            const int side = i / planner->n_pairs, pair = i % planner->n_pairs;
            if (to[side]) {
                to[side][pair] = tn_sides[side].sign * planner->most[side][pair];
            }
        }
    }
    return status;
}
