// All modes one by one: the oracle of the tests. Each mode's QP begins anew, so that it shares no bounds, cuts or warm
// starts with branch and bound.
#include "control/branch.h"

#include <math.h>

// The first of a pair's modes after this one; 0: there is none.
static int next_of(int modes, int mode)
{
    int next = mode > 0 ? mode << 1 : 1;
    while (next <= TN_PAIR_OFF && !(modes & next)) {
        next <<= 1;
    }
    return next <= TN_PAIR_OFF ? next : 0;
}

// As numbers are counted, a pair a digit. False: that was the last.
static bool count_on(const tn_planner *p, uint8_t *how)
{
    for (int pair = 0; pair < p->n_pairs; pair++) {
        const int next = next_of(p->modes[pair], how[pair]);
        how[pair] = (uint8_t)(next > 0 ? next : next_of(p->modes[pair], 0));
        if (next > 0) {
            return true;
        }
    }
    return false;
}

void tn_enumerate(tn_planner *p, const tn_plan_problem *problem, tn_plan *plan)
{
    uint8_t *how = (uint8_t *)p->trial;
    for (int pair = 0; pair < p->n_pairs; pair++) {
        how[pair] = (uint8_t)next_of(p->modes[pair], 0);
    }
    bool late;
    do {
        tn_qp_forget(&p->qp);
        tn_branch_try(p, problem, how, INFINITY);
        plan->nodes++;
        late = tn_qp_is_late(&p->qp);
    } while (!late && count_on(p, how));
    const bool found = p->best.cost < INFINITY;
    plan->status = late ? TN_PLAN_NONE : TN_PLAN_INFEASIBLE;
    if (found) {
        tn_plan_copy(plan, &p->best);
        plan->status = late ? TN_PLAN_FEASIBLE : TN_PLAN_OPTIMAL;
    }
    plan->bound = late ? -INFINITY : plan->cost;
    plan->gap = found && !late ? 0.0 : INFINITY;
}
