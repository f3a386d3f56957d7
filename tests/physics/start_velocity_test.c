// Velocities at the start that joints do not allow: what they contradict, what is left of their energy, and the nearest
// that joints allow.
#include "scenario.h"

#include "tenon/check.h"

// A parallelogram of three equal bars of 1 m: one turns at 5 rad/s, the others stand. Its one motion turns both cranks
// and moves the coupler by their angle, so that the momentum I 5 rad/s of the crank (I about its pin) is what is left:
// rate = 5 I/(2 I + m), kinetic energy half of rate times that momentum.
#define LINKAGE                                                                                                        \
    "step: 5 ms\ngravity: [0, 0, 0]\nscheme: %s\ninitial: {velocities: %s}\n"                                          \
    "defaults: {joint: {type: revolute, axis: [0, 1, 0]}, body: {mass: 2, inertia: [0.2, 0.2, 0.01]}}\n"               \
    "bodies:\n"                                                                                                        \
    "  a: {position: [0, 0, 0.5], angular_velocity: [0, 5, 0], velocity: [2.5, 0, 0]}\n"                               \
    "  b: {position: [0.5, 0, 1]}\n  c: {position: [1, 0, 0.5]}\n"                                                     \
    "joints:\n  j0: {b: a, anchor: [0, 0, 0]}\n  j1: {a: a, b: b, anchor: [0, 0, 1]}\n"                                \
    "  j2: {a: b, b: c, anchor: [1, 0, 1]}\n  j3: {b: c, anchor: [1, 0, 0]}\n"

static const double I = 0.2 + 2.0 * 0.25, M = 2.0;

static void contradictions_are_found(void **unused)
{
    scenario s = scenario_open(LINKAGE, "euler", "given");
    tn_velocity_mismatch start;
    tn_error error = {0};
    if (tn_state_velocity_mismatch(s.state, &start, &error) != TN_OK) {
        scenario_fail("start", &error);
    }
    double rate = 5.0 * I / (2.0 * I + M);
    check_near("mismatch at the coupler's pin [m/s]", start.mismatch, 5.0, 1e-12);
    assert_string_equal(tn_model_joint_name(s.model, start.joint), "j1");
    check_near("kinetic energy as given [J]", start.kinetic, 0.5 * I * 25.0, 1e-12);
    check_near("kinetic energy that joints allow [J]", start.allowed, 0.5 * rate * I * 5.0,
               1e-5); // rows' yield 1e-6
    assert_true(start.matters);
    scenario_close(&s);
}

static void completed_velocities_keep_their_energy(void **unused)
{
    const char *schemes[2] = {"euler", "midpoint"};
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open(LINKAGE, schemes[k], "project");
        tn_error error = {0};
        if (tn_state_project_velocities(s.state, &error) != TN_OK) {
            scenario_fail("start", &error);
        }
        double rate = 5.0 * I / (2.0 * I + M), kinetic = 0.5 * rate * I * 5.0;
        int a = scenario_body(&s, "a"), b = scenario_body(&s, "b"), c = scenario_body(&s, "c");
        check_near("crank [rad/s]", scenario_spin(&s, a, 1), rate, 1e-5);
        check_near("other crank [rad/s]", scenario_spin(&s, c, 1), rate, 1e-5);
        check_near("coupler, spin [rad/s]", scenario_spin(&s, b, 1), 0.0, 1e-5);
        check_near("coupler, along [m/s]", scenario_velocity(&s, b, 0), rate, 1e-5);
        scenario_step(&s);
        // A step of 5 ms turns by 5 mrad: euler loses that part at most, midpoint its square.
        check_near("kinetic energy after a step [J]", s.report.energy.kinetic, kinetic, (k ? 1e-5 : 1e-3) * kinetic);
        scenario_close(&s);
    }
}

// What is not completed is lost in the first step: all but what joints allow.
static void given_velocities_lose_theirs(void **unused)
{
    scenario s = scenario_open(LINKAGE, "euler", "given");
    scenario_step(&s);
    double rate = 5.0 * I / (2.0 * I + M);
    check_near("kinetic energy after a step [J]", s.report.energy.kinetic, 0.5 * rate * I * 5.0, 1e-2);
    scenario_close(&s);
}

// Impacts are none: a hinge that runs into its limit, a body that falls on the floor; nor is a joint that a moving body
// drives, and bodies that have the velocity for it.
static void impacts_and_drives_contradict_nothing(void **unused)
{
    scenario s = scenario_open(
        "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
        "  ball: {position: [3, 0, 0.1], velocity: [0, 0, -5], shape: {sphere: 0.1}, density: 1000}\n"
        "  arm: {position: [0.5, 0, 1], angular_velocity: [0, 3, 0], velocity: [0, 0, -1.5], mass: 1, inertia: [1, 1, "
        "1]}\n"
        "  cart: {motion: {position: [\"2*t\", 5, 1]}}\n"
        "  bob: {position: [0, 5, 0.5], velocity: [2, 0, 0], mass: 1, inertia: [1, 1, 1]}\n"
        "joints:\n  hinge: {type: revolute, b: arm, anchor: [0, 0, 1], axis: [0, 1, 0], turn: {limits: [-1, 0]}}\n"
        "  pivot: {type: spherical, a: cart, b: bob, anchor: [0, 5, 1]}\n");
    tn_velocity_mismatch start;
    tn_error error = {0};
    if (tn_state_velocity_mismatch(s.state, &start, &error) != TN_OK) {
        scenario_fail("start", &error);
    }
    check_below("mismatch [m/s]", start.mismatch, 1e-9); // of a derivative of the prescribed motion
    assert_false(start.matters);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contradictions_are_found),
        cmocka_unit_test(completed_velocities_keep_their_energy),
        cmocka_unit_test(given_velocities_lose_theirs),
        cmocka_unit_test(impacts_and_drives_contradict_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
