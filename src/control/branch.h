// Branch and bound over the pairs of complementary numbers, best first with dives.
#pragma once

#include "control/planner.h"

bool tn_branch_make_room(tn_planner *p); // for its team; false: no memory
// The global optimum into plan, within the options' budgets; the planner's rows are bounded already. Begins with the
// modes of p->best where its cost is finite.
void tn_branch_solve(tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *options, tn_plan *plan);
// A plan with these modes (n_pairs, one bit each) into p->best if it is better: the QP's status.
tn_qp_status tn_branch_try(tn_planner *p, const tn_plan_problem *problem, const uint8_t *how, double cutoff);
// Motions under the inputs of a given plan (NULL: none), and under such that are drawn about the best plan's
// (options->motions); of each few the cheapest one's modes are tried.
void tn_search_motions(tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *options,
                       const tn_plan *given);
// The same as tn_branch_try with the modes of the motion under the inputs in z, if one is found.
void tn_branch_move(tn_planner *p, const tn_plan_problem *problem, const double *z);
// Of a problem without a plan: plan's conflict and conflict_step, as far as the budgets allow.
void tn_planner_explain(tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *options, tn_plan *plan);
// Every mode.
void tn_enumerate(tn_planner *p, const tn_plan_problem *problem, tn_plan *plan);
// The best plan so far improved by single moves; how (n_pairs): scratch.
void tn_search_nearby(tn_planner *p, const tn_plan_problem *problem, uint8_t *how);
