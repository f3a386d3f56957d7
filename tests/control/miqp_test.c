// Branch and bound against all modes one by one: costs, plans, and that a problem without a plan is known as one.
#include "control_solve.h"
#include "test.h"

static tn_error e;

// Largest difference of the cost, relative; both without a plan: 0.
static double compare(const tn_plan_problem *problem, int *n_infeasible)
{
    tn_plan a = control_solve_by(problem, TN_PLAN_MIQP), b = control_solve_by(problem, TN_PLAN_ENUMERATE);
    assert_int_equal(a.status, b.status);
    double off = 0.0;
    if (a.status == TN_PLAN_OPTIMAL) {
        off = fabs(a.cost - b.cost) / (1.0 + fabs(b.cost));
        assert_true(a.residual < 1e-8);
        assert_true(a.bound <= a.cost && a.gap <= 1e-9);
    } else {
        ++*n_infeasible;
    }
    tn_plan_destroy(&a), tn_plan_destroy(&b);
    return off;
}

static void test_document(void **unused)
{
    for (int N = 2; N <= 5; N++) {
        for (int side = -1; side <= 1; side += 2) {
            int none = 0;
            tn_plan_problem p = control_three_coordinates(N, 0.3 * side);
            const double off = compare(&p, &none);
            print_message("N = %d, side %d: %.1e of 1e-8\n", N, side, off);
            assert_true(off < 1e-8 && none == 0);
            tn_plan_problem_destroy(&p);
        }
    }
}

static void test_random(void **unused)
{
    double worst = 0.0;
    int none = 0;
    for (int seed = 0; seed < 300; seed++) {
        tn_plan_problem p = control_random((uint64_t)seed, 3, 1 + seed % 2, 1 + seed % 3, 2 + seed % 2, 0.8 + seed % 4);
        worst = fmax(worst, compare(&p, &none));
        tn_plan_problem_destroy(&p);
    }
    print_message("300 problems, %d of them without a plan: costs differ by %.1e of 1e-8\n", none, worst);
    assert_true(worst < 1e-8);
    assert_true(none > 20 && none < 250);
}

// Where inputs are fixed all forces are given, and the sets of plans are points: to rounding rows contradict one
// another, which is no proof that there is no plan. (Then there may be none found.)
static void test_fixed_inputs(void **unused)
{
    int plans = 0, found = 0;
    double worst = 0.0;
    for (int seed = 0; seed < 600; seed++) {
        tn_plan_problem p = control_random((uint64_t)seed, 1 + seed % 3, 1, 1 + seed % 2, 3, 2.0);
        p.U.low[0] = p.U.high[0] = 0.0;
        tn_plan a = control_solve_by(&p, TN_PLAN_MIQP), b = control_solve_by(&p, TN_PLAN_ENUMERATE);
        if (b.status == TN_PLAN_OPTIMAL) {
            plans++;
            assert_int_not_equal(a.status, TN_PLAN_INFEASIBLE);
        }
        if (a.status == TN_PLAN_OPTIMAL) {
            worst = fmax(worst, fabs(a.cost - b.cost) / (1.0 + fabs(b.cost)));
        }
        found += a.cost < INFINITY;
        tn_plan_destroy(&a), tn_plan_destroy(&b), tn_plan_problem_destroy(&p);
    }
    print_message("%d of %d plans found, costs differ by %.1e of 1e-6\n", found, plans, worst);
    assert_true(plans > 200 && found > plans / 2 && worst < 1e-6);
}

// Plans of every mode and of several costs stay within the bounds that a big-M form would take.
static void test_bounds(void **unused)
{
    double nearest = INFINITY;
    int finite = 0, plans = 0;
    for (int seed = 0; seed < 400; seed++) {
        tn_plan_problem p = control_random((uint64_t)(1000 + seed), 3, 1, 2, 2, 1.0 + seed % 3);
        for (int i = 0; i < 9; i++) {
            p.x_ref[i] *= 30.0; // towards the border of X
        }
        p.R[0] = 1e-3;
        tn_planner *planner = tn_planner_create(&p, &e);
        double c_high[4], w_high[4];
        const tn_plan_bounds bounds = {.c_high = c_high, .w_high = w_high};
        bool feasible;
        assert_int_equal(tn_planner_bounds(planner, &p, &bounds, &feasible, &e), TN_OK);
        tn_plan plan = control_solve_by(&p, TN_PLAN_ENUMERATE);
        assert_true(feasible || plan.status == TN_PLAN_INFEASIBLE);
        for (int i = 0; i < 4 && plan.status == TN_PLAN_OPTIMAL; i++) {
            assert_true(plan.c[i] <= c_high[i] + 1e-9 && plan.w[i] <= w_high[i] + 1e-9);
            nearest = fmin(nearest, fmin(plan.c[i] > 0.1 ? c_high[i] - plan.c[i] : INFINITY, w_high[i] - plan.w[i]));
            finite += c_high[i] < INFINITY && w_high[i] < INFINITY;
            plans++;
        }
        tn_plan_destroy(&plan);
        tn_planner_destroy(planner);
        tn_plan_problem_destroy(&p);
    }
    print_message("%d pairs, %d with finite bounds, the nearest plan is %.1e off its bound\n", plans, finite, nearest);
    assert_true(finite == plans && nearest < 1e-3); // bounds that nothing comes near would show nothing
}

// A budget of nodes ends early with a bound that holds, and twice the same; the proof comes with more nodes.
static void test_budget(void **unused)
{
    const double x0[4] = {0.3, 0.1, 0.5, 0.0};
    tn_plan_problem p = control_cart_pole(10, x0);
    tn_plan whole = control_solve_by(&p, TN_PLAN_MIQP);
    assert_int_equal(whole.status, TN_PLAN_OPTIMAL);
    double last = -INFINITY;
    tn_plan_options options = tn_plan_options_default();
    for (options.node_budget = 1; options.node_budget < whole.nodes; options.node_budget *= 2) {
        tn_plan a = control_solve(&p, options), b = control_solve(&p, options);
        assert_int_equal(a.nodes, options.node_budget);
        assert_true(a.status == TN_PLAN_FEASIBLE || a.status == TN_PLAN_NONE);
        assert_true(a.bound <= whole.cost && a.bound >= last && a.cost >= whole.cost * (1.0 - 1e-9));
        assert_true(a.cost == b.cost && a.bound == b.bound && memcmp(a.x, b.x, 44 * sizeof *a.x) == 0);
        last = a.bound;
        tn_plan_destroy(&a), tn_plan_destroy(&b);
    }
    options.node_budget = whole.nodes;
    tn_plan again = control_solve(&p, options);
    assert_true(again.status == TN_PLAN_OPTIMAL && again.cost == whole.cost);
    tn_plan_destroy(&again), tn_plan_destroy(&whole);
    tn_plan_problem_destroy(&p);
}

// Whatever a time budget cuts short is what as many nodes give; it claims nothing that it did not prove.
static void test_time(void **unused)
{
    const double x0[4] = {0.3, 0.1, 0.5, 0.0};
    tn_plan_problem p = control_cart_pole(20, x0);
    for (double budget = 1e-9; budget < 5e-3; budget *= 1.5) {
        tn_plan_options by_time = tn_plan_options_default(), by_nodes = by_time;
        by_time.time_budget = budget;
        tn_plan a = control_solve(&p, by_time);
        assert_true(a.status == TN_PLAN_NONE || a.status == TN_PLAN_FEASIBLE || a.status == TN_PLAN_OPTIMAL);
        assert_true(budget > 1e-8 || (a.status == TN_PLAN_NONE && a.nodes == 0));
        if (a.nodes > 0) {
            by_nodes.node_budget = a.nodes;
            tn_plan b = control_solve(&p, by_nodes);
            assert_true(a.status == b.status && a.cost == b.cost && a.bound == b.bound);
            tn_plan_destroy(&b);
        } else {
            assert_true(a.cost == INFINITY && a.bound == -INFINITY);
        }
        tn_plan_destroy(&a);
    }
    tn_plan_problem_destroy(&p);
}

static bool stops(void *left)
{
    return --*(int *)left < 0;
}

// As by a time budget: cut short after so many questions, a search claims nothing that it did not prove.
static void test_stop(void **unused)
{
    const double x0[4] = {0.3, 0.1, 0.5, 0.0};
    tn_plan_problem p = control_cart_pole(20, x0);
    tn_plan whole = control_solve(&p, tn_plan_options_default());
    for (int questions = 0, ended = 0; ended == 0; questions = 2 * questions + 1) {
        int left = questions;
        tn_plan_options o = tn_plan_options_default(), by_nodes = o;
        o.stop = stops;
        o.user = &left;
        tn_plan a = control_solve(&p, o);
        assert_true(questions > 0 || (a.status == TN_PLAN_NONE && a.nodes == 0));
        assert_true(left < 0 || a.status == TN_PLAN_OPTIMAL);
        assert_true(a.nodes <= whole.nodes && a.cost >= whole.cost * (1.0 - 1e-9) && a.bound <= whole.cost);
        by_nodes.node_budget = a.nodes;
        tn_plan b = a.nodes > 0 ? control_solve(&p, by_nodes) : (tn_plan){0};
        assert_true(a.nodes == 0 || (a.status == b.status && a.cost == b.cost && a.bound == b.bound));
        ended = left >= 0;
        tn_plan_destroy(&a), tn_plan_destroy(&b);
    }
    tn_plan_destroy(&whole);
    tn_plan_problem_destroy(&p);
}

// One planner for a moving start gives what a new one gives, and a warm start fewer nodes and the same cost.
static void test_warm_start(void **unused)
{
    const double x0[4] = {0.3, 0.1, 0.5, 0.0};
    tn_plan_problem p = control_cart_pole(10, x0);
    tn_planner *planner = tn_planner_create(&p, &e);
    tn_plan plan;
    assert_int_equal(tn_plan_create(&p, &plan, &e), TN_OK);
    tn_plan_options options = tn_plan_options_default();
    long cold = 0, warm = 0;
    for (int step = 0; step < 8; step++) {
        tn_plan fresh = control_solve(&p, options);
        options.warm_start = step > 0;
        assert_int_equal(tn_planner_solve(planner, &p, &options, &plan, &e), TN_OK);
        assert_true(fabs(plan.cost - fresh.cost) <= 2e-9 * (1.0 + fresh.cost));
        cold += fresh.nodes, warm += plan.nodes;
        options.warm_start = false;
        memcpy(p.x0, plan.x + 4, 4 * sizeof *p.x0);
        tn_plan_destroy(&fresh);
    }
    print_message("%ld nodes cold, %ld warm\n", cold, warm);
    assert_true(warm < cold);
    tn_plan_destroy(&plan);
    tn_planner_destroy(planner);
    tn_plan_problem_destroy(&p);
}

// What motions under random inputs add within one node: plans that are feasible, never better than the optimum, often
// better than without them.
static void test_motions(void **unused)
{
    int better = 0, worse = 0, none = 0;
    for (int seed = 0; seed < 60; seed++) {
        tn_plan_problem p = control_random((uint64_t)seed, 3, 2, 3, 3, 4.0);
        tn_plan_options o = tn_plan_options_default();
        tn_plan best = control_solve_by(&p, TN_PLAN_MIQP);
        o.node_budget = 1;
        tn_plan without = control_solve(&p, o);
        o.motions = 40;
        tn_plan with = control_solve(&p, o);
        if (with.cost < INFINITY) {
            assert_true(with.residual < 1e-8);
            assert_true(with.cost >= best.cost - 1e-8 * (1.0 + best.cost));
            better += with.cost < without.cost - 1e-6;
            worse += with.cost > without.cost + 1e-6;
        } else {
            none += best.status == TN_PLAN_OPTIMAL;
        }
        tn_plan_destroy(&best), tn_plan_destroy(&without), tn_plan_destroy(&with);
        tn_plan_problem_destroy(&p);
    }
    print_message("40 motions: of 60 plans %d better, %d worse, %d not found\n", better, worse, none);
    assert_true(better > 10 && better > 3 * worse && none < 5);
    tn_plan_problem p = control_random(1, 3, 2, 3, 3, 4.0);
    tn_plan_options o = tn_plan_options_default();
    o.motions = -1;
    tn_planner *planner = tn_planner_create(&p, &e);
    tn_plan plan;
    assert_int_equal(tn_plan_create(&p, &plan, &e), TN_OK);
    assert_int_equal(tn_planner_solve(planner, &p, &o, &plan, &e), TN_BAD_INPUT);
    tn_planner_destroy(planner);
    tn_plan_destroy(&plan);
    tn_plan_problem_destroy(&p);
}

static void assert_same(const tn_plan *a, const tn_plan *b)
{
    const size_t N = (size_t)a->horizon;
    assert_true(a->status == b->status && a->cost == b->cost && a->bound == b->bound && a->nodes == b->nodes);
    assert_true(a->cost == INFINITY || memcmp(a->u, b->u, N * (size_t)a->n_u * sizeof *a->u) == 0);
}

// Several threads find what one finds; the same number of them, and of nodes, gives the same bits.
static void test_threads(void **unused)
{
    long nodes = 0, by_one = 0;
    for (int seed = 0; seed < 60; seed++) {
        tn_plan_problem p = control_random((uint64_t)seed, 3, 1 + seed % 2, 1 + seed % 3, 5 + seed % 2, 0.8 + seed % 4);
        tn_plan one = control_solve_by(&p, TN_PLAN_MIQP);
        by_one += one.nodes;
        for (int n = 2; n <= 5; n += 3) {
            tn_plan_options o = tn_plan_options_default();
            o.n_threads = n;
            tn_plan a = control_solve(&p, o), b = control_solve(&p, o);
            assert_same(&a, &b);
            assert_true(a.status == one.status);
            assert_true(a.cost == one.cost || fabs(a.cost - one.cost) < 1e-8 * (1.0 + fabs(one.cost)));
            nodes += n == 2 ? a.nodes : 0;
            tn_plan_destroy(&a), tn_plan_destroy(&b);
        }
        tn_plan_destroy(&one);
        tn_plan_problem_destroy(&p);
    }
    print_message("nodes: %ld by one thread, %ld by two\n", by_one, nodes);
    assert_true(nodes > by_one); // else there were never two at once
}

// Where a clock has ended a run of two threads, as many nodes give the same: what a round that it cut short has found
// does not count.
static void test_threads_and_time(void **unused)
{
    static const double spread[4] = {0.3, 0.15, 0.7, 0.7};
    int ended = 0;
    for (uint64_t start = 0; start < 15; start++) {
        double x0[4];
        int at = 0;
        for (int j = 0; j < 4; j++) {
            x0[j] = spread[j] * control_normal(15000 + start, &at);
        }
        tn_plan_problem p = control_cart_pole(20, x0);
        for (double budget = 4e-4; budget < 1.2e-2; budget *= 1.15) {
            tn_plan_options o = tn_plan_options_default();
            o.n_threads = 2;
            o.time_budget = budget;
            tn_plan a = control_solve(&p, o);
            o.time_budget = 0.0;
            o.node_budget = a.nodes;
            if (a.nodes > 0) {
                tn_plan b = control_solve(&p, o);
                assert_same(&a, &b);
                ended += a.status == TN_PLAN_FEASIBLE;
                tn_plan_destroy(&b);
            }
            tn_plan_destroy(&a);
        }
        tn_plan_problem_destroy(&p);
    }
    print_message("%d runs ended by the clock with a plan\n", ended);
}

// Motions are the same on any number of threads, and so is all that follows from them alone.
static void test_motions_on_threads(void **unused)
{
    const double x0[4] = {0.3, 0.1, 0.5, 0.0};
    tn_plan_problem p = control_cart_pole(20, x0);
    tn_plan_options o = tn_plan_options_default();
    o.method = TN_PLAN_ADMM;
    tn_plan without = control_solve(&p, o);
    o.motions = 60;
    tn_plan one = control_solve(&p, o);
    o.n_threads = 4;
    tn_plan four = control_solve(&p, o);
    assert_same(&one, &four);
    assert_true(one.cost < INFINITY && one.iterations > without.iterations); // there were some
    tn_plan_destroy(&without), tn_plan_destroy(&one), tn_plan_destroy(&four);
    tn_plan_problem_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_document),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_fixed_inputs),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_warm_start),
        cmocka_unit_test(test_motions),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_threads_and_time),
        cmocka_unit_test(test_motions_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
