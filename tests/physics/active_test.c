// Closed or open, within or at a bound: decided the same whatever solver left the forces, and whatever it left of them
// on rows that are at their bounds (law/active.h).
#include "scenario.h"

#include "problem/active.h"

// ---- the rule

static void test_rule(void **unused)
{
    const double mass = 4.0;
    // What an interior point leaves on a contact that parts with 0.1 m/s, and on one that presses with 3 N.
    assert_false(tn_active_closed(mass, 1e-8, 0.1));
    assert_true(tn_active_closed(mass, 3.0, 1e-9));
    // No force yet and coming nearer; neither force nor velocity.
    assert_true(tn_active_closed(mass, 0.0, -0.1));
    assert_false(tn_active_closed(mass, 0.0, 0.0));
    // Own scale: the same force and velocity press on a heavy row less than on a light one.
    assert_true(tn_active_closed(1e-3, 1e-2, 1.0));
    assert_false(tn_active_closed(1e3, 1e-2, 1.0));

    assert_int_equal(tn_active_bound(mass, 20.0 - 1e-7, -0.3, -20.0, 20.0), TN_ACTIVE_HIGH);
    assert_int_equal(tn_active_bound(mass, 20.0, -0.3, -20.0, 20.0), TN_ACTIVE_HIGH);
    assert_int_equal(tn_active_bound(mass, -20.0 + 1e-7, 0.3, -20.0, 20.0), TN_ACTIVE_LOW);
    assert_int_equal(tn_active_bound(mass, 19.0, -1e-9, -20.0, 20.0), TN_ACTIVE_INSIDE);
    assert_int_equal(tn_active_bound(mass, 1e-9, 2.0, 0.0, INFINITY), TN_ACTIVE_LOW);
    assert_int_equal(tn_active_bound(mass, -5.0, 1e-9, -INFINITY, INFINITY), TN_ACTIVE_INSIDE);
}

// ---- midpoint: a body lands on the floor, not above it

// A ball of radius 0.1 m falls from 0.3 m; somewhere else a pendulum makes auto take an interior point. Returns the
// least height of its lowest point [m].
static double least_height(const char *solver, const char *other, double margin)
{
    scenario s = scenario_open("scheme: midpoint\nstep: 1 ms\nmargin: %g m\nsolver: {name: %s}\n"
                               "materials: {default: {friction: 0.3}}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  ball: {position: [0, 0, 0.2], shape: {sphere: 0.1}}\n"
                               "  bob: {position: [2, 0, 5], shape: {sphere: 0.1}}\n%s",
                               margin, solver, other);
    int ball = scenario_body(&s, "ball");
    double least = 1.0;
    for (int k = 0; k < 250; k++) {
        scenario_step(&s);
        least = fmin(least, scenario_position(&s, ball, 2) - 0.1);
    }
    double height = scenario_position(&s, ball, 2) - 0.1, speed = scenario_velocity(&s, ball, 2);
    print_message("%s: least height %.3g m; at the end %.3g m at %.3g m/s\n", solver, least, height, speed);
    check_below("it lies there [m/s]", fabs(speed), 1e-6);
    check_below("on the floor [m]", fabs(height), 1e-6);
    scenario_close(&s);
    return least;
}

static void test_lands_on_the_floor(void **unused)
{
    static const char *const solvers[] = {"auto", "ipm", "newton", "pgs"};
    const char *pendulum = "joints:\n  pin: {type: revolute, b: bob, anchor: [1, 0, 5], axis: [0, 1, 0]}\n";
    for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
        // A step above the floor it is stopped within the touch of 1e-4 margins, 1 um, at most.
        check_below("reached [m]", fabs(least_height(solvers[k], pendulum, 0.01)), 1e-6);
        least_height(solvers[k], pendulum, 0.05);
    }
    least_height("auto", "", 0.01);
}

// A limit of a joint with midpoint: a slide that falls 0.1 m onto its stop, 5 cm ahead of which the row is known.
static void test_lands_on_a_stop(void **unused)
{
    static const char *const solvers[] = {"auto", "ipm", "newton", "pgs"};
    for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
        scenario s = scenario_open("scheme: midpoint\nstep: 1 ms\nsolver: {name: %s}\n"
                                   "bodies:\n"
                                   "  floor: {fixed: true, shape: {plane: {}}}\n"
                                   "  ball: {position: [3, 0, 0.1], shape: {sphere: 0.1}}\n"
                                   "  bob: {position: [0, 0, 2], shape: {sphere: 0.1}}\n"
                                   "joints:\n"
                                   "  rail: {type: prismatic, b: bob, axis: [0, 0, 1], slide: {limits: [-0.1, 1]}}\n",
                                   solvers[k]);
        double q[3], rate[3], least = 1.0;
        tn_joint_info info;
        // Touches after sqrt(2 0.1 / 9.81) = 143 ms; halfway it is 75 mm above the stop, and free.
        scenario_run(&s, 0.071);
        tn_sim_joint(s.sim, s.state, 0, &info);
        tn_state_joint(s.state, 0, q, rate);
        assert_int_equal(info.condition[0], TN_JOINT_FREE);
        check_below("free fall to 71 ms [m/s]", fabs(rate[0] + GRAVITY * 0.071), 1e-6);
        for (int i = 0; i < 130; i++) {
            scenario_step(&s);
            tn_state_joint(s.state, 0, q, rate);
            least = fmin(least, q[0]);
        }
        tn_sim_joint(s.sim, s.state, 0, &info);
        print_message("%s: lowest %.3g m below the stop, at rest %.3g m at %.3g m/s\n", solvers[k], -0.1 - least,
                      -0.1 - q[0], rate[0]);
        check_below("on the stop [m]", fabs(q[0] + 0.1), 1e-6);
        check_below("at rest [m/s]", fabs(rate[0]), 1e-6);
        assert_int_equal(info.condition[0], TN_JOINT_AT_LOW);
        scenario_close(&s);
    }
}

// ---- conditions of joints

// A slide with a motor of 20 N that wants 0.5 m/s and 1 kg: 20 N give 0.2 m/s a step of 10 ms, so that two steps
// saturate; at 0.2 m the box meets a wall and the motor presses with all it has.
static void test_motor_conditions(void **unused)
{
    static const char *const solvers[] = {"auto", "ipm", "newton", "pgs"};
    for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
        scenario s =
            scenario_open("gravity: [0, 0, 0]\nstep: 10 ms\nsolver: {name: %s}\n"
                          "bodies:\n"
                          "  wall: {fixed: true, position: [0.35, 0, 0], shape: {box: [0.1, 1, 1]}}\n"
                          "  a: {mass: 1, shape: {box: [0.2, 0.2, 0.2]}}\n"
                          "joints:\n"
                          "  j: {type: prismatic, b: a, axis: [1, 0, 0], slide: {limits: [0, 5], motor: {velocity: "
                          "0.5, strength: 20}}}\n",
                          solvers[k]);
        double most = 0.0;
        tn_joint_condition seen[4];
        static const int at[4] = {1, 2, 10, 60};
        for (int i = 1, n = 0; i <= 60; i++) {
            tn_joint_info info;
            scenario_step(&s);
            tn_sim_joint(s.sim, s.state, 0, &info);
            most = fmax(most, fabs(info.effort[0]));
            if (i == at[n]) {
                seen[n++] = info.condition[0];
            }
        }
        print_message("%s: steps 1, 2, 10, 60: conditions %d %d %d %d\n", solvers[k], seen[0], seen[1], seen[2],
                      seen[3]);
        assert_int_equal(seen[0], TN_JOINT_SATURATED);
        assert_int_equal(seen[1], TN_JOINT_SATURATED);
        assert_int_equal(seen[2], TN_JOINT_FREE);
        assert_int_equal(seen[3], TN_JOINT_SATURATED);
        check_below("largest effort over the strength, less one", most / 20.0 - 1.0, 1e-12);
        scenario_close(&s);
    }
}

// Friction of 2 N holds 1 N and slips under 3 N; a limit presses.
static void test_friction_conditions(void **unused)
{
    static const char *const solvers[] = {"auto", "ipm", "newton", "pgs"};
    static const double pull[3] = {1.0, 3.0, -3.0}, low[3] = {-1.0, -1.0, 0.0};
    static const tn_joint_condition expected[3] = {TN_JOINT_STUCK, TN_JOINT_FREE, TN_JOINT_AT_LOW};
    for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
        for (int i = 0; i < 3; i++) {
            scenario s = scenario_open("gravity: [%g, 0, 0]\nstep: 10 ms\nsolver: {name: %s}\n"
                                       "bodies:\n"
                                       "  floor: {fixed: true, position: [9, 0, 0], shape: {plane: {}}}\n"
                                       "  other: {position: [9, 0, 0.1], mass: 1, shape: {sphere: 0.1}}\n"
                                       "  a: {mass: 1, shape: {box: [0.2, 0.2, 0.2]}, position: [0, 0, 1]}\n"
                                       "joints:\n"
                                       "  j: {type: prismatic, b: a, axis: [1, 0, 0], slide: {limits: [%g, 5], "
                                       "friction: 2}}\n",
                                       pull[i], solvers[k], low[i]);
            scenario_step(&s);
            tn_joint_info info;
            tn_sim_joint(s.sim, s.state, 0, &info);
            print_message("%s, %g N: condition %d, effort %.10g N\n", solvers[k], pull[i], info.condition[0],
                          info.effort[0]);
            assert_int_equal(info.condition[0], expected[i]);
            scenario_close(&s);
        }
    }
}

// A comb of 30 slides on one sled that lies on the floor, 210 rows of joints in one island, too many to be polished:
// half of the motors give all they have. No effort goes beyond its bound, and free limits bear nothing.
static void test_many_rows(void **unused)
{
    enum { TEETH = 30 };
    char text[16384];
    int used = 0;
    for (int i = 0; i < TEETH; i++) {
        used += snprintf(
            text + used, sizeof text - (size_t)used,
            "  t%d: {position: [%g, 0, 1], mass: 0.1, shape: {box: {size: [0.05, 0.05, 0.05]}, collides: false}}\n", i,
            0.1 * i);
    }
    used += snprintf(text + used, sizeof text - (size_t)used, "joints:\n");
    for (int i = 0; i < TEETH; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  j%d: {type: prismatic, a: sled, b: t%d, axis: [1, 0, 0], slide: {limits: [0, 1], motor: "
                         "{velocity: %g, strength: %g}}}\n",
                         i, i, i % 2 ? 0.5 : 0.01, i % 2 ? 0.5 : 5.0);
    }
    scenario s = scenario_open("step: 10 ms\nmaterials: {default: {friction: 0.8}}\nbodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  sled: {position: [1.5, 0, 0.05], mass: 50, shape: {box: [3, 1, 0.1]}}\n%s",
                               text);
    double most = 0.0;
    int saturated = 0;
    for (int k = 0; k < 5; k++) {
        scenario_step(&s);
        for (int i = 0; i < TEETH; i++) {
            tn_joint_info info;
            tn_sim_joint(s.sim, s.state, i, &info);
            double strength = i % 2 ? 0.5 : 5.0;
            most = fmax(most, fabs(info.effort[0]) / strength - 1.0);
            saturated += info.condition[0] == TN_JOINT_SATURATED;
            assert_true(info.condition[0] == TN_JOINT_SATURATED || info.condition[0] == TN_JOINT_FREE);
        }
    }
    print_message("solver %s, saturated %d\n", s.report.solve.solver, saturated);
    assert_string_equal(s.report.solve.solver, "dense");
    // 0.1 kg to 0.5 m/s takes 50 ms to 0.5 N and a step more or less.
    assert_in_range(saturated, 15 * 5, 15 * 5 + 15);
    check_below("largest effort over the strength, less one", most, 1e-12);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_lands_on_the_floor),
        cmocka_unit_test(test_lands_on_a_stop),
        cmocka_unit_test(test_motor_conditions),
        cmocka_unit_test(test_friction_conditions),
        cmocka_unit_test(test_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
