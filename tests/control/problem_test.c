// Problems as values: sizes, fills, and checks that name what is wrong.
#include <math.h>
#include <string.h>

#include "tenon/plan.h"
#include "test.h"

static tn_error e;

static bool says(tn_status status, const char *text)
{
    const bool said = status == TN_BAD_INPUT && strstr(e.message, text);
    if (!said) {
        print_message("status %d: '%s', not '%s'\n", status, e.message, text);
    }
    e = (tn_error){0};
    return said;
}

static void test_sizes(void **unused)
{
    tn_lcs lcs;
    assert_true(says(tn_lcs_create(0, 1, 1, &lcs, &e), "sizes 0, 1, 1"));
    assert_null(lcs.A);
    tn_plan_problem p;
    assert_true(says(tn_plan_problem_create(2, 1, 1, 0, 0, 0, &p, &e), "horizon 0"));
    assert_true(says(tn_plan_problem_create(10000, 10000, 1, 5, 0, 0, &p, &e), "too large"));
    assert_int_equal(tn_plan_problem_create(2, 1, 3, 5, 1, 2, &p, &e), TN_OK);
    assert_true(p.X.low[1] == -INFINITY && p.U.high[0] == INFINITY && p.lcs.offset[2] == 0.0);
    p.x_ref[11] = p.u_ref[4] = p.lcs.E[8] = p.X.G[1] = p.U.g[1] = p.x0[1] = 1.0; // the last of each: sanitizers look
    assert_int_equal(tn_plan_problem_check(&p, &e), TN_OK);
    tn_plan plan;
    assert_int_equal(tn_plan_create(&p, &plan, &e), TN_OK);
    plan.x[11] = plan.u[4] = plan.c[14] = plan.w[14] = 1.0;
    plan.mode[14] = 1;
    assert_true(plan.cost == INFINITY && plan.bound == -INFINITY);
    tn_plan_destroy(&plan);
    tn_plan_problem_destroy(&p);
    assert_null(p.x0);
}

static void test_checks(void **unused)
{
    tn_plan_problem p;
    assert_int_equal(tn_plan_problem_create(2, 1, 1, 3, 1, 0, &p, &e), TN_OK);
    p.lcs.D0[1] = NAN;
    assert_true(says(tn_plan_problem_check(&p, &e), "D0: entry 1"));
    p.lcs.D0[1] = 0.0;
    p.Q[1] = 0.5;
    assert_true(says(tn_plan_problem_check(&p, &e), "Q is not symmetric"));
    p.Q[2] = 0.5;
    assert_true(says(tn_plan_problem_check(&p, &e), "Q is not positive semidefinite"));
    p.Q[0] = p.Q[3] = 0.5; // singular, yet semidefinite
    assert_int_equal(tn_plan_problem_check(&p, &e), TN_OK);
    p.U.low[0] = 1.0, p.U.high[0] = 0.5;
    assert_true(says(tn_plan_problem_check(&p, &e), "U: bounds 1 to 0.5"));
    p.U.high[0] = INFINITY;
    p.X.g[0] = INFINITY;
    assert_true(says(tn_plan_problem_check(&p, &e), "X: entry 0"));
    tn_plan_problem_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_checks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
