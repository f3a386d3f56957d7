// Bonmin (Bonami et al. 2008), branch and bound for convex mixed-integer programs: rival and check of the planner's.
#pragma once

#include "tenon/plan.h"

#ifdef __cplusplus
extern "C" {
#endif
// The big-M form of a problem without rows of the polytopes, by Bonmin's B-BB to a gap of 1e-9; bounds as of
// tn_planner_bounds, no guards. False: it found no optimum.
bool peer_bonmin(const tn_plan_problem *problem, const double *c_high, const double *w_high, double *cost, long *nodes);
#ifdef __cplusplus
}
#endif
