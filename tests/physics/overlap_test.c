// Starts that overlap, and joints that start off by their slack, are put right at a bounded speed and gain no kinetic
// energy.
#include "scenario.h"

static const char *const schemes[3] = {"euler", "midpoint", "implicit"};

// What two spheres of 4.19 kg do that start 5 cm apart and are 20 cm thick: they part along x, at the speed asked for.
static void test_two_spheres(void **state)
{
    for (int k = 0; k < 6; k++) {
        const double push = k < 3 ? 0.1 : 1e3, h = 0.01, margin = 2e-3;
        scenario s = scenario_open("gravity: [0, 0, 0]\nscheme: %s\npush_out: %g\nmargin: %g\nbodies:\n"
                                   "  a: {velocity: [0, 0, 0.3], shape: {sphere: 0.1}}\n"
                                   "  b: {position: [0.05, 0, 0], velocity: [0, 0, 0.3], shape: {sphere: 0.1}}\n",
                                   schemes[k % 3], push, margin);
        int a = scenario_body(&s, "a"), b = scenario_body(&s, "b");
        const double way = fmin(push * h, margin), still = 0.5 * 2.0 * 1000.0 * 4.0 / 3.0 * PI * 1e-3 * 0.09;
        double most = 0.0, least = INFINITY, gained = 0.0, before = 0.05;
        int n = (int)floor(0.15 / way);
        for (int i = 0; i < n; i++) {
            scenario_step(&s);
            double apart = scenario_position(&s, b, 0) - scenario_position(&s, a, 0);
            most = fmax(most, apart - before);
            least = fmin(least, apart - before);
            before = apart;
            gained = fmax(gained, s.report.energy.kinetic - still);
        }
        print_message("%s, push_out %g m/s: from %.9g to %.9g m a step, wanted %g\n", schemes[k % 3], push, least, most,
                      way);
        assert_true(most < way * (1.0 + 1e-9) && least > way * (1.0 - 1e-9));
        scenario_run(&s, tn_state_time(s.state) + 0.1);
        check_below("kinetic energy gained [J]", gained, 1e-12);
        check_near("apart at last [m]", scenario_position(&s, b, 0) - scenario_position(&s, a, 0), 0.2, 1e-9);
        check_near("they fly on as before [m/s]", scenario_velocity(&s, b, 2), 0.3, 1e-12);
        scenario_close(&s);
    }
}

// What bounces inside another body leaves as fast as it bounces, not as it is pushed out.
static void test_bounce_inside(void **state)
{
    scenario s =
        scenario_open("gravity: [0, 0, 0]\npush_out: 10\nmargin: 3 cm\nmaterials: {rubber: {restitution: 0.5}}\n"
                      "bodies:\n  floor: {fixed: true, shape: {plane: {}}, material: rubber}\n"
                      "  a: {position: [0, 0, 0.08], velocity: [0, 0, -1], shape: {sphere: 0.1}, "
                      "material: rubber}\n");
    int a = scenario_body(&s, "a");
    scenario_step(&s);
    check_near("out of the floor after a step [m]", scenario_position(&s, a, 2), 0.1, 1e-12);
    check_near("speed, half of what it came with [m/s]", scenario_velocity(&s, a, 2), 0.5, 1e-12);
    scenario_close(&s);
}

// A ball of 10 um that starts a twentieth deep comes out and stays: 0.05 m/s would throw it up by 13 times its radius.
static void test_small_ball(void **state)
{
    const double radius = 1e-5;
    scenario s = scenario_open("step: 30 us\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  a: {position: [0, 0, %g], shape: {sphere: %g}}\n",
                               0.95 * radius, radius);
    int a = scenario_body(&s, "a");
    double highest = 0.0, gained = 0.0;
    for (int n = 0; n < 100; n++) {
        scenario_step(&s);
        highest = fmax(highest, scenario_position(&s, a, 2));
        gained += s.report.energy.balance;
    }
    double weight = 1000.0 * 4.0 / 3.0 * M_PI * pow(radius, 3.0) * GRAVITY;
    check_below("energy from nowhere, of the weight lifted out", gained / (weight * 0.05 * radius), 1e-9);
    check_below("highest over the radius, less 1", highest / radius - 1.0, 1e-3);
    check_near("out of the floor, over the radius", scenario_position(&s, a, 2) / radius, 1.0, 1e-6);
    scenario_close(&s);
}

// Ten spheres in one place, 0.3 m above the floor: nothing moves faster than what falls 0.2 m.
static void test_coincident_spheres(void **state)
{
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open("scheme: %s\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                                   "  a: {position: [0, 0, 0.3], shape: {sphere: 0.1},\n"
                                   "    array: {count: [10, 1, 1], spacing: [0, 0, 0]}}\n",
                                   schemes[k]);
        double fastest = 0.0;
        for (int n = 0; n < 100; n++) {
            scenario_step(&s);
            for (int body = 2; body < 12; body++) {
                double x[3], w[3];
                tn_state_body_velocity(s.state, body, x, w);
                fastest = fmax(fastest, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
            }
        }
        check_below("fastest sphere (fall of 0.2 m and a step) [m/s]", fastest, sqrt(2.0 * GRAVITY * 0.2) + 0.1);
        check_below("kinetic energy after 1 s [J]", s.report.energy.kinetic, 1e-9);
        scenario_close(&s);
    }
}

// Boxes that start inside each other are lifted onto each other and stay there: at no time do they move by themselves.
static void test_boxes_inside_each_other(void **state)
{
    for (int k = 0; k < 2; k++) {
        // Solved far enough for the energies to add up to 1e-6 J.
        scenario s = scenario_open("scheme: %s\nsolver: {tolerance: {natural: 1e-10}}\n"
                                   "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                                   "  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]},\n"
                                   "    array: {count: [1, 1, 8], spacing: [1, 1, 0.12]}}\n",
                                   schemes[k]);
        double kinetic = 0.0, balance = 0.0;
        for (int n = 0; n < 100; n++) {
            scenario_step(&s);
            kinetic = fmax(kinetic, s.report.energy.kinetic);
            balance = fmax(balance, fabs(s.report.energy.balance));
        }
        // The energies add up: what is lifted counts as injected, 8 g (6.4 - 4.16) m.
        check_near("injected [J]", s.report.energy.injected, 8.0 * GRAVITY * 2.24, 1e-3);
        check_below("unexplained in a step [J]", balance, 1e-6);
        // 64 kg at 0.05 m/s (what is kept), and one step's fall.
        check_below("most kinetic energy [J]", kinetic, 0.5 * 64.0 * (0.05 * 0.05 + 0.0981 * 0.0981));
        for (int i = 0; i < 8; i++) {
            char name[24];
            snprintf(name, sizeof name, "box[%d]", i);
            check_near("height [m]", scenario_position(&s, scenario_body(&s, name), 2), 0.1 + 0.2 * i, 1e-4);
        }
        scenario_close(&s);
    }
}

// Poisson's law keeps the velocity, at most push_out.
static void test_poisson_is_bounded(void **state)
{
    scenario s = scenario_open("gravity: [0, 0, 0]\nrestitution_law: poisson\npush_out: 0.1\nmargin: 1 cm\nbodies:\n"
                               "  a: {shape: {sphere: 0.1}}\n"
                               "  b: {position: [0.05, 0, 0], shape: {sphere: 0.1}}\n");
    scenario_run(&s, 2.0);
    check_below("speed apart [m/s]", scenario_velocity(&s, 2, 0) - scenario_velocity(&s, 1, 0), 0.1 + 1e-9);
    scenario_close(&s);
}

// A ball on a joint whose anchors start 8 cm apart, a slide that starts 3 cm beyond its limit, a motor that starts 2 cm
// beside its target: all close at the speed push_out, then stand.
static void test_joints_with_slack(void **state)
{
    const double push = 0.2;
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open(
            "gravity: [0, 0, 0]\nscheme: %s\npush_out: %g\nbodies:\n"
            "  ball: {position: [0.08, 0, 0], shape: {sphere: 0.1}}\n"
            "  sled: {position: [3, 0, 0], shape: {sphere: 0.1}}\n"
            "  ram: {position: [6, 0, 0], shape: {sphere: 0.1}}\n"
            "joints:\n"
            "  pin: {type: spherical, b: ball, point_a: [0, 0, 0], point_b: [0, 0, 0], slack: 0.1}\n"
            "  rail: {type: prismatic, b: sled, axis: [1, 0, 0], slack: 0.1, slide: {limits: [0.03, 1]}}\n"
            "  drive: {type: prismatic, b: ram, axis: [1, 0, 0], slack: 0.1, slide: {motor: {position: 0.02}}}\n",
            schemes[k], push);
        const struct {
            const char *name;
            double start, end;
        } bodies[3] = {{"ball", 0.08, 0.0}, {"sled", 3.0, 3.03}, {"ram", 6.0, 6.02}};
        double fastest = 0.0, at[3] = {0.08, 3.0, 6.0};
        for (int n = 0; n < 60; n++) {
            scenario_step(&s);
            for (int i = 0; i < 3; i++) {
                double x = scenario_position(&s, scenario_body(&s, bodies[i].name), 0);
                fastest = fmax(fastest, fabs(x - at[i]) / 0.01);
                at[i] = x;
            }
            if (n == 9) { // 0.1 s: the pin is half closed by then
                check_near("pin after 0.1 s [m]", at[0], 0.06, 1e-6);
            }
        }
        check_near("fastest way [m/s]", fastest, push, 1e-3 * push);
        for (int i = 0; i < 3; i++) {
            check_near(bodies[i].name, at[i], bodies[i].end, 1e-6);
        }
        check_below("kinetic energy at last [J]", s.report.energy.kinetic, 1e-9);
        scenario_close(&s);
    }
}

// A double pendulum in full swing beside boxes that come out of one another: the boxes' second solve neither changes
// its motion nor judges it by velocities that hold its joints at the step's end instead of its start.
static void test_mechanism_beside(void **state)
{
    double angle[2];
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open("gravity: [0, 0, -9.81]\n"
                                   "step: 10 ms\n"
                                   "push_out: 3 m/s\n"
                                   "solver: {tolerance: {momentum: 1e-11, natural: 1e-11, joint: 1e-11}}\n"
                                   "materials: {default: {density: 1000, friction: 0.5}}\n"
                                   "defaults: {joint: {type: revolute, axis: [0, 1, 0], point_a: [0, 0, 0.25]}}\n"
                                   "bodies:\n"
                                   "  upper: {position: [0, 0, 2.75], velocity: [2.5, 0, 0],\n"
                                   "          angular_velocity: [0, -10, 0], shape: {box: {size: [0.1, 0.1, 0.5]}}}\n"
                                   "  lower: {position: [0, 0, 2.25], velocity: [5, 0, 0],\n"
                                   "          shape: {box: {size: [0.1, 0.1, 0.5]}}}\n"
                                   "  box: {position: [5, 0, 0.1], shape: {box: {size: [0.2, 0.2, 0.2]}},\n"
                                   "        array: {count: [1, 1, 2], spacing: [1, 1, %g]}}\n"
                                   "  floor: {fixed: true, position: [5, 0, 0], shape: {plane: {}}}\n"
                                   "joints:\n"
                                   "  top: {a: upper, b: world}\n"
                                   "  knee: {a: lower, b: upper}\n",
                                   k == 0 ? 0.15 : 0.3);
        double joint = 0.0, momentum = 0.0, drift = 0.0;
        for (int n = 0; n < 20; n++) {
            scenario_step(&s);
            joint = fmax(joint, s.report.solve.certificate.joint);
            momentum = fmax(momentum, s.report.solve.certificate.momentum);
            drift = fmax(drift, s.report.solve.certificate.drift);
        }
        print_message("boxes %s: ", k == 0 ? "overlap" : "apart");
        check_below("joint figure", joint, 1e-10);
        check_below("momentum", momentum, 1e-10);
        check_below("drift", drift, 1e-8);
        angle[k] = scenario_position(&s, scenario_body(&s, "lower"), 0);
        scenario_close(&s);
    }
    check_near("place of the pendulum [m]", angle[0], angle[1], 1e-13);
}

// The same in reduced coordinates: an arm that turns about no axis of its own, its forces and those of its bearing.
static void test_arm_beside(void **state)
{
    scenario s = scenario_open("step: 10 ms\ncoordinates: reduced\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  arm: {position: [0, 2, 1], angular_velocity: [-3, -18, 9], "
                               "shape: {box: [0.24, 0.14, 0.28]}}\n"
                               "  sunk: {position: [0, 0, 0.02], shape: {sphere: 0.1}}\n"
                               "joints: {bearing: {type: revolute, b: arm, axis: [0.8, 0.3, 0.3]}}\n"
                               "rods: {rope: {points: [[0, 5, 1], [0, 6, 1]], segments: 4, radius: 1 cm, young: 1 MPa, "
                               "start: clamped}}\n");
    double momentum = 0.0, bears = 0.0;
    for (int n = 0; n < 20; n++) {
        tn_joint_info info;
        scenario_step(&s);
        momentum = fmax(momentum, s.report.solve.certificate.momentum);
        tn_sim_joint(s.sim, s.state, tn_model_find_joint(s.model, "bearing"), &info);
        bears = fmax(bears, fabs(info.force[2] / (9.81 * 1000.0 * 0.24 * 0.14 * 0.28) - 1.0));
    }
    check_below("momentum", momentum, 1e-12);
    check_below("weight that the bearing holds, less 1", bears, 1e-9);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_spheres),
        cmocka_unit_test(test_bounce_inside),
        cmocka_unit_test(test_coincident_spheres),
        cmocka_unit_test(test_small_ball),
        cmocka_unit_test(test_boxes_inside_each_other),
        cmocka_unit_test(test_poisson_is_bounded),
        cmocka_unit_test(test_joints_with_slack),
        cmocka_unit_test(test_mechanism_beside),
        cmocka_unit_test(test_arm_beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
