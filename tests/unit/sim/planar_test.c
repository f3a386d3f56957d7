// Planar scenes: exactly in their plane, two-dimensional friction, every solver.
#include "scenario.h"

#include <stdbool.h>
#include <string.h>

// The plane at right angles to y, or a skew one.
static scenario open_pile(const char *solver, const char *law)
{
    return scenario_open(
        "step: 5 ms\nlaw: %s\nsolver: {name: %s, max_iterations: 20000, tolerance: {momentum: 1e-8, "
        "natural: 1e-8}}\n"
        "materials: {default: {friction: 0.3, density: 100}}\n"
        "bodies:\n"
        "  ground: {fixed: true, shape: {plane: {}}}\n"
        "  wall: {fixed: true, shape: {polygon: {size: [0.2, 2]}}, position: [-1.2, 0, 1]}\n"
        "  disks: {shape: {disk: 0.1}, position: [-0.8, 0, 0.9], array: {count: [4, 1, 2], spacing: "
        "[0.21, 0, 0.25], jitter: 0.004, rotation_jitter: 1}}\n"
        "  eggs: {shape: {ellipse: [0.2, 0.1]}, position: [-0.8, 0, 1.6], array: {count: [2, 1, 1], "
        "spacing: [0.45, 0, 0.3], rotation_jitter: 1}}\n"
        "  boxes: {shape: {polygon: {size: [0.3, 0.2]}}, position: [-0.8, 0, 0.15], array: {count: "
        "[3, 1, 2], spacing: [0.4, 0, 0.32], jitter: 0.004, rotation_jitter: 0.1}}\n"
        "  stone: {shape: {polygon: {points: [[0, 0], [0.3, 0], [0.1, 0.3]], radius: 0.05}}, position: "
        "[-0.4, 0, 2]}\n",
        law, solver);
}

// A falling pile: each solver meets the law at every step, with no force across the plane and no motion out of it.
static void test_every_solver(void **unused)
{
    static const char *const solvers[] = {"auto", "pgs", "pgs-dense", "apgd", "newton", "ipm"};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
        bool convex = strcmp(solvers[k], "apgd") == 0 || strcmp(solvers[k], "ipm") == 0;
        scenario s = open_pile(solvers[k], convex ? "convex" : "coulomb");
        double across = 0.0;
        int contacts = 0;
        for (int step = 0; step < 60; step++) {
            scenario_step(&s);
            for (int i = 0; i < tn_sim_contact_count(s.sim); i++) {
                tn_contact_info c;
                tn_sim_contact(s.sim, i, &c);
                across = fmax(across, fabs(c.force[1]));
                contacts = tn_sim_contact_count(s.sim) > contacts ? tn_sim_contact_count(s.sim) : contacts;
            }
            for (int b = 1; b < tn_model_body_count(s.model); b++) {
                assert_true(scenario_position(&s, b, 1) == 0.0);
            }
        }
        print_message("%s: at most %d contacts\n", solvers[k], contacts);
        check_below("worst natural map (demanded 1e-8)", s.worst_natural, 1.01e-8);
        check_below("force across the plane [N]", across, 0.0);
        assert_true(contacts > 10);
        scenario_close(&s);
    }
}

// A disk rolls down a slope like the exact solution: I = m r^2 / 2.
static void test_rolling_disk(void **unused)
{
    scenario s = scenario_open(
        "step: 1 ms\nsolver: {tolerance: {momentum: 1e-10, natural: 1e-10}}\ngravity: [4.905, 0, -8.495709211125347]\n"
        "bodies:\n"
        "  floor: {fixed: true, shape: {plane: {}}}\n"
        "  disk: {position: [0, 0, 0.1], shape: {disk: 0.1}}\n");
    scenario_run(&s, 1.0);
    check_near("rolling speed, 2/3 g sin(30 deg) t [m/s]", scenario_velocity(&s, 2, 0), 2.0 / 3.0 * 4.905, 1e-6);
    scenario_close(&s);
}

// In a plane that is skew to all axes the same happens: t2 is the plane's normal to the last bit.
static void test_skew_plane(void **unused)
{
    double speed[2];
    const double along = 4.905, into = 8.495709211125347; // 30 degrees
    for (int k = 0; k < 2; k++) {
        double roll = k ? 0.3 : 0.0, pitch = k ? 0.2 : 0.0, yaw = k ? 0.5 : 0.0; // about x, then y, then z
        double y = into * sin(roll), level = -into * cos(roll), x = along * cos(pitch) + level * sin(pitch);
        double g[3] = {x * cos(yaw) - y * sin(yaw), x * sin(yaw) + y * cos(yaw),
                       level * cos(pitch) - along * sin(pitch)};
        scenario s = scenario_open(
            "step: 1 ms\nsolver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\ngravity: [%.17g, %.17g, %.17g]\n"
            "materials: {default: {friction: 0.2}}\n"
            "bodies:\n"
            "  slab: {fixed: true, shape: {polygon: {size: [4, 0.2]}}, rotation: {euler: [%g, %g, %g]}}\n"
            "  box: {shape: {polygon: {size: [0.2, 0.2]}, position: [0, 0, 0.2]}, rotation: {euler: [%g, %g, %g]}}\n",
            g[0], g[1], g[2], roll, pitch, yaw, roll, pitch, yaw);
        double linear[3], angular[3];
        scenario_run(&s, 0.5);
        assert_int_equal(tn_sim_contact_count(s.sim), 2);
        tn_state_body_velocity(s.state, 2, linear, angular);
        speed[k] = sqrt(linear[0] * linear[0] + linear[1] * linear[1] + linear[2] * linear[2]);
        scenario_close(&s);
    }
    check_near("sliding speed, (sin 30 - 0.2 cos 30) g t [m/s]", speed[0], (4.905 - 0.2 * 8.495709211125347) * 0.5,
               1e-6);
    // 500 steps solved to 1e-12 each: 8e-10 at worst; measured 2e-12.
    check_near("the same in the skew plane [m/s]", speed[1], speed[0], 1e-11);
}

// 3D shapes that are confined: a ball and a box in a plane, and what they press against it with is borne by it.
static void test_confined_solids(void **unused)
{
    scenario s = scenario_open("step: 2 ms\nsolver: {tolerance: {momentum: 1e-8, natural: 1e-8}}\n"
                               "defaults: {body: {confine: [0, 0, 1]}}\n"
                               "bodies:\n"
                               "  table: {fixed: true, shape: {box: [10, 10, 1]}, position: [0, 0, -0.5]}\n"
                               "  block: {shape: {box: [0.2, 0.2, 0.2]}, position: [0, 0, 0.0999]}\n"
                               "  ball: {shape: {sphere: 0.1}, position: [-1, 0.03, 0.0999], velocity: [2, 0, 0]}\n");
    double speed = scenario_velocity(&s, 2, 0);
    scenario_run(&s, 1.0);
    assert_int_equal(scenario_body(&s, "ball"), 3);
    double block = scenario_velocity(&s, 2, 0), ball = scenario_velocity(&s, 3, 0);
    double mass = 4.0 / 3.0 * PI * 1e-3, heavy = 8e-3; // times the density
    assert_true(speed == 0.0 && block > 0.1);
    check_near("momentum along x, in balls' speed [m/s]", (mass * ball + heavy * block) / mass, 2.0, 1e-7);
    check_near("height [m]", scenario_position(&s, 2, 2), 0.0999, 0.0);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_solver),
        cmocka_unit_test(test_rolling_disk),
        cmocka_unit_test(test_skew_plane),
        cmocka_unit_test(test_confined_solids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
