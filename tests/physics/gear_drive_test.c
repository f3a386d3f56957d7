// A gear with `turn` or `slide` holds nothing: springs, limits, friction, motors and efforts act on d = q_2 - ratio
// q_1, as a tendon over two joints does. Two wheels on shafts without gravity, against their closed forms, in both
// coordinates. Then gears of three lengths: ropes.
#include "math/vec3.h"
#include "scenario.h"

#include <string.h>

static const double I1 = 0.5, I2 = 0.2, RATIO = -1.5, H = 1e-3;

static const char *const COORDINATES[] = {"maximal", "reduced"};

// `rest`: of the settings; `what`: the gear's own.
static scenario wheels(int coordinates, const char *rest, double w1, double w2, const char *what)
{
    return scenario_open(
        "gravity: [0, 0, 0]\nstep: 1 ms\nsolver: {accuracy: tight}\ncoordinates: %s\n%sbodies:\n"
        "  one: {mass: 1, inertia: [1, 1, 0.5], angular_velocity: [0, 0, %.17g]}\n"
        "  two: {mass: 1, position: [1, 0, 0], inertia: [1, 1, 0.2], angular_velocity: [0, 0, %.17g]}\n"
        "defaults: {joint: {type: revolute, axis: [0, 0, 1]}}\n"
        "joints:\n  a: {b: one, anchor: [0, 0, 0]}\n  b: {b: two, anchor: [1, 0, 0]}\n"
        "  t: {type: gear, joints: [a, b], ratio: -1.5, turn: %s}\n",
        COORDINATES[coordinates], rest, w1, w2, what);
}

static double spin(const scenario *s, int body)
{
    double v[3], w[3];
    tn_state_body_velocity(s->state, body, v, w);
    return w[2];
}

// Coordinate and rate of the gear as the state has them.
static void gear_of(const scenario *s, double *d, double *rate)
{
    double q[3], v[3];
    tn_state_joint(s->state, tn_model_find_joint(s->model, "t"), q, v);
    *d = q[0];
    *rate = v[0];
}

// What an impulse p along d changes.
static void push(double p, double *w1, double *w2)
{
    *w1 -= RATIO * p / I1;
    *w2 += p / I2;
}

static void springs_and_dampers(void **unused)
{
    const double K = 40.0, D = 0.3, REST = 0.2, give = RATIO * RATIO / I1 + 1.0 / I2;
    for (int c = 0; c < 2; c++) {
        scenario s = wheels(c, "", 2.0, -1.0, "{stiffness: 40, damping: 0.3, rest: 0.2}");
        double w1 = 2.0, w2 = -1.0, q1 = 0.0, q2 = 0.0, worst = 0.0, balance = 0.0;
        for (int n = 0; n < 300; n++) {
            double d = q2 - RATIO * q1, rate = w2 - RATIO * w1;
            double f = -(K * (d - REST + H * rate) + D * rate) / (1.0 + H * give * (H * K + D)); // implicit
            push(H * f, &w1, &w2);
            q1 += H * w1;
            q2 += H * w2;
            scenario_step(&s);
            gear_of(&s, &d, &rate);
            worst = fmax(worst, fmax(fabs(spin(&s, 1) - w1), fabs(spin(&s, 2) - w2)));
            worst = fmax(worst, fmax(fabs(d - (q2 - RATIO * q1)), fabs(rate - (w2 - RATIO * w1))));
            balance = fmax(balance, s.report.energy.balance);
        }
        tn_joint_info info;
        tn_sim_joint(s.sim, s.state, tn_model_find_joint(s.model, "t"), &info);
        double d = q2 - RATIO * q1, rate = w2 - RATIO * w1;
        check_near("effort [N m]", info.effort[0], -K * (d - REST) - D * rate, 1e-8);
        check_near("energy of the spring [J]", s.report.energy.elastic, 0.5 * K * (d - REST) * (d - REST), 1e-9);
        check_below("off the implicit scheme [rad, rad/s]", worst, 1e-9);
        check_below("energy gained in a step [J]", balance, 1e-10);
        scenario_close(&s);
    }
}

static void limits_and_friction(void **unused)
{
    const double give = RATIO * RATIO / I1 + 1.0 / I2;
    for (int c = 0; c < 2; c++) {
        scenario s = wheels(c, "", 1.0, 0.5, "{limits: [-1, 0.05]}");
        double w1 = 1.0, w2 = 0.5, d, rate;
        scenario_run(&s, 0.1);
        push(-(w2 - RATIO * w1) / give, &w1, &w2); // it stops there
        gear_of(&s, &d, &rate);
        check_near("at its limit [rad]", d, 0.05, 1e-9);
        check_near("first wheel after the stop [rad/s]", spin(&s, 1), w1, 1e-9);
        check_near("second wheel after the stop [rad/s]", spin(&s, 2), w2, 1e-9);
        const double against[3] = {0.0, 0.0, 1.0};
        const tn_input input = {.effort = against};
        s.input = &input;
        scenario_step(&s);
        tn_joint_info info;
        tn_sim_joint(s.sim, s.state, tn_model_find_joint(s.model, "t"), &info);
        assert_true(info.condition[0] == TN_JOINT_AT_HIGH);
        check_near("force of the limit [N m]", info.effort[0], -1.0, 1e-6);
        scenario_close(&s);
        s = wheels(c, "", 1.0, 0.5, "{friction: 0.7}");
        scenario_run(&s, 0.05);
        w1 = 1.0;
        w2 = 0.5;
        push(-0.7 * 0.05, &w1, &w2);
        check_near("second wheel under friction [rad/s]", spin(&s, 2), w2, 1e-9);
        scenario_run(&s, 2.0);
        gear_of(&s, &d, &rate);
        check_near("rate once it sticks [rad/s]", rate, 0.0, 1e-9);
        scenario_close(&s);
    }
}

static void motors_and_efforts(void **unused)
{
    for (int c = 0; c < 2; c++) {
        scenario s = wheels(c, "", 0.0, 0.0, "{motor: {position: 0, stiffness: 1000, damping: 60}}");
        const int coordinate = tn_model_coordinate_count(s.model) - 1;
        double target[3] = {NAN, NAN, NAN}, effort[3] = {0.0}, d, rate;
        assert_int_equal(coordinate, 2);
        target[coordinate] = 0.4;
        const tn_input input = {.target = target};
        s.input = &input;
        scenario_run(&s, 1.0);
        gear_of(&s, &d, &rate);
        check_near("servo at its target [rad]", d, 0.4, 1e-4);
        scenario_close(&s);
        s = wheels(c, "", 0.0, 0.0, "{}");
        effort[coordinate] = 3.0;
        const tn_input forced = {.effort = effort};
        s.input = &forced;
        double w1 = 0.0, w2 = 0.0;
        for (int n = 0; n < 10; n++) {
            scenario_step(&s);
            push(H * 3.0, &w1, &w2);
        }
        check_near("first wheel under an effort [rad/s]", spin(&s, 1), w1, 1e-9);
        check_near("second wheel under an effort [rad/s]", spin(&s, 2), w2, 1e-9);
        scenario_close(&s);
        s = wheels(c, "", 0.0, 0.0, "{motor: {velocity: 2}}"); // rigid
        scenario_run(&s, 0.01);
        gear_of(&s, &d, &rate);
        check_near("prescribed rate [rad/s]", rate, 2.0, 1e-9);
        check_near("momentum along what it leaves", I1 * spin(&s, 1) + RATIO * I2 * spin(&s, 2), 0.0, 1e-9);
        scenario_close(&s);
    }
}

// Also with armature, at other schemes, from a start that is said, and asleep.
static void in_other_settings(void **unused)
{
    const double give = RATIO * RATIO / I1 + 1.0 / I2;
    for (int c = 0; c < 2; c++) {
        scenario s = wheels(c, "", 1.0, 0.0, "{armature: 0.3, damping: 2}");
        double w1 = 1.0, w2 = 0.0, left = w2 - RATIO * w1;
        for (int n = 0; n < 50; n++) {
            scenario_step(&s);
            left /= 1.0 + H * 2.0 / (1.0 / give + 0.3);
        }
        double d, rate;
        gear_of(&s, &d, &rate);
        check_near("rate beside armature [rad/s]", rate, left, 1e-8);
        scenario_close(&s);
        s = wheels(c, "initial: {joints: {a: 0.3, b: 0.2}}\n", 0.0, 0.0, "{stiffness: 5}");
        gear_of(&s, &d, &rate);
        check_near("coordinate at the start that is said [rad]", d, 0.2 - RATIO * 0.3, 1e-15);
        scenario_close(&s);
    }
    scenario s = wheels(0, "scheme: midpoint\n", 1.0, 0.0, "{stiffness: 40}");
    double energy = 0.5 * I1, worst = 0.0;
    for (int n = 0; n < 500; n++) {
        scenario_step(&s);
        double all =
            0.5 * I1 * spin(&s, 1) * spin(&s, 1) + 0.5 * I2 * spin(&s, 2) * spin(&s, 2) + s.report.energy.elastic;
        worst = fmax(worst, fabs(all - energy));
    }
    check_below("midpoint's energy off by [J]", worst, 1e-9);
    scenario_close(&s);
    s = wheels(0, "sleep: {after: 0.05}\n", 0.0, 0.0, "{damping: 1}");
    scenario_run(&s, 0.2);
    assert_true(tn_state_sleeps(s.state, 1) && tn_state_sleeps(s.state, 2));
    double effort[3] = {0.0, 0.0, 1.0};
    const tn_input input = {.effort = effort};
    s.input = &input;
    scenario_step(&s);
    assert_true(spin(&s, 1) > 0.0 && spin(&s, 2) > 0.0); // both were woken
    scenario_close(&s);
}

// The inertia of a difference acts on the motion that leads there: mechanisms that swing fast move alike in both
// coordinates, within one tree (elbow) and across two (pull). Else they part by 3e-4 m, however small the step.
static void heavy_differences_swing_alike(void **unused)
{
    scenario s[2];
    for (int c = 0; c < 2; c++) {
        s[c] = scenario_open(
            "step: 1 ms\nsolver: {accuracy: tight}\ncoordinates: %s\ninitial: {velocities: project}\nbodies:\n"
            "  upper: {position: [0.2, 0, 0], mass: 2, inertia: [0.01, 0.03, 0.03], angular_velocity: [3, -2, 4]}\n"
            "  lower: {position: [0.5, 0.1, 0], mass: 1, inertia: [0.01, 0.02, 0.03], angular_velocity: [-3, 5, 4]}\n"
            "  other: {position: [0, 1, 0], mass: 1, inertia: [0.02, 0.01, 0.03], angular_velocity: [2, 2, -6]}\n"
            "joints:\n  a: {type: revolute, b: upper, anchor: [0, 0, 0], axis: [0, 1, 0.2]}\n"
            "  b: {type: prismatic, a: upper, b: lower, anchor: [0.4, 0, 0], axis: [1, 0.3, 0]}\n"
            "  c: {type: universal, b: other, anchor: [0, 1, 0.3], axis: [1, 0, 0], axis2: [0, 1, 0.3]}\n"
            "  elbow: {type: gear, joints: [a, b], ratio: 0.4, slide: {armature: 0.5}}\n"
            "  pull: {type: gear, joints: [b, c], coordinates: [slide, turn2], ratio: -0.7, turn: {armature: 0.3}}\n",
            COORDINATES[c]);
        scenario_run(&s[c], 0.2);
    }
    for (int b = 1; b < s[0].model->n_bodies; b++) {
        for (int k = 0; k < 3; k++) {
            check_near("place [m]", scenario_position(&s[0], b, k), scenario_position(&s[1], b, k), 1e-8);
            check_near("spin [rad/s]", scenario_spin(&s[0], b, k), scenario_spin(&s[1], b, k), 1e-6);
        }
    }
    scenario_close(&s[0]);
    scenario_close(&s[1]);
}

// A rope through two eyes: its ways to the first body, to the second, and from there to the third are three lengths, of
// which `rope` says what stays or acts.
static scenario rope(const char *settings, double turn_off, const char *rope)
{
    return scenario_open("solver: {accuracy: tight}\n%sbodies:\n"
                         "  one: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [%.17g, 0, -1]}\n"
                         "  two: {mass: 2, inertia: [0.05, 0.02, 0.03], position: [0.8, %.17g, -1.5]}\n"
                         "  three: {mass: 1.5, inertia: [0.01, 0.01, 0.01], position: [0.8, %.17g, -1.8]}\n"
                         "joints:\n  l1: {type: distance, point_a: [0, 0, 0], b: one, slide: {}}\n"
                         "  l2: {type: distance, point_a: [0.8, 0, 0], b: two, point_b: [0, 0, %.17g], slide: {}}\n"
                         "  l3: {type: distance, a: two, point_a: [%.17g, 0, 0], b: three, slide: {}}\n"
                         "  t: {type: gear, joints: [l1, l2, l3], %s}\n",
                         settings, turn_off, 0.5 * turn_off, turn_off, 0.1 * turn_off, 0.2 * turn_off, rope);
}

// All straight down, l1 + 2 l2 + l3 stays: the rope bears f, of which the second body has 2 f - f.
static void rope_of_three_ways(void **unused)
{
    const double M[3] = {1.0, 2.0, 1.5}, G = 9.81, f = 3.0 * G / (1.0 / M[0] + 1.0 / M[1] + 1.0 / M[2]);
    for (int c = 0; c < 2; c++) {
        tn_joint_info info;
        scenario s = rope(c ? "coordinates: reduced\nstep: 1 ms\n" : "step: 1 ms\n", 0.0, "ratio: [-1, -2]");
        scenario_steps(&s, 50);
        for (int i = 0; i < 3; i++) {
            double v[3], w[3];
            tn_state_body_velocity(s.state, i + 1, v, w);
            check_near("velocity after 50 ms [m/s]", v[2], 0.05 * (f / M[i] - G), 1e-10);
        }
        tn_sim_joint(s.sim, s.state, tn_model_find_joint(s.model, "t"), &info);
        check_near("force of the rope [N]", info.effort[0], -f, 1e-8);
        check_below("length lost [m]", info.violation[0], 1e-12);
        scenario_close(&s);
    }
}

// How far the third body is off that of half the step after 0.4 s.
static double halved(const char *scheme, double h, const char *what)
{
    double x[2][3], q[4];
    for (int k = 0; k < 2; k++) {
        char settings[80];
        snprintf(settings, sizeof settings, "scheme: %s\nstep: %g s\n", scheme, k ? 0.5 * h : h);
        scenario s = rope(settings, 0.4, what);
        scenario_steps(&s, (k ? 2 : 1) * (int)(0.4 / h + 0.5));
        tn_state_body_pose(s.state, 3, x[k], q);
        scenario_close(&s);
    }
    tn_vec3_sub(x[0], x[0], x[1]);
    return tn_vec3_norm(x[0]);
}

// The ways swing and turn: what they couple changes along curves.
static void ropes_keep_the_order(void **unused)
{
    static const char *const ropes[] = {"ratio: [-1, -1]", "ratio: [-1, -1], slide: {stiffness: 60, rest: 3}"};
    for (int k = 0; k < 2; k++) {
        check_near("order of euler", log2(halved("euler", 2e-3, ropes[k]) / halved("euler", 1e-3, ropes[k])), 1.0, 0.1);
        check_near("order of midpoint", log2(halved("midpoint", 1e-3, ropes[k]) / halved("midpoint", 5e-4, ropes[k])),
                   2.0, 0.1);
    }
}

static void starts_within_its_limits(void **unused)
{
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse("bodies: {m: {mass: 1, inertia: [1, 1, 1]}, n: {mass: 1, inertia: [1, 1, 1]}}\n"
                                     "defaults: {joint: {type: revolute, axis: [0, 0, 1]}}\n"
                                     "joints:\n  a: {b: m}\n  b: {b: n}\n"
                                     "  t: {type: gear, joints: [a, b], ratio: 2, turn: {limits: [1, 2]}}\n",
                                     "test", 0, NULL, &error);
    assert_non_null(scene);
    assert_null(tn_model_create(scene, &error));
    assert_non_null(strstr(error.message, "joint 't' starts at 0, outside its limits"));
    assert_int_equal(error.line, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_and_dampers),      cmocka_unit_test(limits_and_friction),
        cmocka_unit_test(rope_of_three_ways),       cmocka_unit_test(ropes_keep_the_order),
        cmocka_unit_test(motors_and_efforts),       cmocka_unit_test(in_other_settings),
        cmocka_unit_test(starts_within_its_limits), cmocka_unit_test(heavy_differences_swing_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
