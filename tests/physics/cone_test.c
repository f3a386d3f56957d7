// Cones: mass by the textbook, standing on a slope until it is as steep as friction allows or the cone tips, rolling
// around the apex.
#include "scenario.h"

#include "math/quat.h"

// Mass of full and cut cones; on the table they stand at rest on the whole lower end.
static void test_mass_and_stand(void **unused)
{
    scenario s = scenario_open("step: 5 ms\nmaterials: {default: {density: 1200, friction: 0.5}}\n"
                               "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  full: {position: [0, 0, 0.2], shape: {cone: {radius: 0.1, height: 0.4}}}\n"
                               "  cut: {position: [1, 0, 0.1], shape: {cone: {radius: 0.2, height: 0.2, "
                               "top_radius: 0.1}}}\n"
                               "  apex: {position: [0, 1, 0.7], shape: {cone: {radius: 0.1, height: 0.2}}}\n"
                               "  base: {position: [0, 1, 0.3], shape: {box: {size: [0.4, 0.4, 0.6]}}}\n");
    check_near("mass of a cone [kg]", tn_model_body_mass(s.model, 2), 1200.0 * PI / 3.0 * 0.01 * 0.4, 1e-13);
    check_near("mass of a cut cone [kg]", tn_model_body_mass(s.model, 3), 1200.0 * PI / 3.0 * 0.2 * 0.07, 1e-13);
    scenario_run(&s, 1.0);
    const double height[4] = {0.2, 0.1, 0.7, 0.3};
    for (int b = 2; b < 6; b++) {
        check_near("height [m]", scenario_position(&s, b, 2), height[b - 2], 1e-7);
        check_below("speed [m/s]", fabs(scenario_velocity(&s, b, 0)) + fabs(scenario_velocity(&s, b, 2)), 1e-7);
    }
    scenario_close(&s);
}

// Seen from a slope gravity leans by atan(ratio): just below the friction's ratio a flat cone rests, just above it
// slides by g (sin - mu cos).
static void test_slope(void **unused)
{
    const double mu = 0.5, ratio[2] = {0.98 * mu, 1.02 * mu}, time = 0.5;
    for (int k = 0; k < 2; k++) {
        double cosine = 1.0 / sqrt(1.0 + ratio[k] * ratio[k]);
        scenario s = scenario_open("step: 1 ms\ngravity: [%.17g, 0, %.17g]\nmaterials: {default: {friction: %g}}\n"
                                   "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                                   "  cone: {position: [0, 0, 0.05], shape: {cone: {radius: 0.1, height: 0.1}}}\n",
                                   GRAVITY * ratio[k] * cosine, -GRAVITY * cosine, mu);
        scenario_run(&s, time);
        double want = k ? GRAVITY * cosine * (ratio[k] - mu) * time : 0.0;
        check_near("speed down the slope [m/s]", scenario_velocity(&s, 2, 0), want, 1e-6);
        check_near("height [m]", scenario_position(&s, 2, 2), 0.05, 1e-8);
        scenario_close(&s);
    }
}

// It tips where the centroid, a quarter of the height up, is over the rim: tan = radius / (h/4).
static void test_tips(void **unused)
{
    const double edge = 0.1 / (0.25 * 0.4), ratio[2] = {0.97 * edge, 1.03 * edge};
    for (int k = 0; k < 2; k++) {
        double cosine = 1.0 / sqrt(1.0 + ratio[k] * ratio[k]), q[4], x[3], up[3];
        scenario s = scenario_open("step: 1 ms\ngravity: [%.17g, 0, %.17g]\nmaterials: {default: {friction: 3}}\n"
                                   "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                                   "  cone: {position: [0, 0, 0.2], shape: {cone: {radius: 0.1, height: 0.4}}}\n",
                                   GRAVITY * ratio[k] * cosine, -GRAVITY * cosine);
        scenario_run(&s, 1.0);
        tn_state_body_pose(s.state, 2, x, q);
        tn_quat_rotate(up, q, (double[3]){0.0, 0.0, 1.0});
        print_message("slope %.4g of the edge's %.4g: axis leans by %.3g rad\n", ratio[k], edge,
                      acos(fmin(up[2], 1.0)));
        assert_true(k ? up[2] < 0.7 : up[2] > 1.0 - 1e-6);
        scenario_close(&s);
    }
}

// A cone on its side, the apex at the origin, the line of contact along x; gravity leans by angle towards x.
static scenario lying(double step, double angle, double heading, double spin)
{
    // tan(half angle) = 1/2; the axis from the apex: (cos, 0, sin), in the middle of which the body's frame is
    double half = atan(0.5), h = 0.1, x[3], v[3], turn[4], tilt[4], q[4];
    tn_quat_from_axis_angle(turn, (double[3]){0.0, 0.0, 1.0}, heading);
    tn_quat_from_axis_angle(tilt, (double[3]){0.0, 1.0, 0.0}, -(0.5 * PI + half));
    tn_quat_mul(q, turn, tilt);
    tn_quat_rotate(x, turn, (double[3]){0.5 * h * cos(half), 0.0, 0.5 * h * sin(half)});
    tn_quat_rotate(v, turn, (double[3]){0.0, -spin * 0.5 * h * sin(half), 0.0});
    return scenario_open(
        "step: %.17g\nscheme: midpoint\ngravity: [%.17g, 0, %.17g]\nmaterials: {default: {friction: 2}}\n"
        "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
        "  cone: {position: [%.17g, %.17g, %.17g], rotation: {quaternion: [%.17g, %.17g, %.17g, %.17g]}, "
        "velocity: [%.17g, %.17g, 0], angular_velocity: [%.17g, %.17g, 0], "
        "shape: {cone: {radius: 0.05, height: 0.1}}}\n",
        step, GRAVITY * sin(angle), -GRAVITY * cos(angle), x[0], x[1], x[2], q[0], q[1], q[2], q[3], v[0], v[1],
        spin * cos(heading), spin * sin(heading));
}

static double heading_of(const scenario *s)
{
    return atan2(scenario_position(s, 2, 1), scenario_position(s, 2, 0));
}

// Spinning by w about the line of contact it goes round the apex by -w tan(half angle), and the apex stays.
static void test_rolls_round_apex(void **unused)
{
    double spin = -4.0, time = 0.5, x[3], q[4], apex[3];
    scenario s = lying(1e-3, 0.0, 0.0, spin);
    scenario_run(&s, time);
    check_near("heading [rad]", heading_of(&s), -0.5 * spin * time, 2e-3);
    tn_state_body_pose(s.state, 2, x, q);
    tn_quat_rotate(apex, q, (double[3]){0.0, 0.0, 0.05});
    for (int i = 0; i < 3; i++) {
        check_near("apex [m]", apex[i] + x[i], 0.0, 1e-4);
    }
    scenario_close(&s);
}

// On a slope it swings about the way down as a pendulum: w^2 = 5 g sin(slope) cos(half)/(h (1 + 5 cos^2(half))), from
// T = 3/40 m h^2 (1 + 5 cos^2) phi'^2 and the centroid 3/4 h cos from the apex (Landau and Lifshitz, Mechanics, 32).
static void test_swings(void **unused)
{
    double half = atan(0.5), slope = 0.2, start = 0.05, h = 1e-3, c = cos(half);
    double w = sqrt(5.0 * GRAVITY * sin(slope) * c / (0.1 * (1.0 + 5.0 * c * c))), before = start, crossing = 0.0;
    scenario s = lying(h, slope, start, 0.0);
    for (int n = 1; crossing == 0.0 && n < 2000; n++) {
        scenario_step(&s);
        double now = heading_of(&s);
        crossing = now <= 0.0 ? h * (n - 1 + before / (before - now)) : 0.0;
        before = now;
    }
    check_near("a quarter of the period [s]", crossing, 0.5 * PI / w, 0.01 * 0.5 * PI / w);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_and_stand),   cmocka_unit_test(test_slope),  cmocka_unit_test(test_tips),
        cmocka_unit_test(test_rolls_round_apex), cmocka_unit_test(test_swings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
