// A step's input: wrenches, forces on nodes, efforts, targets of motors, gravity; closed forms, books of energy,
// refusals.
#include "scenario.h"

#include "state/state.h"

#include <string.h>

static const char *const schemes[2] = {"euler", "midpoint"};

static void step_with(scenario *s, const tn_input *input)
{
    s->input = input;
    scenario_step(s);
    s->input = NULL;
}

// From rest without gravity: v = F t/m, w = M t/I about a principal axis, and what is injected is what moves.
static void test_wrench(void **unused)
{
    for (int i = 0; i < 2; i++) {
        scenario s = scenario_open("scheme: %s\nstep: 10 ms\ngravity: [0, 0, 0]\n"
                                   "bodies: {other: {position: [9, 0, 0], shape: {sphere: 0.1}},\n"
                                   "  box: {mass: 2, rotation: {axis: [0, 0, 1], angle: 90 deg}, "
                                   "shape: {box: [0.1, 0.2, 0.4]}}}\n",
                                   schemes[i]);
        int b = scenario_body(&s, "box");
        double wrench[18] = {0.0};
        double *on = wrench + 6 * (size_t)b, inertia = 2.0 * (0.1 * 0.1 + 0.2 * 0.2) / 12.0;
        on[0] = 3.0, on[1] = -1.0, on[5] = 0.5;
        tn_input input = {.wrench = wrench};
        for (int n = 0; n < 50; n++) {
            step_with(&s, &input);
        }
        check_near("speed along x [m/s]", scenario_velocity(&s, b, 0), 3.0 * 0.5 / 2.0, 1e-13);
        check_near("speed along y [m/s]", scenario_velocity(&s, b, 1), -1.0 * 0.5 / 2.0, 1e-13);
        check_near("spin [rad/s]", scenario_spin(&s, b, 2), 0.5 * 0.5 / inertia, 1e-11);
        check_near("speed of the other [m/s]", scenario_velocity(&s, scenario_body(&s, "other"), 0), 0.0, 0.0);
        check_near("injected [J]", s.report.energy.injected, s.report.energy.kinetic, 1e-12);
        check_near("balance [J]", s.report.energy.balance, 0.0, 1e-12);
        double before = scenario_velocity(&s, b, 0);
        scenario_step(&s);
        check_near("speed after a step without input [m/s]", scenario_velocity(&s, b, 0), before, 1e-15);
        scenario_close(&s);
    }
}

// A planar body takes what lies in its plane.
static void test_planar(void **unused)
{
    scenario s = scenario_open("step: 10 ms\ngravity: [0, 0, 0]\n"
                               "bodies: {disk: {mass: 2, confine: {normal: [0, 1, 0]}, shape: {sphere: 0.5}}}\n");
    double wrench[12] = {[6] = 1.0, 5.0, 2.0, 7.0, 0.4, 7.0};
    tn_input input = {.wrench = wrench};
    step_with(&s, &input);
    double inertia = 0.4 * 2.0 * 0.25;
    check_near("speed along x [m/s]", scenario_velocity(&s, 1, 0), 0.01 * 1.0 / 2.0, 1e-16);
    check_near("speed along z [m/s]", scenario_velocity(&s, 1, 2), 0.01 * 2.0 / 2.0, 1e-16);
    check_near("out of the plane [m/s]", scenario_velocity(&s, 1, 1), 0.0, 0.0);
    check_near("spin [rad/s]", scenario_spin(&s, 1, 1), 0.01 * 0.4 / inertia, 1e-15);
    scenario_close(&s);
}

// The input's gravity moves bodies as the scene's does; against the scene's books it is work from outside.
static void test_gravity(void **unused)
{
    static const char text[] = "scheme: %s\nstep: 10 ms\ngravity: [0, 0, %g]\n"
                               "bodies: {floor: {fixed: true, shape: {plane: {}}},\n"
                               "  box: {position: [0, 0, 1], rotation: {axis: [1, 2, 0], angle: 30 deg}, "
                               "shape: {box: [0.1, 0.2, 0.3]}}}\n"
                               "soft: {mat: {grid: {size: [0.2, 0.2, 0.05], divisions: [2, 2, 1]}, "
                               "position: [1, 0, 1], young: 100 kPa, density: 500}}\n";
    for (int i = 0; i < 2; i++) {
        scenario a = scenario_open(text, schemes[i], -9.81), b = scenario_open(text, schemes[i], -1.0);
        tn_input input = {.gravity = (double[3]){0.0, 0.0, -9.81}};
        double worst = 0.0;
        for (int n = 0; n < 15; n++) { // in the air; the mat too
            scenario_step(&a);
            step_with(&b, &input);
        }
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fabs(scenario_position(&a, 2, k) - scenario_position(&b, 2, k)));
            worst = fmax(worst, fabs(scenario_position(&a, 3, k) - scenario_position(&b, 3, k)));
        }
        print_message("%s: ", schemes[i]);
        check_below("apart from the scene with that gravity [m]", worst, 1e-9);
        assert_int_equal(a.report.n_contacts, 0);
        // Both schemes fall at g t, and count the work of forces at the mean of a step's velocities.
        double wanted = b.model->total_mass * (9.81 - 1.0) * 0.5 * 9.81 * 0.15 * 0.15;
        check_near("injected [J]", b.report.energy.injected, wanted, 1e-9 * wanted);
        // The potential is the scene's: euler's error in it is as much smaller.
        check_near("balance [J]", b.report.energy.balance, a.report.energy.balance / 9.81, 1e-12);
        scenario_close(&a);
        scenario_close(&b);
    }
}

// Forces on free nodes give the body its momentum, those on attached ones go to what holds them.
static void test_nodes(void **unused)
{
    scenario s = scenario_open(
        "step: 10 ms\ngravity: [0, 0, 0]\nsolver: {tolerance: {momentum: 1e-12}}\n"
        "bodies: {hand: {mass: 3, position: [0, 0, -0.1], shape: {box: [0.1, 0.1, 0.1]}}}\n"
        "soft:\n  first: {grid: {size: [0.1, 0.1, 0.1], divisions: [1, 1, 1]}, position: [5, 0, 0], young: 1 MPa, "
        "density: 1000}\n"
        "  second: {grid: {size: [0.1, 0.1, 0.1], divisions: [2, 2, 2]}, position: [-0.05, -0.05, 0], young: 1 MPa, "
        "density: 1000, attach: [{to: hand, where: {box: {low: [-1, -1, -1 mm], high: [1, 1, 1 mm]}}}]}\n");
    int first = tn_model_find_body(s.model, "first"), second = tn_model_find_body(s.model, "second");
    assert_int_equal(tn_model_first_node(s.model, first), 0);
    assert_int_equal(tn_model_first_node(s.model, second), 8);
    assert_int_equal(tn_model_node_total(s.model), 8 + 27);
    double force[3 * 35] = {0.0};
    for (int n = 8; n < 35; n++) {
        force[3 * n] = 0.25, force[3 * n + 2] = -0.5;
    }
    tn_input input = {.node_force = force};
    for (int n = 0; n < 10; n++) {
        step_with(&s, &input);
    }
    check_near("momentum along x [kg m/s]", s.report.energy.momentum[0], 27 * 0.25 * 0.1, 1e-10);
    check_near("momentum along z [kg m/s]", s.report.energy.momentum[2], -27 * 0.5 * 0.1, 1e-10);
    check_near("the first's speed [m/s]", scenario_velocity(&s, first, 0), 0.0, 1e-20);
    assert_true(scenario_velocity(&s, scenario_body(&s, "hand"), 2) < -0.01);
    scenario_close(&s);
}

static const char two[] = "scheme: %s\nstep: 1 ms\ngravity: [0, 0, 0]\n"
                          "bodies: {a: {mass: 1, shape: {box: [0.2, 0.2, 0.1]}}, "
                          "b: {mass: 2, position: [0, 0, 0.1], shape: {box: [0.3, 0.3, 0.1]}}}\n"
                          "joints: {hinge: {type: revolute, a: a, b: b, anchor: [0, 0, 0.05], axis: [0, 0, 1]%s}}\n";

// An effort turns the second body and the first against it; the sum of angular momenta stays.
static void test_effort(void **unused)
{
    for (int i = 0; i < 2; i++) {
        scenario s = scenario_open(two, schemes[i], "");
        assert_int_equal(tn_model_coordinate_count(s.model), 1);
        assert_int_equal(tn_model_first_coordinate(s.model, 0), 0);
        double effort[1] = {0.02}, I_a = 1.0 * 0.08 / 12.0, I_b = 2.0 * 0.18 / 12.0;
        tn_input input = {.effort = effort};
        for (int n = 0; n < 200; n++) {
            step_with(&s, &input);
        }
        double q[3], rate[3];
        tn_state_joint(s.state, 0, q, rate);
        check_near("rate [rad/s]", rate[0], 0.02 * 0.2 * (1.0 / I_a + 1.0 / I_b), 1e-10);
        check_near("of the first [rad/s]", scenario_spin(&s, 1, 2), -0.02 * 0.2 / I_a, 1e-10);
        check_near("angular momentum [kg m^2/s]", s.report.energy.angular_momentum[2], 0.0, 1e-14);
        check_near("injected [J]", s.report.energy.injected, s.report.energy.kinetic, 1e-10);
        scenario_close(&s);
    }
}

// Targets given step by step are those of a scene that says the same, to the bit: rigid and with a servo's stiffness.
static void test_targets(void **unused)
{
    static const char *const motors[][2] = {
        {", turn: {motor: {position: 0.3, stiffness: 5, damping: 0.1}}",
         ", turn: {motor: {position: 0.3 + 0*t, stiffness: 5, damping: 0.1}}"},
        {", turn: {motor: {velocity: 0.7, strength: 0.01}}", ", turn: {motor: {velocity: 0.7, strength: 0.01}}"},
        {", turn: {motor: {velocity: 0.7}}", ", turn: {motor: {velocity: 0.7}}"},
        {", turn: {motor: {velocity: 0.7, damping: 0.1}}", ", turn: {motor: {velocity: 0.7, damping: 0.1}}"}};
    for (size_t m = 0; m < sizeof motors / sizeof *motors; m++) {
        for (int i = 0; i < 2; i++) {
            scenario a = scenario_open(two, schemes[i], motors[m][0]);
            char other[200];
            snprintf(other, sizeof other, "%s", motors[m][0]);
            char *number = strstr(other, m == 0 ? "0.3" : "0.7");
            assert_non_null(number);
            number[2] = '0'; // another target in the file
            scenario b = scenario_open(two, schemes[i], other);
            double target[1] = {0.3}, rate[1] = {m == 0 ? NAN : 0.7};
            tn_input input = {.target = m == 0 ? target : NULL, .target_rate = rate};
            for (int n = 0; n < 50; n++) {
                scenario_step(&a);
                step_with(&b, &input);
            }
            double q[2][3], v[2][3];
            tn_state_joint(a.state, 0, q[0], v[0]);
            tn_state_joint(b.state, 0, q[1], v[1]);
            print_message("%s, motor %zu: q %.17g, rate %.17g\n", schemes[i], m, q[0][0], v[0][0]);
            assert_true(q[0][0] != 0.0);
            check_near("coordinate apart [rad]", q[1][0], q[0][0], 0.0);
            check_near("rate apart [rad/s]", v[1][0], v[0][0], 0.0);
            scenario_close(&a);
            scenario_close(&b);
        }
    }
}

// A motor that gives all it takes is at the target at each step's end, with the rate that is given with it.
static void test_prescribed(void **unused)
{
    for (int i = 0; i < 2; i++) {
        scenario s = scenario_open(two, schemes[i], ", turn: {motor: {position: 0}}");
        double target[1], rate[1];
        tn_input input = {.target = target, .target_rate = rate};
        for (int n = 1; n <= 300; n++) {
            double t = 1e-3 * n;
            target[0] = 0.5 * sin(3.0 * t) * t, rate[0] = 0.5 * sin(3.0 * t) + 1.5 * t * cos(3.0 * t);
            step_with(&s, &input);
        }
        double q[3], v[3];
        tn_state_joint(s.state, 0, q, v);
        print_message("%s: ", schemes[i]);
        check_near("coordinate [rad]", q[0], target[0], 1e-12);
        check_near("rate [rad/s]", v[0], rate[0], i == 0 ? 2e-3 : 1e-10); // euler's is the mean of the step
        scenario_close(&s);
    }
}

// What is refused, with the words that say where; the state stays.
static void test_refused(void **unused)
{
    scenario s = scenario_open(
        "bodies: {ball: {shape: {sphere: 0.1}}, arm: {position: [3, 0, 0], shape: {sphere: 0.1}}, "
        "leg: {position: [6, 0, 0], shape: {sphere: 0.1}}, "
        "lift: {shape: {sphere: 0.1}, motion: {position: [9, 0, 0]}}}\n"
        "joints: {free: {type: revolute, b: arm, anchor: [3, 0, 1], axis: [0, 1, 0]}, "
        "fast: {type: revolute, b: leg, anchor: [6, 0, 1], axis: [0, 1, 0], turn: {motor: {velocity: 1}}}}\n"
        "soft: {mat: {grid: {size: [0.2, 0.2, 0.05], divisions: [2, 2, 1]}, position: [-2, 0, 0.1], young: 100 "
        "kPa}}\n");
    double wrench[6 * 5] = {[8] = NAN}, node[3 * 18] = {[5] = INFINITY}, gravity[3] = {0.0, NAN, 0.0};
    double effort[2] = {0.0, NAN}, target[2] = {0.1, NAN}, of_rate[2] = {NAN, 0.2}, endless[2] = {NAN, -INFINITY};
    double push[6 * 5] = {[20] = -1e200}, pull[3 * 18] = {[5] = 1e31}, fall[3] = {0.0, 0.0, -1e100};
    double torque[2] = {0.0, 1e200}, speed[2] = {NAN, 1e200}, far[7 * 5] = {[28] = 1e200, 0.0, 0.0, 1.0};
    const struct {
        tn_input input;
        const char *said;
    } cases[] = {{{.wrench = wrench}, "wrench on body 'ball' is nan"},
                 {{.wrench = push}, "wrench on body 'leg' is -1e+200: it must be between -1e+30 and 1e+30"},
                 {{.node_force = node}, "node 1 of soft body 'mat' is inf"},
                 {{.node_force = pull}, "node 1 of soft body 'mat' is 1e+31"},
                 {{.gravity = gravity}, "gravity is nan"},
                 {{.gravity = fall}, "gravity is -1e+100"},
                 {{.effort = effort}, "effort of joint 'fast', turn, is nan"},
                 {{.effort = torque}, "effort of joint 'fast', turn, is 1e+200"},
                 {{.motion = far}, "motion of body 'lift' is 1e+200"},
                 {{.target = target}, "joint 'free', turn, has a target but no motor"},
                 {{.target = of_rate}, "joint 'fast', turn, has a velocity motor"},
                 {{.target_rate = speed}, "target_rate of joint 'fast', turn, is 1e+200"},
                 {{.target_rate = endless}, "target_rate of joint 'fast', turn, is -inf"}};
    scenario_step(&s);
    uint64_t before = tn_state_hash(s.state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tn_error error = {0};
        assert_int_equal(tn_sim_step(s.sim, &cases[i].input, s.state, NULL, &error), TN_BAD_INPUT);
        print_message("%s\n", error.message);
        assert_non_null(strstr(error.message, cases[i].said));
        assert_true(tn_state_hash(s.state) == before);
    }
    double rate[2] = {NAN, 0.2};
    step_with(&s, &(tn_input){.target_rate = rate});
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrench),     cmocka_unit_test(test_planar),  cmocka_unit_test(test_gravity),
        cmocka_unit_test(test_nodes),      cmocka_unit_test(test_effort),  cmocka_unit_test(test_targets),
        cmocka_unit_test(test_prescribed), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
