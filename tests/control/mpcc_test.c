// MPCC against the proved optimum: of the document's example within 1 %.
#include "control_solve.h"
#include "test.h"

static void test_document(void **unused)
{
    if (!tn_plan_has_mpcc()) {
        skip();
    }
    for (int N = 10; N <= 20; N += 5) {
        for (int side = -1; side <= 1; side += 2) {
            tn_plan_problem p = control_three_coordinates(N, 0.3 * side);
            tn_plan best = control_solve_by(&p, TN_PLAN_MIQP), plan = control_solve_by(&p, TN_PLAN_MPCC);
            assert_int_equal(best.status, TN_PLAN_OPTIMAL);
            assert_int_equal(plan.status, TN_PLAN_FEASIBLE);
            const double off = plan.cost / best.cost - 1.0;
            print_message("N = %d, side %d: %.2e of 0.01 above the optimum, %.0f ms\n", N, side, off,
                          1e3 * plan.seconds);
            assert_true(plan.residual < 1e-8 && off > -1e-8 && off < 0.01);
            tn_plan_destroy(&best), tn_plan_destroy(&plan);
            tn_plan_problem_destroy(&p);
        }
    }
}

static bool stops(void *left)
{
    return --*(int *)left < 0;
}

// Ipopt asks after each iteration whether to go on; stopped there, no plan is claimed.
static void test_stop(void **unused)
{
    if (!tn_plan_has_mpcc()) {
        skip();
    }
    tn_plan_problem p = control_three_coordinates(3, 0.3);
    int left = 1000;
    tn_plan_options o = tn_plan_options_default();
    o.method = TN_PLAN_MPCC;
    o.stop = stops;
    o.user = &left;
    tn_plan whole = control_solve(&p, o);
    const int asked = 1000 - left;
    print_message("asked %d times in %ld programs\n", asked, whole.nodes);
    assert_true(whole.status == TN_PLAN_FEASIBLE && left > 0);
    left = asked / 4;
    tn_plan part = control_solve(&p, o);
    assert_true(part.status == TN_PLAN_NONE && part.cost == INFINITY && part.nodes > 0 && part.nodes < whole.nodes);
    tn_plan_destroy(&whole), tn_plan_destroy(&part);
    tn_plan_problem_destroy(&p);
}

static void test_without(void **unused)
{
    tn_plan_problem p = control_three_coordinates(3, 0.3);
    tn_planner *planner = tn_planner_create(&p, NULL);
    tn_plan plan;
    tn_error e = {0};
    assert_int_equal(tn_plan_create(&p, &plan, &e), TN_OK);
    tn_plan_options options = tn_plan_options_default();
    options.method = TN_PLAN_MPCC;
    const tn_status status = tn_planner_solve(planner, &p, &options, &plan, &e);
    assert_true(tn_plan_has_mpcc() ? status == TN_OK : status == TN_BAD_INPUT && strstr(e.message, "needs Ipopt"));
    tn_plan_destroy(&plan);
    tn_planner_destroy(planner);
    tn_plan_problem_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_document), cmocka_unit_test(test_stop),
                                       cmocka_unit_test(test_without)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
