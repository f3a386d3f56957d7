// What turning tables and swinging arms carry by friction goes round with them: at 10 ms it neither spirals outwards
// nor creeps out of a gripper. What rolls is left as it is.
#include "scenario.h"

#include "math/quat.h"

static const char box_on_table[] =
    "  b: {position: [0.8, 0, 0.05], velocity: [0, 1.6, 0], angular_velocity: [0, 0, 2], "
    "shape: {box: [0.2, 0.2, 0.1]}}\n";

static double radius(const scenario *s, int body)
{
    return hypot(scenario_position(s, body, 0), scenario_position(s, body, 1));
}

static void test_tables(void **state)
{
    static const char *const tables[] = {
        "  t: {shape: {box: [4, 4, 0.1], position: [0, 0, -0.05]}, motion: {angle: 2*t}}\n",
        // The table's origin goes round as well.
        "  t: {shape: {box: [4, 4, 0.1], position: [0, 0, -0.05]}, "
        "motion: {angle: 2*t, position: [0.5*cos(2*t), 0.5*sin(2*t), 0]}}\n",
        "  t: {position: [0.5, 0, -0.05], shape: {box: [4, 4, 0.1]}, velocity: [0, 1, 0], angular_velocity: [0, 0, "
        "2]}\n"
        "joints: {p: {type: revolute, b: t, anchor: [0, 0, 0], axis: [0, 0, 1], turn: {motor: {velocity: 2}}}}\n",
        "  t: {position: [0.5, 0, -0.05], shape: {box: [4, 4, 0.1]}, velocity: [0, 1, 0], angular_velocity: [0, 0, "
        "2]}\n"
        "joints: {p: {type: revolute, b: t, anchor: [0, 0, 0], axis: [0, 0, 1], turn: {motor: {velocity: 2}}}}\n"
        "coordinates: reduced\n"};
    for (int k = 0; k < 4; k++) {
        scenario s = scenario_open("step: 10 ms\nbodies:\n%s%s", box_on_table, tables[k]);
        int b = scenario_body(&s, "b");
        scenario_steps(&s, 1000);
        check_near("radius after three turns [m]", radius(&s, b), 0.8, 1e-3); // it was 0.98
        scenario_close(&s);
    }
}

static void test_soft(void **state)
{
    scenario s = scenario_open("step: 10 ms\nbodies:\n"
                               "  t: {shape: {box: [4, 4, 0.1], position: [0, 0, -0.05]}, motion: {angle: 2*t}}\n"
                               "soft:\n  c: {grid: {size: [0.2, 0.2, 0.1], divisions: [3, 3, 2]}, young: 200 kPa, "
                               "position: [0.8, 0, 0.05], velocity: [0, 1.6, 0], angular_velocity: [0, 0, 2], "
                               "damping: {stiffness: 2 ms}}\n");
    scenario_steps(&s, 1000);
    double x[3], q[4];
    tn_state_body_pose(s.state, scenario_body(&s, "c"), x, q);
    check_near("radius after three turns [m]", hypot(x[0], x[1]), 0.8, 1e-3); // it was 1.0
    scenario_close(&s);
}

// Nobody drives it: kinetic energy stays.
static void test_free_table(void **state)
{
    scenario s = scenario_open("step: 10 ms\nmaterials: {default: {friction: 0.8}}\nbodies:\n%s"
                               "  t: {mass: 50, shape: {cylinder: {radius: 2, length: 0.2}, position: [0, 0, -0.1]}, "
                               "angular_velocity: [0, 0, 2]}\n"
                               "joints: {p: {type: revolute, b: t, anchor: [0, 0, 0], axis: [0, 0, 1]}}\n",
                               box_on_table);
    scenario_step(&s);
    double before = s.report.energy.kinetic;
    for (int n = 1; n < 1000; n++) {
        scenario_step(&s);
    }
    check_near("radius after three turns [m]", radius(&s, scenario_body(&s, "b")), 0.8, 1e-3);
    check_near("kinetic energy [J]", s.report.energy.kinetic, before, 1e-4 * before);
    scenario_close(&s);
}

// Two jaws press a box; the arm swings up and down by a radian.
static void test_gripper(void **state)
{
    static const char *const coordinates[] = {"maximal", "reduced"};
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open(
            "step: 10 ms\ncoordinates: %s\nmaterials: {default: {friction: 0.8}}\nbodies:\n"
            "  arm: {position: [0.5, 0, 0], shape: {box: [1, 0.05, 0.05]}, mass: 2}\n"
            "  l: {position: [1.1, 0.06, 0], shape: {box: [0.2, 0.02, 0.1]}, mass: 0.2}\n"
            "  r: {position: [1.1, -0.06, 0], shape: {box: [0.2, 0.02, 0.1]}, mass: 0.2}\n"
            "  b: {position: [1.15, 0, 0], shape: {box: [0.1, 0.1, 0.1]}, mass: 0.5}\n"
            "joints:\n"
            "  s: {type: revolute, b: arm, anchor: [0, 0, 0], axis: [0, 1, 0], "
            "turn: {motor: {position: sin(3*t), stiffness: 3000, damping: 300}}}\n"
            "  jl: {type: prismatic, a: arm, b: l, axis: [0, -1, 0], slide: {motor: {velocity: 0.1, strength: 60}}}\n"
            "  jr: {type: prismatic, a: arm, b: r, axis: [0, 1, 0], slide: {motor: {velocity: 0.1, strength: 60}}}\n",
            coordinates[k]);
        int b = scenario_body(&s, "b"), arm = scenario_body(&s, "arm");
        double first[3], way[3];
        for (int n = 0; n <= 1000; n++) {
            for (int i = 0; i < 3; i++) {
                way[i] = scenario_position(&s, b, i) - scenario_position(&s, arm, i);
            }
            double q[4], x[3];
            tn_state_body_pose(s.state, arm, x, q);
            tn_quat_rotate_inverse(way, q, way);
            for (int i = 0; n == 20 && i < 3; i++) {
                first[i] = way[i];
            }
            scenario_step(&s);
        }
        for (int i = 0; i < 3; i++) {
            check_near("place in the arm's frame after 10 s [m]", way[i], first[i], 1e-3); // it was lost
        }
        scenario_close(&s);
    }
}

// A sled moves outwards on a turning arm: what lies on it takes part in the Coriolis acceleration, 1.2 m/s^2, and does
// not creep along the arc.
static void test_sled(void **state)
{
    static const char moves[] = "velocity: [0.3, 0.6, 0], angular_velocity: [0, 0, 2]";
    scenario s = scenario_open("step: 10 ms\nmaterials: {default: {friction: 0.8}}\nbodies:\n"
                               "  arm: {motion: {angle: 2*t}}\n"
                               "  sled: {position: [0.3, 0, -0.05], %s, shape: {box: [0.4, 0.4, 0.1]}}\n"
                               "  b: {position: [0.3, 0, 0.05], %s, shape: {box: [0.1, 0.1, 0.1]}}\n"
                               "joints: {j: {type: prismatic, a: arm, b: sled, axis: [1, 0, 0], "
                               "slide: {motor: {velocity: 0.3}}}}\n",
                               moves, moves);
    int b = scenario_body(&s, "b"), sled = scenario_body(&s, "sled");
    scenario_steps(&s, 100);
    double x = scenario_position(&s, b, 0) - scenario_position(&s, sled, 0);
    double y = scenario_position(&s, b, 1) - scenario_position(&s, sled, 1);
    check_near("how far out the sled is [m]", radius(&s, sled), 0.6, 2e-4);
    check_near("way over the sled along the arc [m]", cos(2.0) * y - sin(2.0) * x, 0.0, 1e-3);
    scenario_close(&s);
}

// A ball with side spin: slides on a parabola, then rolls straight on.
static void test_rolling(void **state)
{
    const double R = 0.03, mu = 0.2, v[2] = {2.0, 0.0}, u[2] = {2.0 - 20.0 * R, -60.0 * R}, end = 1.5;
    scenario s = scenario_open("step: 2 ms\nmaterials: {default: {friction: %g}}\nbodies:\n"
                               "  f: {fixed: true, shape: {plane: {}}}\n"
                               "  b: {position: [0, 0, %g], velocity: [2, 0, 0], shape: {sphere: %g}, "
                               "angular_velocity: [-60, 20, 50]}\n",
                               mu, R, R);
    int b = scenario_body(&s, "b");
    scenario_steps(&s, 750);
    double slip = hypot(u[0], u[1]), T = 2.0 * slip / (7.0 * mu * GRAVITY);
    for (int i = 0; i < 2; i++) {
        double a = -mu * GRAVITY * u[i] / slip, rolls = v[i] + a * T;
        check_near("where it is [m]", scenario_position(&s, b, i), v[i] * T + 0.5 * a * T * T + rolls * (end - T),
                   2e-3);
    }
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),  cmocka_unit_test(test_soft), cmocka_unit_test(test_free_table),
        cmocka_unit_test(test_gripper), cmocka_unit_test(test_sled), cmocka_unit_test(test_rolling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
