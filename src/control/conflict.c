// Why a problem has no plan: the first step that cannot be reached with all sets up to it, and which of its sets must
// go to reach it. Each question is a search for any feasible plan, with the rows of later steps and of that set left
// out.
#include "control/branch.h"

#include <math.h>

enum { NODES = 2000 }; // of one question, within what is left of the budget; it stays open beyond

// The rows of step k (of x_{k+1}, u_k and the pairs k) of one set; a pair's force stays zero or more.
static void leave_out_set(tn_planner *p, int k, tn_plan_set set)
{
    if (set == TN_PLAN_SET_X) {
        tn_planner_leave_out(p, p->row_x + k * p->n_x, p->n_x);
        tn_planner_leave_out(p, p->row_X + k * p->n_X, p->n_X);
    } else if (set == TN_PLAN_SET_U) {
        tn_planner_leave_out(p, p->row_u + k * p->n_u, p->n_u);
        tn_planner_leave_out(p, p->row_U + k * p->n_U, p->n_U);
    } else if (set == TN_PLAN_SET_COMPLEMENTARITY) {
        for (int row = TN_PAIR_W * p->n_pairs; row < p->row_u; row += p->n_pairs) {
            tn_planner_leave_out(p, row + k * p->n_c, p->n_c);
        }
    }
}

// Whether there is a plan of the first `steps` steps without one of the last one's sets. TN_PLAN_NONE: not known.
static tn_plan_status ask(tn_planner *p, const tn_plan_problem *problem, int steps, tn_plan_set without,
                          const tn_plan_options *options, tn_plan *plan)
{
    const long left = options->node_budget > 0 ? options->node_budget - plan->nodes : NODES;
    if (left <= 0 || tn_qp_is_late(&p->qp)) {
        return TN_PLAN_NONE;
    }
    tn_planner_forget_bounds(p, &problem->lcs); // those that came from the sets left out must go too
    tn_planner_bound_rows(p, problem);
    leave_out_set(p, steps - 1, without);
    for (int k = steps; k < p->N; k++) {
        for (int set = TN_PLAN_SET_X; set <= TN_PLAN_SET_COMPLEMENTARITY; set++) {
            leave_out_set(p, k, (tn_plan_set)set);
        }
    }
    p->qp.ceiling = INFINITY;
    tn_planner_free_all(p);
    tn_qp_forget(&p->qp);
    p->best.cost = INFINITY;
    tn_plan_options o = *options;
    o.gap = 1e30; // any plan will do
    o.node_budget = left < NODES ? left : NODES;
    tn_plan answer = *plan; // its arrays hold nothing yet
    tn_branch_solve(p, problem, &o, &answer);
    plan->nodes += answer.nodes;
    return answer.status;
}

void tn_planner_explain(tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *options, tn_plan *plan)
{
    int steps = 1;
    while (steps <= p->N && ask(p, problem, steps, TN_PLAN_SET_NONE, options, plan) != TN_PLAN_INFEASIBLE) {
        steps++;
    }
    for (int set = TN_PLAN_SET_X; set <= TN_PLAN_SET_COMPLEMENTARITY && steps <= p->N; set++) {
        const tn_plan_status status = ask(p, problem, steps, (tn_plan_set)set, options, plan);
        if (status == TN_PLAN_FEASIBLE || status == TN_PLAN_OPTIMAL) {
            plan->conflict = (tn_plan_set)set;
            plan->conflict_step = set == TN_PLAN_SET_X ? steps : steps - 1; // x_{k+1}, but u_k and c_k
            return;
        }
    }
}
