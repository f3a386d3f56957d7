// Screws: a nut on a spindle falls as fast as its inertia lets it, a motor holds it by m g p, slide and turn stay
// together over many turns, either hand.
#include "scenario.h"

#include "state/state.h"

static const char *const schemes[3] = {"euler", "implicit", "midpoint"};

// p: way a radian. Inertia of the nut about the axis: a cylinder of radius 3 cm, mass 2 kg.
static const double MASS = 2.0, INERTIA = 0.5 * 2.0 * 0.03 * 0.03;

static scenario nut(const char *scheme, double pitch, double step, const char *rest)
{
    return scenario_open(
        "scheme: %s\nstep: %.17g\n"
        "bodies:\n  nut: {mass: 2, position: [0.1, 0.2, 0.3], shape: {cylinder: {radius: 3 cm, length: 2 cm}}}\n"
        "joints: {spindle: {type: screw, b: nut, axis: [0, 0, 1], pitch: %.17g%s}}\n",
        scheme, step, pitch, rest);
}

// (m + I/p^2) z'' = -m g: the scheme's own closed form.
static void test_falls(void **unused)
{
    const double pitches[2] = {0.2, -0.05};
    for (int i = 0; i < 6; i++) {
        double h = 0.001, pitch = pitches[i / 3], p = pitch / (2.0 * PI);
        scenario s = nut(schemes[i % 3], pitch, h, "");
        double a = GRAVITY / (1.0 + INERTIA / (MASS * p * p));
        for (int n = 1; n <= 400; n++) {
            scenario_step(&s);
        }
        double n = 400.0, way = i % 3 == 2 ? 0.5 * a * n * h * n * h : 0.5 * a * h * h * n * (n + 1.0);
        double q[3], rate[3];
        tn_state_joint(s.state, 0, q, rate);
        print_message("%s, pitch %g, %.3g turns: ", schemes[i % 3], pitch, q[0] / (2.0 * PI));
        check_near("height [m]", scenario_position(&s, 1, 2) - 0.3, -way, 1e-9 * way);
        check_near("turn [rad]", q[0], -way / p, 1e-9 * way / fabs(p));
        check_near("speed [m/s]", scenario_velocity(&s, 1, 2), -a * n * h, 1e-9 * a * n * h);
        check_near("aside [m]", scenario_position(&s, 1, 0), 0.1, 1e-12);
        check_below("drift", s.report.solve.certificate.drift, 1e-9);
        scenario_close(&s);
    }
}

// Held by a motor: its torque is m g p, whatever the hand.
static void test_motor(void **unused)
{
    const double pitches[2] = {0.01, -0.01};
    for (int i = 0; i < 2; i++) {
        scenario s = nut("euler", pitches[i], 0.01, ", turn: {motor: {velocity: 10}}");
        scenario_run(&s, 1.0);
        double q[3], rate[3], p = pitches[i] / (2.0 * PI);
        tn_joint_info info;
        tn_state_joint(s.state, 0, q, rate);
        tn_sim_joint(s.sim, s.state, 0, &info);
        check_near("turn [rad]", q[0], 10.0, 1e-9);
        check_near("height [m]", scenario_position(&s, 1, 2) - 0.3, 10.0 * p, 1e-10);
        check_near("torque [N m]", info.effort[0], MASS * GRAVITY * p, 1e-8);
        scenario_close(&s);
    }
}

// Spun without gravity it keeps its energy, and slide and turn stay together over 500 turns.
static void test_many_turns(void **unused)
{
    scenario s = scenario_open(
        "scheme: midpoint\nstep: 1 ms\ngravity: [0, 0, 0]\n"
        "bodies:\n  nut: {mass: 2, velocity: [0, 0, %.17g], angular_velocity: [0, 0, 314.15926535897932], "
        "shape: {cylinder: {radius: 3 cm, length: 2 cm}}}\n"
        "joints: {spindle: {type: screw, b: nut, axis: [0, 0, 1], pitch: 2 mm}}\n",
        50.0 * 0.002);
    scenario_step(&s);
    double first = s.report.energy.kinetic, q[3], rate[3];
    scenario_run(&s, 10.0);
    tn_state_joint(s.state, 0, q, rate);
    check_near("turns", q[0] / (2.0 * PI), 500.0, 1e-6);
    check_near("way [m]", scenario_position(&s, 1, 2), q[0] * 0.002 / (2.0 * PI), 1e-9);
    check_near("kinetic energy [J]", s.report.energy.kinetic, first, 1e-9 * first);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls),
        cmocka_unit_test(test_motor),
        cmocka_unit_test(test_many_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
