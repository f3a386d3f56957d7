// Consensus ADMM over the complementarity.
#pragma once

#include "control/planner.h"

tn_admm *tn_admm_create(tn_planner *p); // in its arena; NULL: no memory
// The best plan of the modes that the iterates pass through, into plan.
void tn_admm_solve(tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *options, tn_plan *plan);
