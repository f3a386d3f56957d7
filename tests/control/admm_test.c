// ADMM against the proved optimum: its plans are feasible, cost no less, and of the document's example within 3 %.
#include "control_solve.h"
#include "test.h"

static double compare(const tn_plan_problem *problem)
{
    tn_plan best = control_solve_by(problem, TN_PLAN_MIQP), plan = control_solve_by(problem, TN_PLAN_ADMM);
    if (best.status == TN_PLAN_INFEASIBLE) {
        assert_true(plan.cost == INFINITY);
        tn_plan_destroy(&best), tn_plan_destroy(&plan);
        return 0.0;
    }
    assert_int_equal(best.status, TN_PLAN_OPTIMAL);
    assert_int_equal(plan.status, TN_PLAN_FEASIBLE);
    assert_true(plan.residual < 1e-8 && plan.bound <= best.cost + 1e-8 && plan.cost >= best.cost * (1.0 - 1e-8));
    const double off = plan.cost / best.cost - 1.0;
    tn_plan_destroy(&best), tn_plan_destroy(&plan);
    return off;
}

static void test_document(void **unused)
{
    for (int N = 10; N <= 20; N += 5) {
        for (int side = -1; side <= 1; side += 2) {
            tn_plan_problem p = control_three_coordinates(N, 0.3 * side);
            const double off = compare(&p);
            print_message("N = %d, side %d: %.2e of 0.03 above the optimum\n", N, side, off);
            assert_true(off < 0.03);
            tn_plan_problem_destroy(&p);
        }
    }
}

static void test_walls(void **unused)
{
    int near = 0;
    for (int i = 0; i < 20; i++) {
        int at = 0;
        const double x0[4] = {
            0.3 * control_normal(5000 + (uint64_t)i, &at), 0.15 * control_normal(5000 + (uint64_t)i, &at),
            0.7 * control_normal(5000 + (uint64_t)i, &at), 0.7 * control_normal(5000 + (uint64_t)i, &at)};
        tn_plan_problem p = control_cart_pole(10, x0);
        near += compare(&p) < 0.03;
        tn_plan_problem_destroy(&p);
    }
    print_message("%d of 20 starts within 3 %% of the optimum\n", near);
    assert_true(near >= 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_document), cmocka_unit_test(test_walls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
