// Joints through the whole step: pendulums against their elliptic functions and published figures, momentum of chains.
#include "scenario.h"

#include "state/state.h"

#include <string.h>

// IFToMM benchmark A01: simple pendulum, 1 kg, 1 m, from the horizontal. x, z at 1, 5, 10 s by Jacobi's elliptic
// functions.
static const double A01[3][3] = {
    {1.0, -0.98629175, -0.16501085}, {5.0, 0.94230544, -0.33475434}, {10.0, 0.27508746, -0.96141921}};

typedef struct pendulum_errors {
    double position, drift, low, high; // largest [m], [m], least and most change of energy [J]
} pendulum_errors;

static pendulum_errors run_pendulum(const char *scheme, double h, const char *joint)
{
    scenario s = scenario_open("scheme: %s\nstep: %.17g\nsolver: {tolerance: {joint: 1e-8}}\n"
                               "bodies: {bob: {position: [1, 0, 0], mass: 1, inertia: [1e-6, 1e-6, 1e-6]}}\n"
                               "joints: {rod: {a: world, b: bob, %s}}\n",
                               scheme, h, joint);
    pendulum_errors e = {.drift = 0.0};
    for (int i = 0; i < 3; i++) {
        while (tn_state_time(s.state) < A01[i][0] - 1e-9) {
            scenario_step(&s);
            assert_true(s.report.tolerances_held);
            double energy = s.report.energy.kinetic + s.report.energy.gravity;
            e.drift = fmax(e.drift, s.report.solve.certificate.drift);
            e.low = fmin(e.low, energy);
            e.high = fmax(e.high, energy);
        }
        double x = scenario_position(&s, 1, 0) - A01[i][1], z = scenario_position(&s, 1, 2) - A01[i][2];
        e.position = fmax(e.position, sqrt(x * x + z * z));
    }
    scenario_close(&s);
    return e;
}

static void test_simple_pendulum(void **unused)
{
    const char *joints[2] = {"type: distance", "type: spherical, anchor: [0, 0, 0]"};
    for (int i = 0; i < 2; i++) {
        pendulum_errors e = run_pendulum("midpoint", 2e-3, joints[i]);
        print_message("%s\n", joints[i]);
        check_below("A01, position at 1, 5, 10 s [m]", e.position, 5e-3); // the benchmark's
        check_below("constraint drift [m]", e.drift, 1e-6);
        check_below("energy lost of 9.81 J [J]", -e.low, 0.0981); // 1 %
        check_below("energy gained [J]", e.high, 0.0981);
    }
}

static void test_pendulum_order(void **unused)
{
    double coarse = run_pendulum("midpoint", 8e-3, "type: distance").position;
    double fine = run_pendulum("midpoint", 4e-3, "type: distance").position;
    print_message("errors %.3e, %.3e\n", coarse, fine);
    check_near("order of midpoint", log2(coarse / fine), 2.0, 0.1);
    coarse = run_pendulum("euler", 2e-3, "type: distance").position;
    fine = run_pendulum("euler", 1e-3, "type: distance").position;
    print_message("errors %.3e, %.3e\n", coarse, fine);
    check_near("order of euler", log2(coarse / fine), 1.0, 0.3);
}

// ADAMS figures as published with Chrono: a bar of 4 m on a pin; place of its center and force of the pin on the
// ground.
static void test_compound_pendulum(void **unused)
{
    scenario s = scenario_open("scheme: midpoint\nstep: 1 ms\ngravity: [0, 0, -9.80665]\n"
                               "bodies: {bar: {position: [2, 0, 0], mass: 1, inertia: [0.04, 0.1, 0.1]}}\n"
                               "joints: {pin: {type: revolute, b: bar, anchor: [0, 0, 0], axis: [0, 1, 0]}}\n");
    static const double table[3][5] = {{1.0, -0.892381, -1.78988, -11.4612, -23.2273},
                                       {2.5, -0.265506, -1.98230, -3.77661, -28.4357},
                                       {5.0, -1.99968, -0.0355587, NAN, NAN}};
    for (int i = 0; i < 3; i++) {
        scenario_run(&s, table[i][0]);
        tn_joint_info info;
        tn_sim_joint(s.sim, s.state, 0, &info);
        check_near("center x [m]", scenario_position(&s, 1, 0), table[i][1], 1e-3);
        check_near("center z [m]", scenario_position(&s, 1, 2), table[i][2], 1e-3);
        if (!isnan(table[i][3])) {
            // A step's force is that of its middle: the mean of the steps before and after is that of their border.
            double x = info.force[0], z = info.force[2];
            scenario_step(&s);
            tn_sim_joint(s.sim, s.state, 0, &info);
            check_near("force on the ground x [N]", -0.5 * (x + info.force[0]), table[i][3], 2e-2);
            check_near("force on the ground z [N]", -0.5 * (z + info.force[2]), table[i][4], 2e-2);
        }
    }
    check_below("drift [m, rad]", s.report.solve.certificate.drift, 1e-6);
    double angle[3], rate[3];
    tn_state_joint(s.state, 0, angle, rate);
    double turned = atan2(-scenario_position(&s, 1, 2), scenario_position(&s, 1, 0));
    check_near("coordinate [rad]", angle[0], turned, 1e-9);
    check_near("its rate [rad/s]", rate[0], scenario_spin(&s, 1, 1), 1e-9);
    scenario_close(&s);
}

// IFToMM benchmark A04, Bricard's mechanism: five bars of 1 m, six hinges, 30 rows of rank 29. Only energy and symmetry
// are known: from rest it swings to its mirror image and back.
static void test_bricard(void **unused)
{
    const char *bars = "bodies:\n"
                       "  r0: {position: [0.5, 0, 0], shape: {box: [1, 0.1, 0.1]}}\n"
                       "  r1: {position: [1, -0.5, 0], shape: {box: [0.1, 1, 0.1]}}\n"
                       "  r2: {position: [1, -1, 0.5], shape: {box: [0.1, 0.1, 1]}}\n"
                       "  r3: {position: [0.5, -1, 1], shape: {box: [1, 0.1, 0.1]}}\n"
                       "  r4: {position: [0, -0.5, 1], shape: {box: [0.1, 1, 0.1]}}\n";
    scenario s = scenario_open("scheme: midpoint\nstep: 4 ms\ngravity: [0, -9.81, 0]\n"
                               "defaults: {body: {mass: 1}, shape: {collides: false}, joint: {type: revolute}}\n%s"
                               "joints:\n"
                               "  j0: {a: world, b: r0, anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
                               "  j1: {a: r0, b: r1, anchor: [1, 0, 0], axis: [0, 0, 1]}\n"
                               "  j2: {a: r1, b: r2, anchor: [1, -1, 0], axis: [1, 0, 0]}\n"
                               "  j3: {a: r2, b: r3, anchor: [1, -1, 1], axis: [0, 1, 0]}\n"
                               "  j4: {a: r3, b: r4, anchor: [0, -1, 1], axis: [0, 0, 1]}\n"
                               "  j5: {a: r4, b: world, anchor: [0, 0, 1], axis: [1, 0, 0]}\n",
                               bars);
    double drift = 0.0, force = 0.0, least = INFINITY, most = -INFINITY, reached = 1.0;
    double start = -9.81 * 3.0; // centers at 0, -1/2, -1, -1, -1/2
    int third = scenario_body(&s, "r2");
    while (tn_state_time(s.state) < 10.0 - 1e-9) {
        scenario_step(&s);
        double energy = s.report.energy.kinetic + s.report.energy.gravity - start;
        least = fmin(least, energy);
        most = fmax(most, energy);
        drift = fmax(drift, s.report.solve.certificate.drift);
        reached = fmin(reached, scenario_position(&s, third, 0));
        for (int j = 0; j < 6; j++) {
            tn_joint_info info;
            tn_sim_joint(s.sim, s.state, j, &info);
            force = fmax(force, fmax(fabs(info.force[0]), fmax(fabs(info.force[1]), fabs(info.force[2]))));
        }
    }
    check_near("mirror image, x of the third bar [m]", reached, -1.0, 1e-3);
    check_below("energy lost, of 4.5 J that move [J]", -least, 0.0225); // half a percent
    check_below("energy gained [J]", most, 0.0225);
    check_below("drift [m, rad]", drift, 1e-6);
    check_below("largest force of a hinge, of bars of 10 N [N]", force, 100.0); // redundant rows are bounded
    scenario_close(&s);
}

// A chain of all kinds in free flight keeps its momenta, and falls as one.
static void test_chain_momentum(void **unused)
{
    scenario s =
        scenario_open("scheme: midpoint\nstep: 2 ms\ngravity: [0, 0, 0]\n"
                      "defaults: {body: {shape: {box: [0.8, 0.1, 0.2]}}}\n"
                      "bodies:\n"
                      "  a: {position: [0.5, 0, 0], angular_velocity: [0, 2, 1]}\n"
                      "  b: {position: [1.5, 0, 0], velocity: [0, 1, 0]}\n"
                      "  c: {position: [2.5, 0, 0], velocity: [0, 0, -1]}\n"
                      "  d: {position: [3.5, 0, 0], angular_velocity: [3, 0, 0]}\n"
                      "  e: {position: [4.5, 0, 0]}\n"
                      "joints:\n"
                      "  ab: {type: revolute, a: a, b: b, anchor: [1, 0, 0], axis: [0, 1, 1]}\n"
                      "  bc: {type: universal, a: b, b: c, anchor: [2, 0, 0], axis: [0, 1, 0], axis2: [1, 0, 0]}\n"
                      "  cd: {type: cylindrical, a: c, b: d, anchor: [3, 0, 0], axis: [1, 0, 0]}\n"
                      "  de: {type: weld, a: d, b: e, anchor: [4, 0, 0]}\n");
    scenario_step(&s);
    tn_energy first = s.report.energy;
    double drift = 0.0, momentum = 0.0, turning = 0.0;
    for (int n = 1; n < 1000; n++) {
        scenario_step(&s);
        for (int i = 0; i < 3; i++) {
            momentum = fmax(momentum, fabs(s.report.energy.momentum[i] - first.momentum[i]));
            turning = fmax(turning, fabs(s.report.energy.angular_momentum[i] - first.angular_momentum[i]));
        }
        drift = fmax(drift, s.report.solve.certificate.drift);
    }
    check_below("change of momentum [kg m/s]", momentum, 1e-8); // rounding of 1000 steps of forces of 1e3 N
    check_below("change of angular momentum [kg m^2/s]", turning, 1e-3);
    check_below("drift [m, rad]", drift, 1e-6);
    check_near("energy [J]", s.report.energy.kinetic, first.kinetic, 1e-3 * first.kinetic);
    scenario_close(&s);
}

// The same to the last bit after saving and loading, and for any number of threads.
static void test_checkpoint(void **unused)
{
    const char *scene = "scheme: midpoint\nstep: 2 ms\n"
                        "solver: {threads: %d}\n"
                        "bodies:\n"
                        "  a: {position: [0.5, 0, 0], shape: {box: [0.8, 0.1, 0.2]}}\n"
                        "  b: {position: [1.5, 0, 0], shape: {box: [0.8, 0.1, 0.2]}}\n"
                        "joints:\n"
                        "  wa: {type: revolute, b: a, anchor: [0, 0, 0], axis: [0, 1, 0], turn: {friction: 1, "
                        "motor: {velocity: 30, strength: 200}}}\n"
                        "  ab: {type: revolute, a: a, b: b, anchor: [1, 0, 0], axis: [0, 1, 0], turn: {limits: [-1, "
                        "1], stiffness: 3, damping: 0.1}}\n";
    uint64_t hash[3];
    for (int run = 0; run < 3; run++) {
        scenario s = scenario_open(scene, run == 1 ? 3 : 1);
        for (int n = 0; n < 400; n++) {
            if (run == 2 && n == 150) {
                tn_error error = {0};
                assert_int_equal(tn_state_save(s.state, "joint_test.ckp", &error), TN_OK);
                scenario_close(&s);
                s = scenario_open(scene, 1);
                assert_int_equal(tn_state_load(s.state, "joint_test.ckp", &error), TN_OK);
                remove("joint_test.ckp");
            }
            scenario_step(&s);
        }
        double angle[3], rate[3];
        tn_state_joint(s.state, 0, angle, rate);
        print_message("angle %.17g rad\n", angle[0]);
        hash[run] = tn_state_hash(s.state);
        scenario_close(&s);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] == hash[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simple_pendulum),   cmocka_unit_test(test_pendulum_order),
        cmocka_unit_test(test_compound_pendulum), cmocka_unit_test(test_bricard),
        cmocka_unit_test(test_chain_momentum),    cmocka_unit_test(test_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
