// Bodies held by hand: where they come to rest, and that no step length or shape makes the spring run away.
#include "scenario.h"

#include "tenon/grab.h"

#include "sim/sim.h"

#include <string.h>

static const double RATE = 12.566370614359172; // 2 pi 2 Hz, tenon/grab.h

static const char *const schemes[2] = {"euler", "midpoint"};

// A step with the hand's forces.
typedef struct hand {
    tn_grab grab;
    double wrench[6 * 8], node_force[3 * 512];
} hand;

static void step_held(scenario *s, hand *by)
{
    assert_true(tn_model_body_count(s->model) <= 8 && tn_model_node_total(s->model) <= 512);
    memset(by->wrench, 0, sizeof by->wrench);
    memset(by->node_force, 0, sizeof by->node_force);
    tn_grab_pull(&by->grab, s->state, by->wrench, by->node_force);
    tn_input input = {.wrench = by->wrench, .node_force = by->node_force};
    s->input = &input;
    scenario_step(s);
    s->input = NULL;
}

// Held at its centre a ball hangs g/w^2 below the hand, and the hand's force is the weight.
static void test_hangs(void **unused)
{
    for (int i = 0; i < 2; i++) {
        scenario s = scenario_open(
            "scheme: %s\nstep: 2 ms\nbodies: {ball: {position: [0, 0, 1], shape: {sphere: 0.1}}}\n", schemes[i]);
        int b = scenario_body(&s, "ball");
        hand by;
        assert_true(tn_grab_start(s.state, b, (double[3]){0.0, 0.0, 1.0}, &by.grab));
        by.grab.target[0] = 0.3;
        while (tn_state_time(s.state) < 3.0) { // exp(-w t) = 4e-17 of the way is left
            step_held(&s, &by);
        }
        check_near("height", scenario_position(&s, b, 2), 1.0 - GRAVITY / (RATE * RATE), 1e-12);
        check_near("pulled aside", scenario_position(&s, b, 0), 0.3, 1e-12);
        check_near("balance of the last step [J]", s.report.energy.balance, 0.0, 1e-12);
        double before = scenario_velocity(&s, b, 2);
        scenario_step(&s);
        check_near("let go it falls [m/s]", scenario_velocity(&s, b, 2) - before, -GRAVITY * 0.002, 1e-12);
        scenario_close(&s);
    }
}

// Drawn by its end, whatever the step: it comes to hang below the hand.
static void test_plank(void **unused)
{
    static const double steps[] = {0.001, 0.01, 0.05, 0.2};
    for (int i = 0; i < 8; i++) {
        scenario s =
            scenario_open("scheme: %s\nstep: %.17g\nbodies: {plank: {position: [0, 0, 1], angular_velocity: [2, 3, 4], "
                          "shape: {box: [1, 0.02, 0.1]}}}\n",
                          schemes[i % 2], steps[i / 2]);
        int b = scenario_body(&s, "plank");
        hand by;
        assert_true(tn_grab_start(s.state, b, (double[3]){0.5, 0.01, 1.05}, &by.grab));
        double fastest = 0.0;
        for (int n = 0; n < 2000; n++) {
            step_held(&s, &by);
            for (int k = 0; k < 3; k++) {
                fastest = fmax(fastest, fabs(scenario_velocity(&s, b, k)));
            }
        }
        // The bounds let it fall at m g/c = 2 g h m/m_p at most, m/m_p up to 10, or swing from where it sags to, 4 g
        // h^2 m/m_p deep. A spring that runs away knows no end in 2000 steps.
        print_message("%s, step %g: ", schemes[i % 2], steps[i / 2]);
        check_below("fastest ever [m/s]", fastest, 5.0 + 15.0 * GRAVITY * steps[i / 2]);
        scenario_close(&s);
    }
}

static void test_soft(void **unused)
{
    static const double steps[] = {0.001, 0.01, 0.05};
    for (int i = 0; i < 3; i++) {
        scenario s = scenario_open("step: %.17g\ngravity: [0, 0, 0]\nsoft: {mat: {grid: {size: [0.1, 0.1, 0.02], "
                                   "divisions: [6, 6, 2]}, young: 50 kPa, poisson: 0.3, density: 1000}}\n",
                                   steps[i]);
        int b = scenario_body(&s, "mat");
        hand by;
        assert_true(tn_grab_start(s.state, b, (double[3]){0.05, 0.05, 0.01}, &by.grab));
        assert_int_equal(by.grab.n, TN_GRAB_NODES);
        by.grab.target[2] = 0.5;
        for (int n = 0; n < (i ? 300 : 1500); n++) {
            step_held(&s, &by);
        }
        double at[3] = {0.0};
        for (int k = 0; k < by.grab.n; k++) {
            at[2] += s.state->x[3 * by.grab.node[k] + 2] / by.grab.n;
        }
        print_message("step %g: ", steps[i]);
        check_near("held nodes [m]", at[2], 0.5, 1e-2); // from 0.49 away; a free mat may still swing about them
        scenario_close(&s);
    }
}

static void test_refused(void **unused)
{
    scenario s = scenario_open("bodies: {floor: {fixed: true, shape: {plane: {}}}, door: {shape: {sphere: 0.1}, "
                               "motion: {position: [0, 0, 1]}}, ball: {position: [1, 0, 1], shape: {sphere: 0.1}}}\n");
    tn_grab grab;
    const double point[3] = {0.0, 0.0, 1.0};
    assert_false(tn_grab_start(s.state, -1, point, &grab));
    assert_false(tn_grab_start(s.state, 0, point, &grab));
    assert_false(tn_grab_start(s.state, scenario_body(&s, "floor"), point, &grab));
    assert_false(tn_grab_start(s.state, scenario_body(&s, "door"), point, &grab));
    assert_true(tn_grab_start(s.state, scenario_body(&s, "ball"), point, &grab));
    assert_false(tn_grab_start(s.state, tn_model_body_count(s.model), point, &grab));
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hangs), cmocka_unit_test(test_plank),
                                       cmocka_unit_test(test_soft), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
