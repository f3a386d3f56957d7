// Spheres that roll: on a pushed plate (case R07 of the validation list), on a stem (R17), rattling (R18).
#include "gallery.h"

// R07, "rolling" of SimBenchmark: 25 balls of 1 kg on a box of 10 kg that 150 N push along y. Ball and box roll on
// each other without slip: friction of a ball 1/3.5 of ... f2 = (150 - f1) / (3.5 10 + 25) N, f1 = mu 35 g on the
// ground; a_box = 3.5 f2, a_ball = f2.
static void test_r07_pushed_plate(void **state)
{
    scenario s = scenario_open("gravity: [0, 0, -9.81]\nstep: 1e-3\n"
                               "solver: {max_iterations: 5000, tolerance: {momentum: 1e-10, natural: 1e-10}}\n"
                               "materials: {ground: {}, plate: {}, ball: {}}\n"
                               "pairs:\n"
                               "  - {materials: [ground, plate], friction: 0.4}\n"
                               "  - {materials: [plate, ball], friction: 0.8}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}, material: ground}}\n"
                               "  plate: {position: [0, 0, 0.5], mass: 10, force: [0, 150, 0], "
                               "shape: {box: {size: [20, 20, 1]}, material: plate}}\n"
                               "  ball: {position: [-4, -4, 1.5], mass: 1, shape: {sphere: {radius: 0.5}, "
                               "material: ball}, array: {count: [5, 5, 1], spacing: [2, 2, 0]}}\n");
    scenario_run(&s, 4.0);
    double f2 = (150.0 - 0.4 * 35 * GRAVITY) / (3.5 * 10 + 25);
    double plate = 3.5 * f2 * 4.0, ball = f2 * 4.0, worst_z = 0.0, worst_ball = 0.0;
    int first = scenario_body(&s, "ball[0]"), box = scenario_body(&s, "plate");
    for (int b = first; b < first + 25; b++) {
        worst_ball = fmax(worst_ball, fabs(scenario_velocity(&s, b, 1) - ball));
        worst_z = fmax(worst_z, fabs(scenario_position(&s, b, 2) - 1.5));
    }
    check_near("R07 velocity of the box after 4 s [m/s]", scenario_velocity(&s, box, 1), plate, 1e-4 * plate);
    check_below("R07 worst ball: velocity off [m/s]", worst_ball, 1e-4 * ball);
    check_below("R07 heights off [m]", fmax(worst_z, fabs(scenario_position(&s, box, 2) - 0.5)), 1e-4);
    scenario_close(&s);
}

// R17, the tippe top of Leine and Glocker (2003): a sphere whose centre lies above the centre of mass, a small one as
// stem; friction inverts it. At a point contact without drilling friction the top soon rolls without
// slipping, and how long that lasts depends on scheme and step (with midpoint and 1e-4 s to about 7 s): no time is
// asserted, but within 20 s it must stand on its stem.
static void test_r17_tippe_top(void **state)
{
    const double a1 = 3e-3, a2 = 1.6e-2, r1 = 1.5e-2, r2 = 5e-3, tilt = 0.1;
    scenario s = scenario_open("gravity: [0, 0, -9.81]\nstep: 1e-4\nscheme: midpoint\n"
                               "materials: {m: {friction: 0.3, restitution: 0}}\n"
                               "defaults: {body: {material: m}}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  top:\n"
                               "    position: [0, 0, %.17g]\n"
                               "    rotation: {axis: [1, 0, 0], angle: %.17g}\n"
                               "    angular_velocity: [0, %.17g, %.17g]\n"
                               "    mass: 6e-3\n"
                               "    center: [0, 0, 0]\n"
                               "    inertia: [8e-7, 8e-7, 7e-7]\n"
                               "    shapes:\n"
                               "      - {sphere: {radius: %g}, position: [0, 0, %g]}\n"
                               "      - {sphere: {radius: %g}, position: [0, 0, %g]}\n",
                               r1 - a1 * cos(tilt), tilt, -180 * sin(tilt), 180 * cos(tilt), r1, a1, r2, a2);
    int top = scenario_body(&s, "top");
    double low = INFINITY, high = 0.0, spin = INFINITY, stood = 0.0;
    while (tn_state_time(s.state) < 20.0 && stood < 0.2) {
        scenario_step(&s);
        low = fmin(low, scenario_position(&s, top, 2));
        high = fmax(high, scenario_position(&s, top, 2));
        spin = fmin(spin, scenario_spin(&s, top, 2));
        stood += scenario_tilt(&s, top) > 170 * PI / 180 ? 1e-4 : 0.0;
    }
    print_message("R17 on its stem at %.2f s, spin about the vertical %.1f rad/s\n", tn_state_time(s.state),
                  scenario_spin(&s, top, 2));
    check_near("R17 lowest height [m]", low, r1 - a1, 0.05 * (r1 - a1));
    check_near("R17 height in the end [m]", scenario_position(&s, top, 2), r2 + a2, 0.05 * (r2 + a2));
    check_below("R17 highest [m]", high, 1.05 * (r2 + a2));
    print_message("R17 smallest spin about the vertical %.1f rad/s, must be positive\n", spin);
    assert_true(spin > 0.0);
    scenario_close(&s);
}

// R18, the rattleback of Kane and Levinson (1982): 5 rad/s in one sense reverse within 10 s, in the other they do not.
static void test_r18_rattleback(void **state)
{
    const char *spins[2] = {"bodies.stone.angular_velocity=[0,0,-5]", "bodies.stone.angular_velocity=[0,0,5]"};
    double spin[2], e0, worst = 0.0;
    for (int k = 0; k < 2; k++) {
        scenario s = gallery_open("rigid/rattleback.yaml", 1, &spins[k]);
        int stone = scenario_body(&s, "stone");
        scenario_step(&s);
        e0 = s.report.energy.kinetic + s.report.energy.gravity;
        scenario_run(&s, 10.0);
        spin[k] = scenario_spin(&s, stone, 2);
        worst = fmax(worst, (s.report.energy.kinetic + s.report.energy.gravity) / e0 - 1.0);
        scenario_close(&s);
    }
    print_message("R18 spin after 10 s: from -5 to %.2f rad/s, from 5 to %.2f rad/s; signs must be + and +\n", spin[0],
                  spin[1]);
    assert_true(spin[0] > 1.0 && spin[1] > 3.0);
    check_below("R18 energy gained, relative", worst, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_r07_pushed_plate),
        cmocka_unit_test(test_r17_tippe_top),
        cmocka_unit_test(test_r18_rattleback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
