// Rigid joints that contradict one another are named, and only those: all others hold.
#include "scenario.h"

#include <string.h>

// Two motors of endless strength turn one wheel at 1 rad/s, from 50 ms on one of them at 2 rad/s: least squares gives
// 1.5 rad/s, and each gives way by half.
static void test_contradiction(void **state)
{
    static const char *const solvers[] = {"auto", "ipm", "newton"};
    for (int k = 0; k < 3; k++) {
        scenario s = scenario_open(
            "solver: %s\nbodies: {wheel: {shape: {sphere: 0.1}}, far: {position: [3, 0, 0], shape: {sphere: 0.1}}}\n"
            "joints:\n"
            "  spare: {type: weld, b: far}\n"
            "  one: {type: revolute, b: wheel, axis: [0, 0, 1], turn: {motor: {velocity: 1}}}\n"
            "  two: {type: revolute, b: wheel, axis: [0, 0, 1], turn: {motor: {velocity: '1 + step(t - 0.05)'}}}\n",
            solvers[k]);
        for (int n = 1; n <= 10; n++) {
            scenario_step(&s);
            bool clash = n > 5;
            assert_int_equal(s.report.joint_yielding >= 0, clash);
            assert_int_equal(s.report.joints_contradict, clash);
            if (clash) {
                assert_true(s.report.joint_yielding == 1 || s.report.joint_yielding == 2);
                check_near("gives way by [rad/s]", s.report.joint_yield, 0.5, 1e-3);
                check_near("turns at [rad/s]", scenario_spin(&s, scenario_body(&s, "wheel"), 2), 1.5, 1e-3);
            }
        }
        scenario_close(&s);
    }
}

// A motor of endless strength stops at its joint's limit, and goes on when its target comes back. It threw the arm
// about from there, at 1e87 rad/s after 1.8 s, since both could not be kept.
static void test_motor_at_limit(void **state)
{
    static const char *const coordinates[] = {"maximal", "reduced"}, *const motors[] = {"position: '1 - cos(2*t)'",
                                                                                        "velocity: '2*sin(2*t)'"};
    for (int k = 0; k < 4; k++) {
        scenario s =
            scenario_open("coordinates: %s\nbodies: {arm: {position: [0.5, 0, 0], shape: {box: [1, 0.1, 0.1]}}}\n"
                          "joints:\n  one: {type: revolute, b: arm, anchor: [0, 0, 0], axis: [0, 1, 0],\n"
                          "    turn: {limits: [-0.2, 0.5], motor: {%s}}}\n",
                          coordinates[k % 2], motors[k / 2]);
        double turn[3], rate[3];
        scenario_run(&s, 1.5);
        tn_state_joint(s.state, 0, turn, rate);
        check_near("stands at the limit [rad]", turn[0], 0.5, 1e-9);
        check_near("at rest [rad/s]", rate[0], 0.0, 1e-9);
        assert_int_equal(s.report.joint_yielding, -1);
        scenario_run(&s, 3.0);
        tn_state_joint(s.state, 0, turn, rate);
        check_near("comes back [rad]", turn[0], k < 2 ? 1.0 - cos(6.0) : -0.2, 0.01);
        assert_int_equal(s.report.joint_yielding, -1);
        scenario_close(&s);
    }
}

// The same on a floor, by a solver that takes joint rows for stiff dampers: it gives them up after five rounds that
// change nothing (27 iterations; after all sixty 78).
static void test_given_up(void **state)
{
    scenario s = scenario_open(
        "solver: ccs\n"
        "bodies: {floor: {fixed: true, shape: {plane: {}}}, wheel: {position: [0, 0, 0.1], shape: {sphere: 0.1}}}\n"
        "joints:\n"
        "  one: {type: revolute, b: wheel, axis: [0, 0, 1], turn: {motor: {velocity: 1}}}\n"
        "  two: {type: revolute, b: wheel, axis: [0, 0, 1], turn: {motor: {velocity: 2}}}\n");
    scenario_step(&s);
    assert_true(s.report.joints_contradict);
    check_below("iterations", s.report.solve.iterations, 40.0);
    check_near("turns at [rad/s]", scenario_spin(&s, scenario_body(&s, "wheel"), 2), 1.5, 1e-3);
    scenario_close(&s);
}

// A wheel of 40 kg that falls at the end of a welded arm of a cart of 1 t, a hub of some mass between them.
#define CART                                                                                                           \
    "bodies:\n"                                                                                                        \
    "  chassis: {position: [0, 0, 1], mass: 1000, shape: {box: [1, 1, 0.2]}}\n"                                        \
    "  hub: {position: [1, 0, 1], mass: %g, shape: {box: [0.1, 0.1, 0.1], collides: false}}\n"                         \
    "  wheel: {position: [1, 0.2, 1], velocity: [0, 0, -3], mass: 40, shape: {sphere: 0.3}}\n"                         \
    "joints:\n"                                                                                                        \
    "  arm: {type: weld, a: chassis, b: hub}\n"                                                                        \
    "  axle: {type: revolute, a: hub, b: wheel, axis: [0, 1, 0]}\n"

// No word: a motor at its strength against a wall, hubs much lighter than what they carry.
static void test_sane_loads(void **state)
{
    static const double hubs[] = {15.0, 0.01, 1e-5};
    for (int k = 0; k < 4; k++) {
        scenario s = k == 0 ? scenario_open("gravity: [0, 0, 0]\n"
                                            "bodies:\n"
                                            "  wall: {fixed: true, position: [0.35, 0, 0], shape: {box: [0.1, 1, 1]}}\n"
                                            "  ram: {mass: 1, shape: {box: [0.2, 0.2, 0.2]}}\n"
                                            "joints:\n"
                                            "  j: {type: prismatic, b: ram, axis: [1, 0, 0],\n"
                                            "    slide: {limits: [0, 5], motor: {velocity: 0.5, strength: 20}}}\n")
                            : scenario_open(CART, hubs[k - 1]);
        double most = 0.0;
        for (int n = 0; n < 60; n++) {
            scenario_step(&s);
            most = fmax(most, s.report.joint_yield);
            assert_int_equal(s.report.joint_yielding, -1);
        }
        check_below("rigid rows give way by [m/s, rad/s]", most, 1e-9);
        scenario_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_motor_at_limit),
        cmocka_unit_test(test_given_up),
        cmocka_unit_test(test_sane_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
