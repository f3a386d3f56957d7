// Planners that share one problem and solve parts of it at once (planner.h). Each is a copy of the first one's struct
// with what solves write made of its own.
#include "control/planner.h"

#include <stdlib.h>

static tn_planner *join(const tn_planner *p)
{
    tn_planner *one = calloc(1, sizeof *one);
    if (!one || !(one->arena = tn_arena_create(0))) {
        free(one);
        return NULL;
    }
    const tn_plan_problem sizes = {
        .lcs = {.n_x = p->n_x, .n_u = p->n_u, .n_c = p->n_c}, .horizon = p->N, .x0 = p->free};
    if (tn_qp_share(one->arena, &p->qp, &one->qp) && (one->trial = TN_PUSH(one->arena, double, p->qp.n)) &&
        tn_plan_create(&sizes, &one->best, NULL) == TN_OK && tn_plan_create(&sizes, &one->moved, NULL) == TN_OK) {
        return one;
    }
    tn_planner_destroy(one);
    return NULL;
}

bool tn_planner_make_team(tn_planner *p, int n)
{
    p->team[0] = p;
    p->n_made = p->n_made > 1 ? p->n_made : 1;
    while (p->n_made < n) {
        if (!(p->team[p->n_made] = join(p))) {
            return false;
        }
        p->n_made++;
    }
    p->n_team = n;
    return true;
}

void tn_planner_disband(tn_planner *p)
{
    for (int i = 1; i < p->n_made; i++) {
        tn_planner_destroy(p->team[i]);
    }
    p->n_made = 0;
}

void tn_planner_brief_team(tn_planner *p)
{
    for (int i = 1; i < p->n_team; i++) {
        tn_planner *one = p->team[i];
        const tn_planner own = *one;
        *one = *p;
        one->arena = own.arena;
        one->qp = own.qp;
        one->trial = own.trial;
        one->best = own.best;
        one->moved = own.moved;
        one->branch = NULL;
        one->admm = NULL;
        one->n_made = 0;
        one->best.cost = p->best.cost;
        tn_qp_follow(&one->qp, &p->qp);
    }
}
