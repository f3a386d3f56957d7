// All modes one by one: the oracle of the tests. Each mode's QP begins anew, so that it shares no bounds, cuts or warm
// starts with branch and bound.
#include "control/branch.h"

#include <math.h>

void tn_enumerate(tn_planner *p, const tn_plan_problem *problem, tn_plan *plan)
{
    uint8_t how[32];
    for (unsigned long mode = 0; mode < 1UL << p->n_pairs; mode++) {
        for (int pair = 0; pair < p->n_pairs; pair++) {
            how[pair] = mode >> pair & 1 ? TN_PAIR_CLOSED : TN_PAIR_OPEN;
        }
        tn_qp_forget(&p->qp);
        tn_branch_try(p, problem, how, INFINITY);
        plan->nodes++;
    }
    plan->status = TN_PLAN_INFEASIBLE;
    if (p->best.cost < INFINITY) {
        tn_plan_copy(plan, &p->best);
        plan->status = TN_PLAN_OPTIMAL;
    }
    plan->bound = plan->cost;
    plan->gap = p->best.cost < INFINITY ? 0.0 : INFINITY;
}
