// Problems without a plan: the set and the step that are at odds.
#include "control_solve.h"
#include "test.h"

static void expect(const tn_plan_problem *p, tn_plan_set set, int step, const char *text)
{
    tn_plan plan = control_solve_by(p, TN_PLAN_MIQP);
    print_message("%s: '%s', %ld nodes\n", tn_plan_status_name(plan.status), plan.conflict_text, plan.nodes);
    assert_int_equal(plan.status, TN_PLAN_INFEASIBLE);
    assert_true(plan.bound == INFINITY && plan.cost == INFINITY);
    assert_string_equal(plan.conflict_text, text);
    assert_int_equal(plan.conflict, set);
    assert_int_equal(plan.conflict_step, step);
    tn_plan_destroy(&plan);
}

// A mass on a line, x = (q, v), step 0.1, force u, a wall below q = 0 whose impulse is c.
static tn_plan_problem mass(int N)
{
    tn_plan_problem p;
    assert_int_equal(tn_plan_problem_create(2, 1, 1, N, 1, 0, &p, NULL), TN_OK);
    const double A[4] = {1, 0.1, 0, 1};
    memcpy(p.lcs.A, A, sizeof A);
    p.lcs.B[0] = 0.01, p.lcs.B[1] = 0.1;
    p.lcs.C[0] = 0.1, p.lcs.C[1] = 1.0;
    p.lcs.D[0] = 1.0;
    p.Q[0] = p.R[0] = 1.0;
    p.x0[0] = 1.0;
    for (int i = 0; i < 2; i++) {
        p.X.low[i] = -10.0, p.X.high[i] = 10.0;
    }
    p.U.low[0] = -1.0, p.U.high[0] = 1.0;
    p.X.g[0] = 100.0;
    return p;
}

static void test_conflicts(void **unused)
{
    tn_plan_problem p = mass(6);
    p.x0[1] = 2.0, p.X.high[0] = 1.65; // cannot brake: q = 1.19, 1.37, 1.54, 1.70
    expect(&p, TN_PLAN_SET_X, 4, "X at step 4");
    p.X.high[0] = 10.0;
    p.X.G[0] = p.X.G[1] = 1.0, p.X.g[0] = 3.05; // q + v: 2 + 1.19 - 0.1 of the first step is too much by rows alone
    expect(&p, TN_PLAN_SET_X, 1, "X at step 1");
    p.X.g[0] = 100.0;
    p.x0[0] = 0.0, p.x0[1] = -1.0, p.X.low[0] = 0.5; // the wall lets no impulse act above it
    p.X.high[0] = 0.6;
    expect(&p, TN_PLAN_SET_X, 1, "X at step 1");
    tn_plan_problem_destroy(&p);
    p = mass(4);
    p.lcs.offset[0] = -2.0, p.lcs.D[0] = 0.0; // w = -2 whatever happens
    expect(&p, TN_PLAN_SET_COMPLEMENTARITY, 0, "complementarity at step 0");
    tn_plan_problem_destroy(&p);
}

// What the random problems name is so: without that set there is a plan up to that step.
static void test_random(void **unused)
{
    int none = 0, named = 0;
    for (int seed = 0; seed < 150; seed++) {
        tn_plan_problem p = control_random((uint64_t)(3000 + seed), 3, 1, 2, 3, 0.8 + seed % 3);
        tn_plan plan = control_solve_by(&p, TN_PLAN_MIQP);
        none += plan.status == TN_PLAN_INFEASIBLE;
        named += plan.conflict != TN_PLAN_SET_NONE;
        assert_true(plan.status == TN_PLAN_INFEASIBLE || plan.conflict == TN_PLAN_SET_NONE);
        tn_plan_destroy(&plan);
        tn_plan_problem_destroy(&p);
    }
    print_message("%d of 150 without a plan, %d named\n", none, named);
    assert_true(none > 10 && named == none);
}

// Asking what is at odds keeps to the budget of nodes too.
static void test_budget(void **unused)
{
    enum { BUDGET = 5 };
    tn_plan_options options = tn_plan_options_default();
    options.node_budget = BUDGET;
    int none = 0, unsaid = 0;
    for (int seed = 0; seed < 150; seed++) {
        tn_plan_problem p = control_random((uint64_t)(3000 + seed), 3, 1, 2, 3, 0.8 + seed % 3);
        tn_plan plan;
        tn_planner *planner = tn_planner_create(&p, NULL);
        assert_int_equal(tn_plan_create(&p, &plan, NULL), TN_OK);
        assert_int_equal(tn_planner_solve(planner, &p, &options, &plan, NULL), TN_OK);
        assert_in_range(plan.nodes, 0, BUDGET);
        none += plan.status == TN_PLAN_INFEASIBLE;
        unsaid += plan.status == TN_PLAN_INFEASIBLE && plan.conflict == TN_PLAN_SET_NONE;
        tn_plan_destroy(&plan);
        tn_planner_destroy(planner);
        tn_plan_problem_destroy(&p);
    }
    print_message("%d without a plan, of %d what is at odds stays unsaid\n", none, unsaid);
    assert_true(none > 10 && unsaid > 0 && unsaid < none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_conflicts), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
