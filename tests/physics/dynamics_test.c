// Dynamics in the coordinates of joints, against what a simulation does and what bodies' own velocities say; inverse
// kinematics against forward.
#include "scenario.h"

#include "tenon/tenon.h"

#include <string.h>

// Every kind of joint of a tree, nothing but gravity.
static const char zoo[] =
    "coordinates: %s\nstep: %.17g\ngravity: [0.4, -0.3, -9.81]\ninitial: {velocities: project}\n"
    "materials: {m: {density: 900, friction: 0.4}}\ndefaults: {body: {material: m}}\nbodies:\n"
    "  base: {%s}\n"
    "  b1: {position: [0.4, 0, 1], angular_velocity: [0, 3, 0], shape: {box: [0.4, 0.1, 0.06]}}\n"
    "  b2: {position: [0.8, 0, 1], velocity: [0.3, 0.2, 1], shape: {box: [0.1, 0.3, 0.06]}}\n"
    "  b3: {position: [0.8, 0.4, 1], angular_velocity: [2, 1, -1], shape: {capsule: {radius: 5 cm, length: 0.2}}}\n"
    "  b4: {position: [-0.4, 0, 1], angular_velocity: [1, -2, 2], shape: {box: [0.2, 0.1, 0.1]}}\n"
    "  b5: {position: [-0.8, 0, 1], angular_velocity: [2, 0, 0], shape: {sphere: 0.1}}\n"
    "  b6: {position: [-0.8, 0, 1.3], angular_velocity: [0, 0, 5], shape: {box: [0.1, 0.2, 0.3]}}\n"
    "  b7: {position: [0, 0.4, 1], angular_velocity: [0.5, 0.5, 1], velocity: [1, 0, 0], shape: {box: [0.3, 0.2, "
    "0.1]}}\n"
    "  b8: {position: [0, 0.8, 1], shape: {box: [0.1, 0.1, 0.2]}}\n"
    "joints:\n"
    "  j1: {type: revolute, a: base, b: b1, anchor: [0.2, 0, 1], axis: [0, 1, 0.2], turn: {armature: 0.5}}\n"
    "  j2: {type: prismatic, a: b2, b: b1, anchor: [0.6, 0, 1], axis: [1, 0.3, 0], slide: {armature: 4}}\n"
    "  j3: {type: universal, a: b2, b: b3, anchor: [0.8, 0.2, 1], axis: [1, 0, 0], axis2: [0, 0, 1], turn2: {armature: "
    "0.2}}\n"
    "  j3b: {type: universal, a: b6, b: base, anchor: [-0.6, 0.1, 1.2], axis: [1, 0, 0], axis2: [0, 0, 1]}\n"
    "  j4: {type: %s, a: b4, b: base, anchor: [-0.2, 0, 1]}\n"
    "  j5: {type: cylindrical, a: b4, b: b5, anchor: [-0.6, 0, 1], axis: [1, 0, 0.1]}\n"
    "  j7: {type: planar, a: base, b: b7, anchor: [0, 0.2, 1], axis: [0, 1, 1], slide: {armature: 3}}\n"
    "  j8: {type: screw, a: b8, b: b7, anchor: [0, 0.6, 1], axis: [0, 1, 0], pitch: 20 cm}\n";

static const char *const bases[2] = {
    "position: [0, 0, 1], fixed: true, shape: {sphere: 0.1}",
    "position: [0, 0, 1], angular_velocity: [0.3, 1, 0.2], velocity: [1, 2, 3], shape: {box: [0.3, 0.2, 0.1]}"};

enum { MOST = 32 };

static tn_dynamics *dynamics_of(const scenario *s, int *n)
{
    tn_error error = {0};
    tn_dynamics *d = tn_dynamics_create(s->model, &error);
    if (!d || tn_dynamics_update(d, s->state, &error) != TN_OK) {
        scenario_fail("dynamics", &error);
    }
    *n = tn_dynamics_rate_count(d);
    assert_in_range(*n, 1, MOST);
    return d;
}

static scenario open_moving(const char *coordinates, int base, const char *shoulder)
{
    scenario s = scenario_open(zoo, coordinates, 1e-3, bases[base], shoulder);
    scenario_step(&s); // velocities agree with the joints from the first step on
    return s;
}

// What follows from kinetic and potential energy by Lagrange's equations, their slopes by central differences:
// (dM_ij/dq_k - 1/2 dM_jk/dq_i) v_j v_k + dV/dq_i.
static void lagrange(tn_dynamics *d, scenario *s, int n, const double *q, const double *v, double *out)
{
    const double e = 1e-5;
    double M[2][MOST * MOST], moved[MOST];
    tn_energy energy[2];
    tn_error error = {0};
    memset(out, 0, (size_t)n * sizeof *out);
    for (int k = 0; k < n; k++) {
        for (int side = 0; side < 2; side++) {
            memcpy(moved, q, sizeof moved);
            moved[k] += side == 0 ? -e : e;
            assert_int_equal(tn_dynamics_set(d, s->state, moved, NULL, &error), TN_OK);
            tn_dynamics_mass(d, M[side], &error);
            tn_state_energy(s->state, &energy[side], &error);
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double slope = (M[1][i * n + j] - M[0][i * n + j]) / (2.0 * e);
                out[i] += slope * v[j] * v[k];
                out[k] -= 0.5 * slope * v[i] * v[j];
            }
        }
        out[k] += (energy[1].gravity - energy[0].gravity) / (2.0 * e);
    }
    tn_dynamics_set(d, s->state, q, v, &error);
}

static void test_forward_and_inverse(void **unused)
{
    scenario s = open_moving("maximal", 0, "universal, axis: [0, 1, 0], axis2: [1, 0, 0.2]");
    tn_error error = {0};
    int n;
    tn_dynamics *d = dynamics_of(&s, &n);
    double q[MOST], v[MOST], bias[MOST], wanted[MOST], a[MOST], force[MOST], back[MOST];
    assert_int_equal(n, tn_model_coordinate_count(s.model));
    for (int i = 0; i < n; i++) { // both are numbered alike here
        int joint, c;
        tn_dynamics_rate(d, i, &joint, &c, NULL, NULL, &error);
        assert_true(joint >= 0 && c == i);
    }
    tn_state_get_coordinates(s.state, q, v);
    for (int i = 0; i < n; i++) {
        q[i] += 0.1 * sin(3.0 * i); // away from the start, where much is at right angles
        v[i] = cos(2.0 * i);
    }
    assert_int_equal(tn_dynamics_set(d, s.state, q, v, &error), TN_OK);
    assert_int_equal(tn_dynamics_inverse(d, NULL, bias, &error), TN_OK);
    double most = 0.0, off = 0.0;
    lagrange(d, &s, n, q, v, wanted);
    for (int i = 0; i < n; i++) {
        off = fmax(off, fabs(bias[i] - wanted[i]));
        most = fmax(most, fabs(wanted[i]));
    }
    check_below("bias beside Lagrange's equations [N, N m]", off, 1e-8 * most);
    for (int i = 0; i < n; i++) {
        force[i] = sin(1.0 + i);
    }
    assert_int_equal(tn_dynamics_forward(d, force, a, &error), TN_OK);
    assert_int_equal(tn_dynamics_inverse(d, a, back, &error), TN_OK);
    off = 0.0;
    for (int i = 0; i < n; i++) {
        off = fmax(off, fabs(back[i] - force[i]));
    }
    check_below("inverse of forward dynamics", off, 1e-10);
    tn_dynamics_destroy(d);
    scenario_close(&s);
}

// A free body with another on a ball: Euler's equations, in closed form for each.
static void test_free_and_spherical(void **unused)
{
    scenario s =
        scenario_open("gravity: [0.4, -0.3, -9.81]\nmaterials: {m: {density: 900}}\n"
                      "defaults: {body: {material: m}}\nbodies:\n"
                      "  top: {position: [3, 0, 0.25], angular_velocity: [1, 2, 3], velocity: [-0.5, 0.25, 0], "
                      "shape: {box: [0.2, 0.3, 0.4]}}\n"
                      "joints: {ball: {type: spherical, b: top, anchor: [3.25, 0.5, 0.25]}}\n");
    tn_error error = {0};
    int n;
    tn_dynamics *d = dynamics_of(&s, &n);
    double bias[3], v[3], rates[3];
    assert_int_equal(n, 3);
    // Set turning about the ball: w about axes that are the world's at the start; I about the ball.
    const double w[3] = {1.0, 2.0, 3.0}, c[3] = {-0.25, -0.5, 0.0}, size[3] = {0.2, 0.3, 0.4},
                 g[3] = {0.4, -0.3, -9.81};
    double m = 900 * 0.2 * 0.3 * 0.4, h[3], pose[14] = {NAN}, velocity[12] = {NAN};
    pose[7] = NAN;
    velocity[6] = w[1] * c[2] - w[2] * c[1];
    velocity[7] = w[2] * c[0] - w[0] * c[2];
    velocity[8] = w[0] * c[1] - w[1] * c[0];
    memcpy(velocity + 9, w, sizeof w);
    assert_int_equal(tn_state_set_bodies(s.state, pose, velocity, &error), TN_OK);
    assert_int_equal(tn_dynamics_update(d, s.state, &error), TN_OK);
    tn_dynamics_rates(d, rates, &error);
    tn_dynamics_inverse(d, NULL, bias, &error);
    double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2], cw = c[0] * w[0] + c[1] * w[1] + c[2] * w[2];
    for (int i = 0; i < 3; i++) {
        double own = (size[(i + 1) % 3] * size[(i + 1) % 3] + size[(i + 2) % 3] * size[(i + 2) % 3]) * m / 12.0;
        h[i] = own * w[i] + m * (cc * w[i] - cw * c[i]);
        v[i] = w[i];
    }
    for (int i = 0; i < 3; i++) { // w x h - c x m g
        int j = (i + 1) % 3, k = (i + 2) % 3;
        check_near("rate [rad/s]", rates[i], v[i], 1e-12);
        check_near("torque [N m]", bias[i], w[j] * h[k] - w[k] * h[j] - m * (c[j] * g[k] - c[k] * g[j]), 1e-10);
    }
    tn_dynamics_destroy(d);
    scenario_close(&s);
    s = scenario_open(
        "gravity: [0.4, -0.3, -9.81]\nmaterials: {m: {density: 900}}\ndefaults: {body: {material: m}}\n"
        "bodies:\n  base: {angular_velocity: [1, 2, 3], velocity: [4, 5, 6], shape: {box: [0.2, 0.3, 0.4]}}\n"
        "  small: {mass: 1e-9, position: [0, 0, 1], velocity: [0, 0, 0], shape: {sphere: 0.01}}\n"
        "joints: {pin: {type: weld, a: base, b: small}}\n");
    d = dynamics_of(&s, &n);
    assert_int_equal(n, 6);
    double six[6];
    tn_dynamics_inverse(d, NULL, six, &error);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double I[3];
        for (int a = 0; a < 3; a++) {
            I[a] = (size[(a + 1) % 3] * size[(a + 1) % 3] + size[(a + 2) % 3] * size[(a + 2) % 3]) * m / 12.0;
        }
        check_near("force on a free base [N]", six[i], -m * g[i], 1e-6);
        check_near("torque on a free base [N m]", six[3 + i], w[j] * I[k] * w[k] - w[k] * I[j] * w[j], 1e-6);
    }
    tn_dynamics_destroy(d);
    scenario_close(&s);
}

// Energy, momentum and velocities of points are the bodies' own.
static void test_bodies(void **unused)
{
    for (int base = 0; base < 2; base++) {
        // In 10 s all turn far: what is set is along the joints, and not as a step leaves it.
        scenario s = scenario_open(zoo, "reduced", 10.0, bases[base], "spherical");
        tn_error error = {0};
        int n;
        tn_dynamics *d = dynamics_of(&s, &n);
        double rates[MOST], M[MOST * MOST], J[6 * MOST], energy = 0.0, velocity[6] = {0.0};
        tn_energy own;
        tn_centroid c;
        assert_int_equal(tn_dynamics_set(d, s.state, NULL, NULL, &error), TN_OK);
        tn_dynamics_mass(d, M, &error);
        tn_dynamics_rates(d, rates, &error);
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++) {
                energy += 0.5 * rates[i] * M[i * n + k] * rates[k];
            }
        }
        assert_int_equal(tn_state_energy(s.state, &own, &error), TN_OK);
        check_near("kinetic energy [J]", energy, own.kinetic, 1e-10 * own.kinetic);
        const double point[3] = {0.01, 0.02, 0.03};
        int body = scenario_body(&s, "b3");
        assert_int_equal(tn_dynamics_jacobian(d, body, point, J, &error), TN_OK);
        for (int i = 0; i < 6; i++) {
            for (int k = 0; k < n; k++) {
                velocity[i] += J[i * n + k] * rates[k];
            }
        }
        double linear[3], angular[3], place[3], q[4], arm[3];
        tn_state_body_velocity(s.state, body, linear, angular);
        tn_state_body_pose(s.state, body, place, q);
        for (int k = 0; k < 3; k++) { // R point
            const double *p = point;
            double R[9] = {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
                           2 * (q[1] * q[3] + q[0] * q[2]),     2 * (q[1] * q[2] + q[0] * q[3]),
                           1 - 2 * (q[1] * q[1] + q[3] * q[3]), 2 * (q[2] * q[3] - q[0] * q[1]),
                           2 * (q[1] * q[3] - q[0] * q[2]),     2 * (q[2] * q[3] + q[0] * q[1]),
                           1 - 2 * (q[1] * q[1] + q[2] * q[2])};
            arm[k] = R[3 * k] * p[0] + R[3 * k + 1] * p[1] + R[3 * k + 2] * p[2];
        }
        double at[3] = {linear[0] + angular[1] * arm[2] - angular[2] * arm[1],
                        linear[1] + angular[2] * arm[0] - angular[0] * arm[2],
                        linear[2] + angular[0] * arm[1] - angular[1] * arm[0]};
        for (int k = 0; k < 3; k++) {
            check_near("velocity of a point [m/s]", velocity[k], at[k], 1e-11);
            check_near("angular velocity [rad/s]", velocity[3 + k], angular[k], 1e-11);
        }
        assert_int_equal(tn_dynamics_centroid(d, &c, &error), TN_OK);
        double momentum[3] = {0.0}, mass = 0.0;
        for (int b = 1; b < tn_model_body_count(s.model); b++) {
            if (base == 1 || b > 1) {
                double m = tn_model_body_mass(s.model, b);
                tn_state_body_velocity(s.state, b, linear, angular);
                mass += m;
                for (int k = 0; k < 3; k++) {
                    momentum[k] += m * linear[k]; // frames at the centers of mass
                }
            }
        }
        check_near("mass [kg]", c.mass, mass, 1e-12);
        for (int k = 0; k < 3; k++) {
            check_near("momentum [N s]", c.momentum[k], momentum[k], 1e-10);
        }
        tn_dynamics_destroy(d);
        scenario_close(&s);
    }
}

static const char arm[] =
    "coordinates: reduced\nmaterials: {m: {density: 900}}\n"
    "defaults: {body: {material: m, shape: {capsule: {radius: 4 cm, length: 0.3}}}, joint: {type: revolute}}\nbodies:\n"
    "  l1: {position: [0, 0, 0.2]}\n  l2: {position: [0, 0, 0.6]}\n  l3: {position: [0, 0, 1]}\n"
    "  l4: {position: [0, 0, 1.4]}\n  l5: {position: [0, 0, 1.8]}\n  hand: {position: [0, 0, 2.2]}\n"
    "joints:\n  q1: {b: l1, anchor: [0, 0, 0], axis: [0, 0, 1], turn: {limits: [-3, 3]}}\n"
    "  q2: {a: l1, b: l2, anchor: [0, 0, 0.4], axis: [0, 1, 0], turn: {limits: [-2, 2]}}\n"
    "  q3: {a: l2, b: l3, anchor: [0, 0, 0.8], axis: [0, 1, 0], turn: {limits: [-2, 2]}}\n"
    "  q4: {a: l3, b: l4, anchor: [0, 0, 1.2], axis: [0, 0, 1], turn: {limits: [-3, 3]}}\n"
    "  q5: {a: l4, b: l5, anchor: [0, 0, 1.6], axis: [0, 1, 0], turn: {limits: [-2, 2]}}\n"
    "  q6: {a: l5, b: hand, anchor: [0, 0, 2], axis: [0, 0, 1], turn: {limits: [-3, 3]}}\n";

// Places that coordinates lead to are reached again from elsewhere, within the limits; the farthest of what is not.
static void test_reach(void **unused)
{
    scenario s = scenario_open("%s", arm);
    tn_error error = {0};
    int n, hand = scenario_body(&s, "hand"), reached = 0;
    tn_dynamics *d = dynamics_of(&s, &n);
    const double near[6] = {0.2, 0.4, 0.6, -0.3, 0.5, 0.1};
    tn_reach_report report;
    for (int k = 0; k < 20; k++) {
        double goal[6], start[6], place[3], q[4], now[6], rate[6];
        for (int i = 0; i < 6; i++) {
            goal[i] = 1.3 * sin(1.7 * k + 2.9 * i);
            start[i] = goal[i] + 0.4 * sin(5.1 * k + 1.3 * i);
        }
        assert_int_equal(tn_dynamics_set(d, s.state, goal, NULL, &error), TN_OK);
        tn_state_body_pose(s.state, hand, place, q);
        assert_int_equal(tn_dynamics_set(d, s.state, start, NULL, &error), TN_OK);
        tn_reach target = {.body = hand, .position = place, .orientation = q};
        assert_int_equal(tn_dynamics_reach(d, s.state, 1, &target, NULL, &report, &error), TN_OK);
        tn_state_get_coordinates(s.state, now, rate);
        for (int i = 0; i < 6; i++) {
            assert_true(fabs(now[i]) <= (i == 0 || i == 3 || i == 5 ? 3.0 : 2.0) + 1e-12);
        }
        reached += report.reached;
    }
    print_message("%d of 20 poses reached\n", reached);
    assert_true(reached >= 19);
    const double far[3] = {3.0, 0.0, 0.4};
    tn_reach target = {.body = hand, .point = {0.0, 0.0, 0.2}, .position = far};
    assert_int_equal(tn_dynamics_set(d, s.state, near, NULL, &error), TN_OK);
    assert_int_equal(tn_dynamics_reach(d, s.state, 1, &target, NULL, &report, &error), TN_OK);
    assert_false(report.reached);
    check_near("out of reach by [m]", report.position_error, 1.0, 1e-3); // five links of 0.4 m from the shoulder
    tn_dynamics_destroy(d);
    scenario_close(&s);
}

// Largest difference of coordinates after 60 steps, with coordinates and rates set before each as they are, and
// without.
static double set_every_step(scenario s[2])
{
    tn_error error = {0};
    double q[2][MOST], v[MOST], off = 0.0;
    int n = tn_model_coordinate_count(s[0].model), n_rates;
    for (int i = 0; i < 2; i++) {
        tn_dynamics *d = dynamics_of(&s[i], &n_rates);
        for (int m = 0; m < 60; m++) {
            tn_state_get_coordinates(s[i].state, q[i], v);
            assert_int_equal(i == 0 ? TN_OK : tn_dynamics_set(d, s[i].state, q[i], v, &error), TN_OK);
            scenario_step(&s[i]);
        }
        tn_state_get_coordinates(s[i].state, q[i], v);
        tn_dynamics_destroy(d);
    }
    for (int c = 0; c < n; c++) {
        off = fmax(off, fabs(q[1][c] - q[0][c]));
    }
    return off;
}

// A program that sets coordinates and rates as they are before every step changes nothing. With velocities along the
// joints alone those of the arm, whose axes are askew, are off by 0.26.
static void test_set_every_step(void **unused)
{
    static const char askew[] = "coordinates: %s\nstep: 5 ms\ngravity: [0.4, -0.3, -9.81]\n"
                                "materials: {m: {density: 900}}\ndefaults: {body: {material: m}}\nbodies:\n"
                                "  b1: {position: [0.25, 0, 0], shape: {box: [0.5, 0.05, 0.08]}}\n"
                                "  b2: {position: [0.75, 0, 0], shape: {box: [0.5, 0.1, 0.04]}}\n"
                                "  b3: {position: [1.1, 0, 0], shape: {box: [0.2, 0.1, 0.15]}}\n"
                                "joints:\n"
                                "  j1: {type: revolute, b: b1, anchor: [0, 0, 0], axis: [0.3, 1, 0.2]}\n"
                                "  j2: {type: revolute, a: b1, b: b2, anchor: [0.5, 0, 0], axis: [1, 0.3, 0.5]}\n"
                                "  j3: {type: prismatic, a: b2, b: b3, anchor: [1, 0, 0], axis: [1, 0.2, 0]}\n";
    const double start[3] = {0.3, 0.5, 0.1}, rate[3] = {3.0, 5.0, 0.5};
    for (int k = 0; k < 3; k++) {
        const char *coordinates = k == 1 ? "maximal" : "reduced";
        scenario s[2];
        for (int i = 0; i < 2; i++) {
            s[i] = k == 2 ? open_moving(coordinates, 1, "spherical") : scenario_open(askew, coordinates);
            double q[3], v[3];
            tn_error error = {0};
            int n;
            tn_dynamics *d = k == 2 ? NULL : dynamics_of(&s[i], &n);
            for (int c = 0; d && c < 3; c++) {
                assert_int_equal(tn_dynamics_set(d, s[i].state, start, rate, &error), TN_OK);
                tn_state_get_coordinates(s[i].state, q, v);
                check_near("a rate that was set", v[c], rate[c], 1e-14);
            }
            tn_dynamics_destroy(d);
        }
        // Joints that are rows are left with errors of up to 1e-9, which setting takes away: 1e-9/h a step.
        check_below("set every step [rad, m]", set_every_step(s), k == 1 ? 1e-5 : 1e-10);
        scenario_close(&s[0]);
        scenario_close(&s[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_every_step), cmocka_unit_test(test_forward_and_inverse),
        cmocka_unit_test(test_free_and_spherical), cmocka_unit_test(test_bodies), cmocka_unit_test(test_reach)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
