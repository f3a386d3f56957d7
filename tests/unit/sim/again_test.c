// How often a step is solved: the caps of each reason, all loops together at their worst, and what a step reports.
#include "scenario.h"

// Asked again and again, each reason is given so many times (docs/solvers.md).
static void test_caps(void **state)
{
    const int caps[TN_AGAIN_REASONS] = {
        [TN_AGAIN_FINER] = 4, [TN_AGAIN_SQUEEZED] = 3, [TN_AGAIN_SPRINGS] = 19, [TN_AGAIN_JOINTS] = 15,
        [TN_AGAIN_ARCS] = 3,  [TN_AGAIN_BOUNCES] = 3,  [TN_AGAIN_PAIRS] = 3,    [TN_AGAIN_NEWTON] = 100};
    for (int reason = 0; reason < TN_AGAIN_REASONS; reason++) {
        tn_again again = {.solves = 1};
        int n = 0;
        while (n < 100 && tn_again_may(&again, (tn_again_reason)reason)) {
            n++;
        }
        assert_int_equal(n, caps[reason]);
    }
}

// An outer loop goes through its inner ones anew, an inner one leaves the outer ones where they are.
static void test_nesting(void **state)
{
    tn_again again = {.solves = 1};
    for (int k = 0; k < 3; k++) {
        assert_true(tn_again_may(&again, TN_AGAIN_SQUEEZED));
        assert_true(tn_again_may(&again, TN_AGAIN_FINER));
    }
    assert_false(tn_again_may(&again, TN_AGAIN_SQUEEZED));
    assert_true(tn_again_may(&again, TN_AGAIN_SPRINGS));
    assert_true(tn_again_may(&again, TN_AGAIN_SQUEEZED));
}

static void solve(tn_again *again)
{
    do {
        again->solves++;
    } while (tn_again_may(again, TN_AGAIN_FINER));
}

static void solve_bent(tn_again *again)
{
    solve(again);
    while (tn_again_may(again, TN_AGAIN_SQUEEZED)) {
        solve(again);
    }
    while (tn_again_may(again, TN_AGAIN_SPRINGS)) {
        solve(again);
    }
}

// The loops of a step, none of which is ever content.
static void test_worst_case(void **state)
{
    tn_again again = {.solves = 0};
    do {
        do { // arcs are euler's, joints' rows midpoint's: never both
            bool more = true;
            for (solve_bent(&again); more; solve_bent(&again)) { // midpoint's last is at the step's start
                more = tn_again_may(&again, TN_AGAIN_JOINTS);
            }
        } while (tn_again_may(&again, TN_AGAIN_ARCS));
    } while (tn_again_may(&again, TN_AGAIN_PAIRS));
    while (tn_again_may(&again, TN_AGAIN_NEWTON)) {
        solve_bent(&again);
    }
    again.solves++; // the second solve of an impact, of Poisson's law or of overlaps that come out fast
    print_message("a step at its worst: %d solves (limit %d)\n", again.solves, TN_STEP_SOLVES);
    assert_in_range(again.solves, 200, TN_STEP_SOLVES);
}

// A box at rest is solved once; one that lands on Hertz' contact several times, one by one with the laws' tangents.
static void test_reported(void **state)
{
    const char scene[] = "bodies:\n"
                         "  floor: {fixed: true, shape: {plane: {}}}\n"
                         "  ball: {position: [0, 0, 0.1], shape: {sphere: 0.1}}\n"
                         "pairs: [{materials: [default, default], friction: 0.5%s}]\n";
    scenario hard = scenario_open(scene, ""), soft = scenario_open(scene, ", contact_modulus: 1e6, damping: 1");
    for (int k = 0; k < 5; k++) {
        scenario_step(&hard);
        scenario_step(&soft);
    }
    print_message("solves: %d of a hard ball, %d of a soft one with %d tangents\n", hard.report.solves,
                  soft.report.solves, soft.report.spring_solves);
    assert_int_equal(hard.report.solves, 1);
    assert_true(soft.report.spring_solves > 1);
    assert_in_range(soft.report.solves, soft.report.spring_solves, 10);
    scenario_close(&hard), scenario_close(&soft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_worst_case),
        cmocka_unit_test(test_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
