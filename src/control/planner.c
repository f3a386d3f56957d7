// The planners behind one call.
#include "tenon/plan.h"

#include <stdlib.h>

struct tn_planner {
    int n_x, n_u, n_c, horizon;
};

tn_planner *tn_planner_create(const tn_plan_problem *problem, tn_error *error)
{
    if (tn_plan_problem_check(problem, error) != TN_OK) {
        return NULL;
    }
    tn_planner *planner = calloc(1, sizeof *planner);
    if (!planner) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for a planner");
    }
    return planner;
}

void tn_planner_destroy(tn_planner *planner)
{
    free(planner);
}

tn_status tn_planner_solve(tn_planner *planner, const tn_plan_problem *problem, const tn_plan_options *options,
                           tn_plan *plan, tn_error *error)
{
    return tn_error_set(error, TN_BAD_INPUT, "no planner is built in yet");
}
