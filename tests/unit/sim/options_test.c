// Options away from their default, each by its effect against a closed form or what it demands.
#include "soft.h"

#include "math/blocks.h"
#include "math/vec3.h"

#include <string.h>

// A soft block stretched by a third, which the first linearisation is far off for.
static scenario taut(const char *newton)
{
    scenario s =
        scenario_open("scheme: implicit\ngravity: [0, 0, 0]\nstep: 50 ms\n%s\n"
                      "soft: {s: {grid: {size: [0.1, 0.1, 0.3], divisions: [1, 1, 2]}, young: 1e5, density: 1000, "
                      "angular_velocity: [3, 2, 1]}}\n",
                      newton);
    for (int i = 0; i < 3 * s.model->n_nodes; i += 3) {
        s.state->x[i + 2] *= 1.0 + 2.0 * fabs(s.state->x[i + 2]);
    }
    return s;
}

// Newton steps and residual are as demanded.
static void newton(void **unused)
{
    int steps[3];
    const char *tolerances[3] = {"newton: {tolerance: 0.01}", "", "newton: {tolerance: 1e-11}"};
    const double limits[3] = {0.01, 1e-8, 1e-11};
    for (int k = 0; k < 3; k++) {
        scenario s = taut(tolerances[k]);
        scenario_step(&s);
        steps[k] = s.report.newton_steps;
        print_message("%d steps: ", steps[k]);
        check_below(tolerances[k], s.report.newton_residual, limits[k]);
        scenario_close(&s);
    }
    assert_true(steps[0] < steps[1] && steps[1] < steps[2]);
    for (int most = 1; most < steps[1]; most++) {
        scenario s = taut(most == 1 ? "newton: {max: 1}" : most == 2 ? "newton: {max: 2}" : "newton: {max: 3}");
        scenario_step(&s);
        assert_int_equal(s.report.newton_steps, most < 3 ? most : 3);
        scenario_close(&s);
    }
    scenario s = taut("newton: {max: 40, tolerance: 1e-16}");
    scenario_step(&s);
    assert_int_equal(s.report.newton_steps, 40);
    scenario_close(&s);
}

// Drift of a hinge that turns by 0.3 rad a step: each Newton correction squares what is left.
static void projection(void **unused)
{
    double left[4];
    for (int n = 0; n < 4; n++) {
        scenario s =
            scenario_open("gravity: [0, 0, 0]\nprojection: %d\nstep: 50 ms\nstabilization: none\ncoordinates: maximal\n"
                          "bodies: {bob: {position: [0.5, 0, 0], velocity: [0, 0, 3], angular_velocity: [0, -6, 0], "
                          "shape: {box: [0.4, 0.2, 0.1]}}}\n"
                          "joints: {j: {type: revolute, b: bob, anchor: [0, 0, 0], axis: [0, 1, 0]}}\n",
                          n);
        scenario_step(&s);
        left[n] = s.report.solve.certificate.drift;
        scenario_close(&s);
    }
    print_message("drift with 0 to 3 corrections: %.3g %.3g %.3g %.3g m\n", left[0], left[1], left[2], left[3]);
    // The center goes straight on by r a, the arm turns by a = 0.3: off by r (1 - cos a) inwards, less along.
    check_near("without", left[0], 0.5 * (1.0 - cos(0.3)), 1e-6);
    assert_true(left[1] < 0.1 * left[0]);
    assert_true(left[2] < 0.1 * left[1] || left[2] < 1e-9);
    assert_true(left[3] <= left[2] && left[3] < 1e-9);
}

// Two balls in one place, on a rod between their centers: only `collide` makes a contact of them.
static void joined_bodies_collide(void **unused)
{
    for (int collide = 0; collide < 2; collide++) {
        scenario s = scenario_open("gravity: [0, 0, 0]\nbodies:\n  a: {shape: {sphere: 0.1}}\n"
                                   "  b: {position: [0.2, 0, 0], shape: {sphere: 0.1}}\n"
                                   "joints: {j: {type: distance, a: a, b: b, collide: %s}}\n",
                                   collide ? "true" : "false");
        scenario_step(&s);
        assert_int_equal(tn_sim_contact_count(s.sim), collide);
        scenario_close(&s);
    }
}

// A rod of a given length within its slack pulls the ball there; without `length` it stays.
static void length_of_a_rod(void **unused)
{
    for (int given = 0; given < 2; given++) {
        scenario s = scenario_open("gravity: [0, 0, 0]\nbodies: {b: {position: [0.5, 0, 0], shape: {sphere: 0.1}}}\n"
                                   "joints: {j: {type: distance, b: b, point_b: [0, 0, 0]%s}}\n",
                                   given ? ", length: 499.99 mm, slack: 0.1 mm" : "");
        scenario_run(&s, 0.2);
        check_near(given ? "with a length" : "without", scenario_position(&s, 1, 0), given ? 0.49999 : 0.5, 1e-8);
        scenario_close(&s);
    }
}

// A box that stands on contact points of a radius lies that much higher, and its weight is on them.
static void radius_of_contact_points(void **unused)
{
    scenario s =
        scenario_open("solver: {tolerance: {natural: 1e-9}}\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                      "  box: {position: [0, 0, 0.13], mass: 3, shape: {box: [0.2, 0.2, 0.2]}, contact_radius: 20 mm, "
                      "contact_points: "
                      "[[0.1, 0.1, -0.1], [-0.1, 0.1, -0.1], [-0.1, -0.1, -0.1], [0.1, -0.1, -0.1]]}\n");
    scenario_run(&s, 0.5);
    double force[3];
    scenario_force(&s, 1, 2, force);
    check_near("height of its center", scenario_position(&s, 2, 2), 0.12, 1e-6);
    check_near("force", force[2], 3.0 * GRAVITY, 1e-5);
    scenario_close(&s);
}

// A demanded figure is what the solver aims at: tighter than usual it is reached.
static void demanded_natural(void **unused)
{
    scenario s =
        scenario_open("solver: {name: pgs, max_iterations: 5000, tolerance: {natural: 1e-11}}\nbodies:\n"
                      "  floor: {fixed: true, shape: {plane: {}}}\n"
                      "  box: {position: [0, 0, 0.1], velocity: [1, 0.3, 0], angular_velocity: [0, 0, 2], array: "
                      "{count: [1, 1, 3], spacing: [0, 0, 0.2]}, shape: {box: [0.3, 0.3, 0.2]}}\n");
    for (int k = 0; k < 5; k++) {
        scenario_step(&s);
        assert_true(s.report.tolerances_held);
    }
    check_below("worst natural figure", s.worst_natural, 1e-11);
    scenario_close(&s);
}

// What solvers aim at: what is demanded, else 1e-6 at rest and as the accuracy says where contacts move; where fclib or
// theta is demanded, that alone.
static void aims(void **unused)
{
    const struct {
        const char *demanded;
        double momentum, natural, fclib, theta, enough, moving;
    } cases[] = {{"", 1e-6, 1e-6, 0, 0, 1e-4, 1e-4},
                 {"solver: {accuracy: tight}", 1e-6, 1e-6, 0, 0, 1e-4, 0},
                 {"solver: {accuracy: draft}", 1e-6, 1e-6, 0, 0, 1e-4, 1e-3},
                 {"solver: {accuracy: draft, tolerance: {natural: 1e-11}}", 1e-6, 1e-11, 0, 0, 0, 0},
                 {"solver: {tolerance: {momentum: 1e-9}}", 1e-9, 1e-6, 0, 0, 1e-4, 1e-4},
                 {"solver: {tolerance: {fclib: 1e-5}}", 1e-6, 0, 1e-5, 0, 0, 0},
                 {"solver: {tolerance: {theta: 1e-3}}", 0, 0, 0, 1e-3, 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        scenario s = scenario_open("%s\nbodies: {b: {shape: {sphere: 0.1}}}\n", cases[k].demanded);
        const tn_solve_options *o = &s.model->settings.solve;
        assert_true(o->tolerance.momentum == cases[k].momentum && o->tolerance.natural == cases[k].natural);
        assert_true(o->tolerance.fclib == cases[k].fclib && o->tolerance.theta == cases[k].theta);
        assert_true(o->enough == cases[k].enough && o->moving == cases[k].moving);
        scenario_close(&s);
    }
}

// A force in body axes alone, on a turned body whose principal axes are not its own: it starts along its turned axis.
static void force_of_the_body(void **unused)
{
    scenario s =
        scenario_open("gravity: [0, 0, 0]\nbodies: {b: {mass: 2, rotation: {axis: [0, 0, 1], angle: 0.5}, shape: {box: "
                      "[0.1, 0.2, 0.3], rotation: {axis: [1, 1, 0], angle: 0.9}}, force_body: [3, '4 + 0 * t', 5]}}\n");
    scenario_step(&s);
    check_near("along x", scenario_velocity(&s, 1, 0), 0.01 / 2.0 * (3.0 * cos(0.5) - 4.0 * sin(0.5)), 1e-14);
    check_near("along y", scenario_velocity(&s, 1, 1), 0.01 / 2.0 * (3.0 * sin(0.5) + 4.0 * cos(0.5)), 1e-14);
    check_near("along z", scenario_velocity(&s, 1, 2), 0.01 / 2.0 * 5.0, 1e-14);
    scenario_close(&s);
}

// Velocities of a soft body's nodes at the start: those of a rigid motion about the mesh's origin.
static void spin_of_a_soft_body(void **unused)
{
    scenario s = scenario_open(
        "soft: {s: {grid: {size: [0.1, 0.2, 0.3], divisions: [1, 1, 2]}, young: 1e5, position: [1, 2, 3], "
        "rotation: {axis: [1, 2, 3], angle: 0.7}, velocity: [0.1, 0.2, -0.3], angular_velocity: [3, -2, "
        "1]}}\n");
    const double linear[3] = {0.1, 0.2, -0.3}, angular[3] = {3, -2, 1}, origin[3] = {1, 2, 3};
    double worst = 0.0;
    for (int i = 0; i < s.model->n_nodes; i++) {
        double arm[3], v[3];
        tn_vec3_sub(arm, s.state->x + 3 * i, origin);
        tn_vec3_cross(v, angular, arm);
        tn_vec3_add(v, v, linear);
        tn_vec3_sub(v, v, s.state->v + 3 * s.model->nodes[i].block);
        worst = fmax(worst, tn_vec3_norm(v));
    }
    check_below("velocity of nodes, worst", worst, 1e-14);
    scenario_close(&s);
}

// x . A x of a stretched bar at the step's start, x along y where z > 0, against it where z < 0: the ends swing.
static double swing_energy(const char *geometric, double stretch)
{
    scenario s =
        scenario_open("gravity: [0, 0, 0]\nsoft: {s: {grid: {size: [0.1, 0.1, 0.4], divisions: [1, 1, 2]}, young: 1e5, "
                      "density: 1000, geometric: %s}}\n",
                      geometric);
    double x[3 * 64] = {0.0}, y[3 * 64], energy = 0.0;
    for (int i = 0; i < s.model->n_nodes; i++) {
        double z = s.state->x[3 * i + 2];
        s.state->x[3 * i + 2] = z * (1.0 + stretch);
        x[3 * s.model->nodes[i].block + 1] = z;
    }
    assert_true(s.model->n_blocks <= 64);
    scenario_step(&s);
    tn_blocks_mul(tn_sim_problem(s.sim, NULL)->A, x, y);
    for (int i = 0; i < 3 * s.model->n_blocks; i++) {
        energy += x[i] * y[i];
    }
    scenario_close(&s);
    return energy;
}

// `geometric: projected` adds the stiffness against swinging of a taut bar, and nothing of one without strain.
static void geometric_stiffness(void **unused)
{
    double plain = swing_energy("none", 0.2), projected = swing_energy("projected", 0.2);
    double without = swing_energy("none", 0.0), still = swing_energy("projected", 0.0);
    // A turn as a whole would meet the tension E A e over the length L, times h; x = z e_y is half a turn, half a
    // shear.
    double turn = 0.01 * 1e5 * 0.01 * 0.2 * 0.4;
    print_message("taut %.9g and %.9g, slack %.9g and %.9g\n", plain, projected, without, still);
    assert_true(projected - plain > 0.1 * turn && projected - plain < 3.0 * turn);
    check_near("without strain", still, without, 1e-9 * without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton),
        cmocka_unit_test(projection),
        cmocka_unit_test(joined_bodies_collide),
        cmocka_unit_test(length_of_a_rod),
        cmocka_unit_test(radius_of_contact_points),
        cmocka_unit_test(demanded_natural),
        cmocka_unit_test(aims),
        cmocka_unit_test(force_of_the_body),
        cmocka_unit_test(spin_of_a_soft_body),
        cmocka_unit_test(geometric_stiffness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
