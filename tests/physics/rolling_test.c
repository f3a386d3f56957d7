// A sphere that slides into rolling, and one that rolls down a slope.
// Cases R03 (textbook 5/7 rule) and R04 (Drake's inclined_plane_test) of the validation list.
#include "scenario.h"

static scenario ball(double h, const char *law, double v0, double spin)
{
    return scenario_open("gravity: [0, 0, -9.81]\nstep: %g\nlaw: %s\n"
                         "solver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                         "materials: {m: {density: %.17g, friction: 0.3}}\n"
                         "defaults: {body: {material: m}}\n"
                         "bodies:\n"
                         "  floor: {fixed: true, shape: {plane: {}}}\n"
                         "  ball: {position: [0, 0, 0.1], velocity: [%g, 0, 0], angular_velocity: [0, %.17g, 0], "
                         "shape: {sphere: {radius: 0.1}}}\n",
                         h, law, 1.0 / (4.0 / 3.0 * PI * 1e-3), v0, spin);
}

static void test_r03_sliding_to_rolling(void **state)
{
    const double h = 1e-3, mu = 0.3, v0 = 7.0;
    scenario s = ball(h, "coulomb", v0, 0.0);
    int b = scenario_body(&s, "ball");
    double t_roll = 0.0, distance = 0.0;
    while (tn_state_time(s.state) < 1.0) {
        scenario_step(&s);
        double slip = scenario_velocity(&s, b, 0) - 0.1 * scenario_spin(&s, b, 1);
        if (t_roll == 0.0 && fabs(slip) < 1e-9) {
            t_roll = tn_state_time(s.state);
            distance = scenario_position(&s, b, 0);
        }
    }
    check_near("R03 final velocity [m/s]", scenario_velocity(&s, b, 0), 5.0, 1e-7);
    check_near("R03 time of rolling [s]", t_roll, 2 * v0 / (7 * mu * GRAVITY), 2 * h);
    check_near("R03 distance while sliding [m]", distance, 12 * v0 * v0 / (49 * mu * GRAVITY),
               0.002 * 4.077472 + 5 * h);
    scenario_close(&s);
}

static void test_r03_backspin(void **state)
{
    scenario s = ball(1e-3, "coulomb", 2.0, -70.0);
    scenario_run(&s, 2.0);
    check_near("R03 ball with backspin returns [m/s]", scenario_velocity(&s, scenario_body(&s, "ball"), 0), -4.0 / 7.0,
               1e-7);
    scenario_close(&s);
}

// The convex law ends near 5 m/s too, but hovers at mu |slip| h while it slides.
static void test_r03_convex_hovers(void **state)
{
    scenario s = ball(1e-3, "convex", 7.0, 0.0);
    int b = scenario_body(&s, "ball");
    double highest = 0.0;
    while (tn_state_time(s.state) < 1.5) {
        scenario_step(&s);
        highest = fmax(highest, scenario_position(&s, b, 2) - 0.1);
    }
    check_near("R03 convex law: final velocity [m/s]", scenario_velocity(&s, b, 0), 5.0, 0.05);
    print_message("R03 convex law: highest gap %.3g m, must exceed 1e-4\n", highest);
    assert_true(highest > 1e-4);
    scenario_close(&s);
}

static void test_r04_incline(void **state)
{
    const double a = 15.0 * PI / 180.0, r = 0.05, m = 0.1;
    scenario s =
        scenario_open("gravity: [0, 0, -9.81]\nstep: 1e-3\n"
                      "solver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                      "materials: {m: {density: %.17g, friction: 1}}\n"
                      "defaults: {body: {material: m}}\n"
                      "bodies:\n"
                      "  slope: {fixed: true, rotation: {axis: [0, 1, 0], angle: 15 deg}, shape: {plane: {}}}\n"
                      "  ball: {position: [%.17g, 0, %.17g], shape: {sphere: {radius: 0.05}}}\n",
                      m / (4.0 / 3.0 * PI * r * r * r), r * sin(a), r * cos(a));
    int b = scenario_body(&s, "ball");
    double z0 = scenario_position(&s, b, 2);
    scenario_run(&s, 1.0);
    double along = scenario_velocity(&s, b, 0) * cos(a) - scenario_velocity(&s, b, 2) * sin(a);
    check_near("R04 velocity after 1 s [m/s]", along, 5.0 / 7.0 * GRAVITY * sin(a), 1e-6);
    check_near("R04 angular velocity [rad/s]", scenario_spin(&s, b, 1), along / r, 1e-6);
    double force[3];
    scenario_force(&s, scenario_body(&s, "slope"), b, force);
    check_near("R04 friction force up the slope [N]", -force[0] * cos(a) + force[2] * sin(a),
               2.0 / 7.0 * m * GRAVITY * sin(a), 1e-6);
    double fall = m * GRAVITY * (z0 - scenario_position(&s, b, 2));
    check_near("R04 kinetic energy over lost height, O(h)", s.report.energy.kinetic / fall, 1.0, 2e-3);
    scenario_close(&s);
}

// Rolling friction of length c: the ball slows down at 5 c g / (7 R), stops and stays. Torsional friction of length c:
// the spin about the normal ends after 2 R^2 omega / (5 c g). From the balances of force and moment.
static void test_rolling_friction(void **state)
{
    const double h = 1e-3, c = 0.004, radius = 0.1, v0 = 1.0;
    scenario s = scenario_open("gravity: [0, 0, -9.81]\nstep: %g\n"
                               "solver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                               "materials: {m: {friction: 0.8, rolling: 2 mm, torsion: 3 mm}, n: {rolling: 4 mm}}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}, material: n}\n"
                               "  ball: {position: [0, 0, 0.1], velocity: [1, 0, 0], angular_velocity: [0, 10, 30], "
                               "shape: {sphere: {radius: 0.1}}, material: m}\n",
                               h);
    int b = scenario_body(&s, "ball");
    double slowing = 5.0 * c * GRAVITY / (7.0 * radius), spin_end = 2.0 * 0.01 * 30.0 / (5.0 * 0.003 * GRAVITY);
    scenario_run(&s, 1.0);
    check_near("rolling friction: velocity after 1 s [m/s]", scenario_velocity(&s, b, 0), v0 - slowing, 1e-9);
    check_near("torsional friction: spin after 1 s [rad/s]", scenario_spin(&s, b, 2), 30.0 * (1.0 - 1.0 / spin_end),
               1e-8);
    scenario_run(&s, 4.0); // it stops at 3.57 s
    check_near("it stops [m/s]", scenario_velocity(&s, b, 0), 0.0, 1e-9);
    double stopped = scenario_position(&s, b, 0);
    check_near("where it stops [m]", stopped, v0 * v0 / (2.0 * slowing), v0 * h);
    print_message("energy balance after 4 s: %.3g J\n", s.report.energy.balance);
    assert_true(fabs(s.report.energy.balance) < 1e-9);
    scenario_run(&s, 5.0);
    check_near("and stays [m]", scenario_position(&s, b, 0), stopped, 1e-9);
    check_near("the spin has ended [rad/s]", scenario_spin(&s, b, 2), 0.0, 1e-9);
    scenario_close(&s);
}

// On a slope a ball with rolling friction of length c rests while tan(angle) < c / R, and rolls beyond.
static double run_on_slope(double angle, const char *scheme)
{
    scenario s = scenario_open("gravity: [%.17g, 0, %.17g]\nstep: 5 ms\nscheme: %s\n"
                               "solver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                               "materials: {m: {friction: 0.8}}\n"
                               "pairs: [{materials: [m, m], rolling: 10 mm}]\n"
                               "defaults: {body: {material: m}}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  ball: {position: [0, 0, 0.1], shape: {sphere: {radius: 0.1}}}\n",
                               GRAVITY * sin(angle), -GRAVITY * cos(angle), scheme);
    scenario_run(&s, 1.0);
    double v = scenario_velocity(&s, scenario_body(&s, "ball"), 0);
    scenario_close(&s);
    return v;
}

static void test_rolling_friction_on_slopes(void **state)
{
    double limit = atan(0.1), below = 0.99 * limit, above = 1.2 * limit;
    check_near("below the angle of rolling [m/s]", run_on_slope(below, "euler"), 0.0, 1e-9);
    check_near("above it [m/s]", run_on_slope(above, "euler"), 5.0 / 7.0 * GRAVITY * (sin(above) - 0.1 * cos(above)),
               1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rolling_friction),       cmocka_unit_test(test_rolling_friction_on_slopes),
        cmocka_unit_test(test_r03_sliding_to_rolling), cmocka_unit_test(test_r03_backspin),
        cmocka_unit_test(test_r03_convex_hovers),      cmocka_unit_test(test_r04_incline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
