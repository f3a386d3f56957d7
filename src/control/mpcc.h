// The complementarity as relaxed constraints of a nonlinear program, by Ipopt.
#pragma once

#include "control/planner.h"

// The plan of the modes that the homotopy ends at, improved by single moves. TN_BAD_INPUT: built without Ipopt.
tn_status tn_mpcc_solve(tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *options, tn_plan *plan,
                        tn_error *error);
