// One call: a plan of a problem by a method.
#pragma once

#include "control_problem.h"
#include "test.h"

static inline tn_plan control_solve(const tn_plan_problem *problem, tn_plan_options options)
{
    tn_plan plan;
    tn_error error;
    tn_planner *planner = tn_planner_create(problem, &error);
    assert_non_null(planner);
    assert_int_equal(tn_plan_create(problem, &plan, &error), TN_OK);
    assert_int_equal(tn_planner_solve(planner, problem, &options, &plan, &error), TN_OK);
    tn_planner_destroy(planner);
    return plan;
}

static inline tn_plan control_solve_by(const tn_plan_problem *problem, tn_plan_method method)
{
    tn_plan_options options = tn_plan_options_default();
    options.method = method;
    return control_solve(problem, options);
}
