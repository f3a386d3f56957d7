// Prescribed jumps: named with distance and time; what is recorded of the mover is what contacts saw; teleported bodies
// have no velocity.
#include "scenario.h"

#include <string.h>

// A block that jumps by (3, 0, 4) m at 50 ms, a box that stands where it passes, another one that it carries.
static scenario passage(const char *teleport)
{
    return scenario_open(
        "bodies:\n"
        "  floor: {fixed: true, shape: {plane: {}}}\n"
        "  mover: {shape: {box: [0.5, 0.5, 0.5]}, motion: {teleport: %s, axis: [0, 0, 1],\n"
        "    position: ['3*step(t - 0.05) - 2 + 0.2*t', 0, '0.25 + 4*step(t - 0.05)'], angle: 'step(t - 0.07)'}}\n"
        "  post: {position: [-1, 0, 1.5], shape: {box: [0.2, 0.2, 3]}}\n"
        "  rider: {position: [-2, 0, 0.55], shape: {box: [0.1, 0.1, 0.1]}}\n",
        teleport);
}

static double speed(const scenario *s, const char *name)
{
    double v[3], w[3];
    tn_state_body_velocity(s->state, scenario_body(s, name), v, w);
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void test_a_jump_is_named(void **state)
{
    scenario s = passage("false");
    for (int k = 1; k <= 10; k++) {
        scenario_step(&s);
        const tn_step_jump *jump = &s.report.jump;
        assert_int_equal(jump->n, k == 5 || k == 7);
        double x[3], w[3];
        tn_state_body_velocity(s.state, scenario_body(&s, "mover"), x, w);
        if (k == 5) {
            print_message("%s '%s' jumps by %.6g m at %.6g s, moves at (%g, %g, %g) m/s\n", jump->owner, jump->name,
                          jump->distance, jump->time, x[0], x[1], x[2]);
            assert_string_equal(jump->owner, "body");
            assert_string_equal(jump->name, "mover");
            assert_true(!jump->turns && fabs(jump->distance - 5.0) < 1e-9 && fabs(jump->time - 0.05) < 1e-7);
        } else if (k == 7) {
            assert_true(jump->turns && fabs(jump->distance - 1.0) < 1e-9 && fabs(jump->time - 0.07) < 1e-7);
        }
        // What contacts see: the mean over the step.
        check_near("velocity along x [m/s]", x[0], k == 5 ? 300.2 : 0.2, 1e-9);
        check_near("velocity along z [m/s]", x[2], k == 5 ? 400.0 : 0.0, 1e-9);
        check_near("spin [rad/s]", w[2], k == 7 ? 100.0 : 0.0, 1e-9);
    }
    print_message("the rider leaves at %g m/s\n", speed(&s, "rider"));
    assert_true(speed(&s, "rider") > 100.0); // it is swept along
    scenario_close(&s);
}

static void test_a_teleported_body_has_no_velocity(void **state)
{
    scenario s = passage("true");
    for (int k = 1; k <= 10; k++) {
        scenario_step(&s);
        assert_int_equal(s.report.jump.n, 0); // meant, so not a word
        double x[3], w[3];
        tn_state_body_velocity(s.state, scenario_body(&s, "mover"), x, w);
        check_near("velocity along x [m/s]", x[0], 0.2, 1e-9);
        check_below("other velocities", fabs(x[2]) + fabs(w[2]), 1e-9);
        check_near("place [m]", scenario_position(&s, scenario_body(&s, "mover"), 0), (k >= 5 ? 1.0 : -2.0) + 0.002 * k,
                   1e-12);
        check_below("speed of the post [m/s]", speed(&s, "post"), 1e-6);
        // It falls from where the mover left it.
        check_below("speed of the rider [m/s]", speed(&s, "rider"), 0.2 + GRAVITY * 0.01 * fmax(0.0, k - 4.0) + 1e-6);
    }
    scenario_close(&s);
}

// A motor that gives all it takes moves its body so, too; one of limited strength does what it can.
static void test_motors(void **state)
{
    static const char *const strengths[2] = {"infinite", "5"};
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open("gravity: [0, 0, 0]\nbodies: {wheel: {shape: {sphere: 0.1}}}\n"
                                   "joints: {shaft: {type: revolute, b: wheel, axis: [0, 0, 1],\n"
                                   "  turn: {motor: {position: '0.5*step(t - 0.033)', strength: %s}}}}\n",
                                   strengths[k]);
        for (int n = 1; n <= 6; n++) {
            scenario_step(&s);
            const tn_step_jump *jump = &s.report.jump;
            assert_int_equal(jump->n, k == 0 && n == 4);
            if (jump->n) {
                print_message("%s '%s': %g at %g s\n", jump->owner, jump->name, jump->distance, jump->time);
                assert_string_equal(jump->owner, "joint");
                assert_string_equal(jump->name, "shaft");
                assert_true(jump->turns && fabs(jump->distance - 0.5) < 1e-9 && fabs(jump->time - 0.033) < 1e-7);
            }
        }
        scenario_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_jump_is_named),
        cmocka_unit_test(test_a_teleported_body_has_no_velocity),
        cmocka_unit_test(test_motors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
