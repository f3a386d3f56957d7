// Joint rolling, whose rows hold velocities and no places (nonholonomic): a ball on an incline, on a turntable, thrown
// with a spin; what it bears, loses and refuses.
#include "scenario.h"

#include <string.h>

// Down an incline at g sin(angle)/(1 + 2/5), the force up along it 2/7 of the weight's part.
static void test_incline(void **unused)
{
    static const char *const schemes[] = {"euler", "implicit", "pbd"};
    for (int k = 0; k < 3; k++) {
        double angle = 0.3, step = 1e-3;
        scenario s = scenario_open(
            "scheme: %s\nstep: %g\ngravity: [%.17g, 0, %.17g]\nbodies:\n  ball: {position: [0, 0, 0.1], shape: "
            "{sphere: 0.1, collides: false}}\njoints: {roll: {type: rolling, b: ball, axis: [0, 0, 1], radius: 0.1}}\n",
            schemes[k], step, GRAVITY * sin(angle), -GRAVITY * cos(angle));
        int ball = scenario_body(&s, "ball");
        scenario_run(&s, 1.0);
        double a = GRAVITY * sin(angle) / 1.4, m = tn_model_body_mass(s.model, ball);
        tn_joint_info roll;
        tn_sim_joint(s.sim, s.state, 0, &roll);
        print_message("%s: ", schemes[k]);
        check_near("speed [m/s]", scenario_velocity(&s, ball, 0), a, 1e-9);
        check_near("spin [rad/s]", scenario_spin(&s, ball, 1), a / 0.1, 1e-8);
        check_near("way [m]", scenario_position(&s, ball, 0), 0.5 * a, 0.51 * a * step);
        check_near("force up along it [N]", roll.force[0], -0.4 * m * a, 1e-8 * m);
        check_near("normal force [N]", roll.force[2], m * GRAVITY * cos(angle), 1e-8 * m);
        check_near("height [m]", scenario_position(&s, ball, 2), 0.1, 1e-9);
        scenario_close(&s);
    }
}

// On a table that turns at W a ball goes round at 2/7 W, about wherever its start says: with v across the radius r from
// there v = 2/7 W r. Error of the place after 7 s.
static double turntable(const char *scheme, double step)
{
    double W = 2.0, w = 2.0 * W / 7.0, r = 0.4, v = w * r;
    // It rolls: v - omega x (radius z) = W z x p, p the place on the table.
    double radius = 0.05, p = 0.7, slip = W * p - v;
    scenario s =
        scenario_open("scheme: %s\nstep: %.17g\nbodies:\n  table: {shape: {cylinder: {radius: 2, length: 0.1}, "
                      "collides: false}, motion: {axis: [0, 0, 1], angle: \"%g*t\"}}\n  ball: {position: [%g, 0, %g], "
                      "velocity: [0, %.17g, 0], angular_velocity: [%.17g, 0, 0], shape: {sphere: %g, collides: "
                      "false}}\njoints: {roll: {type: rolling, a: table, b: ball, axis: [0, 0, 1], radius: %g}}\n",
                      scheme, step, W, p, radius, v, slip / radius, radius, radius);
    int ball = scenario_body(&s, "ball");
    scenario_run(&s, 7.0);
    double t = 7.0, x = p - r + r * cos(w * t), y = r * sin(w * t);
    double off = hypot(scenario_position(&s, ball, 0) - x, scenario_position(&s, ball, 1) - y);
    scenario_close(&s);
    return off;
}

static void test_turntable(void **unused)
{
    static const char *const schemes[] = {"euler", "pbd"};
    for (int k = 0; k < 2; k++) {
        double coarse = turntable(schemes[k], 10e-3), fine = turntable(schemes[k], 5e-3);
        print_message("%s: ", schemes[k]);
        check_below("off after 7 s [m]", fine, 0.02);
        check_near("order", log2(coarse / fine), 1.0, 0.2);
    }
}

// Nothing else acts: a ball that starts with its spin goes on, and what a start that slips has of energy goes at once.
static void test_energy(void **unused)
{
    scenario s = scenario_open("step: 5 ms\nbodies:\n  ball: {position: [0, 0, 0.1], velocity: [1, 0.5, 0], "
                               "angular_velocity: [0, 0, 3], shape: {sphere: 0.1, collides: false}}\njoints: {roll: "
                               "{type: rolling, b: ball, axis: [0, 0, 1], radius: 0.1}}\n");
    int ball = scenario_body(&s, "ball");
    scenario_step(&s);
    check_near("speed [m/s]", scenario_velocity(&s, ball, 0), 5.0 / 7.0, 1e-9);
    double kinetic = s.report.energy.kinetic;
    scenario_run(&s, 5.0);
    check_near("kinetic energy", s.report.energy.kinetic / kinetic, 1.0, 1e-9);
    check_near("spin about the normal [rad/s]", scenario_spin(&s, ball, 2), 3.0, 1e-9);
    check_near("way [m]", scenario_position(&s, ball, 1), 5.0 * 2.5 / 7.0, 1e-6);
    check_below("joint figure", s.report.solve.certificate.joint, 1e-8);
    scenario_close(&s);
}

static void test_refusal(void **unused)
{
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse("scheme: midpoint\nbodies: {ball: {shape: {sphere: 1}}}\njoints: {roll: {type: "
                                     "rolling, b: ball, axis: [0, 0, 1], radius: 1}}\n",
                                     "test", 0, NULL, &error);
    assert_null(scene);
    assert_non_null(strstr(error.message, "rolling joints need"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_incline), cmocka_unit_test(test_turntable),
                                       cmocka_unit_test(test_energy), cmocka_unit_test(test_refusal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
