// Coordinates of joints at the start (`initial: {joints: ...}`): where bodies are then and how they move, in maximal
// and reduced coordinates alike, for every kind of joint of a tree; loops that close.
#include "scenario.h"

#include "tenon/check.h"
#include "tenon/dynamics.h"

#include "model/joint_geometry.h"
#include "state/state.h"

#include <string.h>

// As the rates say, instead of as a step leaves them.
static void move_along(scenario *s)
{
    memcpy(s->state->v, s->model->start_along, 3 * (size_t)s->model->n_blocks * sizeof *s->state->v);
}

// An arm of two links, in closed form.
static void test_two_links(void **unused)
{
    for (int reduced = 0; reduced < 2; reduced++) {
        scenario s = scenario_open(
            "coordinates: %s\nbodies:\n"
            "  one: {position: [0, 0, 0.5], mass: 1, inertia: [0.1, 0.1, 0.01]}\n"
            "  two: {position: [0, 0, 1.5], mass: 1, inertia: [0.1, 0.1, 0.01]}\n"
            "joints:\n  a: {type: revolute, b: one, anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
            "  b: {type: revolute, a: one, b: two, anchor: [0, 0, 1], axis: [0, 1, 0]}\n"
            "initial: {joints: {a: {coordinate: 30 deg, rate: 0.5}, b: {coordinate: -70 deg, rate: 2 rad/s}}}\n",
            reduced ? "reduced" : "maximal");
        const double p = PI / 6.0, q = -40.0 * PI / 180.0, w = 0.5, u = 2.5; // absolute angles and rates
        move_along(&s);
        check_below("place of the second [m]", fabs(scenario_position(&s, 2, 0) - sin(p) - 0.5 * sin(q)), 1e-15);
        check_below("height of the second [m]", fabs(scenario_position(&s, 2, 2) - cos(p) - 0.5 * cos(q)), 1e-15);
        check_below("its velocity", fabs(scenario_velocity(&s, 2, 0) - w * cos(p) - 0.5 * u * cos(q)), 1e-15);
        check_below("its velocity up", fabs(scenario_velocity(&s, 2, 2) + w * sin(p) + 0.5 * u * sin(q)), 1e-15);
        check_below("its spin", fabs(scenario_spin(&s, 2, 1) - u), 1e-15);
        scenario_close(&s);
    }
}

// The first step after rates that the scene, or a keyframe of MJCF, says has all of Coriolis' part: after it they are
// off by the square of its length, against steps of a 256th by the midpoint rule. Velocities along the joints would
// lose it once, 0.14 rad/s of 4 at 10 ms.
static void test_first_step(void **unused)
{
    static const char text[] =
        "step: %.17g\nscheme: %s\ncoordinates: %s\nbodies:\n"
        "  one: {position: [0, 0, 0.5], mass: 1, inertia: [0.1, 0.1, 0.01]}\n"
        "  two: {position: [0, 0, 1.5], mass: 1, inertia: [0.1, 0.1, 0.01]}\n"
        "joints:\n  a: {type: revolute, b: one, anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  b: {type: revolute, a: one, b: two, anchor: [0, 0, 1], axis: [0, 1, 0]}\n"
        "initial: {joints: {a: {coordinate: 30 deg, rate: 3}, b: {coordinate: -70 deg, rate: 2 rad/s}}}\n";
    static const char key[] =
        "<mujoco><option timestep='%.17g'/><worldbody><body><joint axis='0 1 0'/>"
        "<inertial pos='0 0 0.5' mass='1' diaginertia='0.1 0.1 0.01'/><body pos='0 0 1'><joint axis='0 1 0'/>"
        "<inertial pos='0 0 0.5' mass='1' diaginertia='0.1 0.1 0.01'/></body></body></worldbody>"
        "<keyframe><key qpos='0.52359877559829882 -1.2217304763960306' qvel='3 2'/></keyframe></mujoco>";
    double off[3][2];
    for (int k = 0; k < 2; k++) {
        double h = k == 0 ? 0.01 : 0.005, wanted[2], rate[2];
        scenario fine = scenario_open(text, h / 256.0, "midpoint", "maximal");
        scenario_steps(&fine, 256);
        tn_state_get_coordinates(fine.state, NULL, wanted);
        for (int i = 0; i < 3; i++) {
            scenario s = i == 2 ? scenario_open(key, h) : scenario_open(text, h, "euler", i ? "reduced" : "maximal");
            tn_velocity_mismatch start;
            assert_int_equal(tn_state_velocity_mismatch(s.state, &start, NULL), TN_OK);
            check_below("what joints do not allow at the start", start.mismatch, 1e-12);
            scenario_step(&s);
            tn_state_get_coordinates(s.state, NULL, rate);
            off[i][k] = hypot(rate[0] - wanted[0], rate[1] - wanted[1]);
            scenario_close(&s);
        }
        scenario_close(&fine);
    }
    for (int i = 0; i < 3; i++) {
        check_below("rates after a first step of 10 ms [rad/s]", off[i][0], 2e-3);
        check_near("and less after one of 5 ms by", off[i][0] / off[i][1], 4.0, 0.3);
    }
}

// Every kind, from both sides, on a free base that moves: the state has what the scene says, joints hold, both kinds of
// coordinates start alike and move alike.
static const char zoo[] =
    "coordinates: %s\nstep: 1 ms\nsolver: {tolerance: {natural: 1e-11, joint: 1e-12, momentum: 1e-12}}\n"
    "defaults: {body: {mass: 1, inertia: [0.01, 0.02, 0.015]}}\nbodies:\n"
    "  base: {position: [0, 0, 1], velocity: [0.3, 0, 0], angular_velocity: [0.3, 1, 0.2]}\n"
    "  b1: {position: [0.4, 0, 1]}\n  b2: {position: [0.8, 0, 1]}\n  b3: {position: [0.8, 0.4, 1]}\n"
    "  b4: {position: [-0.4, 0, 1]}\n  b5: {position: [-0.8, 0, 1]}\n  b6: {position: [-0.8, 0, 1.3]}\n"
    "  b7: {position: [0, 0.4, 1]}\njoints:\n"
    "  j1: {type: revolute, a: base, b: b1, anchor: [0.2, 0, 1], axis: [0, 1, 0.2]}\n"
    "  j2: {type: prismatic, a: b2, b: b1, anchor: [0.6, 0, 1], axis: [1, 0.3, 0]}\n"
    "  j3: {type: universal, a: b2, b: b3, anchor: [0.8, 0.2, 1], axis: [1, 0, 0], axis2: [0, 0, 1]}\n"
    "  j4: {type: spherical, a: base, b: b4, anchor: [-0.2, 0, 1]}\n"
    "  j5: {type: cylindrical, a: b4, b: b5, anchor: [-0.6, 0, 1], axis: [1, 0, 0.1]}\n"
    "  j6: {type: screw, a: b6, b: b5, anchor: [-0.8, 0, 1.15], axis: [0, 0, 1], pitch: 5 cm}\n"
    "  j7: {type: planar, a: base, b: b7, anchor: [0, 0.2, 1], axis: [0, 1, 1]}\n"
    "initial:\n  joints:\n    j1: {coordinate: 0.4, rate: 0}\n    j2: {coordinate: 5 cm, rate: 0.3}\n    j3: "
    "{coordinate: [0.3, -20 deg], rate: [0, 0]}\n"
    "    j4: {coordinate: [0.2, -0.5, 0.7], rate: [1, 2, 3]}\n    j5: {coordinate: [-2 cm, 4], rate: [0.1, -1]}\n"
    "    j6: {rate: 2}\n    j7: {coordinate: [1 cm, 2 cm, -0.9], rate: [0.1, 0.2, 0.3]}\n";

static void test_every_kind(void **unused)
{
    static const double q[] = {0.4, 0.05, 0.3, -PI / 9.0, -0.02, 4.0, 0.0, 0.01, 0.02, -0.9};
    static const double rate[] = {0.0, 0.3, 0.0, 0.0, 0.1, -1.0, 2.0, 0.1, 0.2, 0.3};
    enum { N = sizeof q / sizeof *q };
    scenario s[2] = {scenario_open(zoo, "maximal"), scenario_open(zoo, "reduced")};
    double all[2][7 * 9];
    for (int k = 0; k < 2; k++) {
        double now[N], moving[N], worst[3] = {0.0, 0.0, 0.0};
        assert_int_equal(tn_model_coordinate_count(s[k].model), N);
        tn_state_get_coordinates(s[k].state, now, moving);
        for (int i = 0; i < N; i++) {
            worst[0] = fmax(worst[0], fabs(now[i] - q[i]));
            worst[1] = fmax(worst[1], fabs(moving[i] - rate[i]));
        }
        for (int j = 0; j < s[k].model->n_joints; j++) {
            const tn_model_joint *joint = &s[k].model->joints[j];
            tn_joint_geometry at;
            tn_joint_look(joint, &s[k].state->pose[joint->body_a], &s[k].state->pose[joint->body_b], &at);
            for (int i = 0; i < joint->n_holds; i++) {
                worst[2] = fmax(worst[2], fabs(at.violation[i]));
                worst[2] = fmax(worst[2], fabs(tn_joint_rate(s[k].model, joint, s[k].state->pose, &at, &at.hold[i],
                                                             s[k].model->start_along)));
            }
        }
        check_below("coordinates", worst[0], 1e-14);
        check_below("rates", worst[1], 1e-13);
        check_below("what joints hold, and its rate", worst[2], 1e-14);
        check_below("velocity of the base", fabs(scenario_velocity(&s[k], 1, 0) - 0.3), 1e-15);
        tn_state_get_bodies(s[k].state, all[k], NULL);
    }
    double between = 0.0;
    for (int i = 0; i < 7 * 9; i++) {
        between = fmax(between, fabs(all[0][i] - all[1][i]));
    }
    check_below("between both", between, 1e-14);
    scenario_run(&s[0], 0.05);
    scenario_run(&s[1], 0.05);
    double apart = 0.0;
    for (int b = 1; b < tn_model_body_count(s[0].model); b++) {
        for (int k = 0; k < 3; k++) {
            apart = fmax(apart, fabs(scenario_position(&s[0], b, k) - scenario_position(&s[1], b, k)));
        }
    }
    check_below("both after 50 ms [m]", apart, 1e-9);
    scenario_close(&s[0]);
    scenario_close(&s[1]);
}

// A model from a file, by an override: MJCF's keyframe and the joints' coordinates lead to the same place.
static void test_of_a_file(void **unused)
{
    static const char text[] =
        "<mujoco><worldbody><body name='a'><joint name='x' axis='0 1 0'/><geom size='.1' pos='.3 0 0'/>"
        "<body name='b' pos='.6 0 0'><joint name='y' axis='1 1 0'/><joint name='z' type='slide'/>"
        "<geom size='.1' pos='.3 0 .1'/></body></body></worldbody>%s</mujoco>";
    const char *const set[] = {"initial.joints.x={coordinate: 0.4, rate: 2}",
                               "initial.joints.y={coordinate: -0.7, rate: 1}",
                               "initial.joints.z={coordinate: 0.2, rate: 3}"};
    char drawn[1024];
    tn_error error = {0};
    scenario key = scenario_open(text, "<keyframe><key qpos='.4 -.7 .2' qvel='2 1 3'/></keyframe>");
    snprintf(drawn, sizeof drawn, text, "");
    tn_scene *scene = tn_scene_parse(drawn, "test", 3, set, &error);
    assert_non_null(scene);
    scenario s = scenario_start(scene, "model");
    double pose[2][7 * 5], velocity[2][6 * 5], worst[2] = {0.0, 0.0};
    assert_true(tn_model_body_count(s.model) <= 5 && tn_model_body_count(s.model) == tn_model_body_count(key.model));
    move_along(&s);
    move_along(&key);
    tn_state_get_bodies(key.state, pose[0], velocity[0]);
    tn_state_get_bodies(s.state, pose[1], velocity[1]);
    for (const char *name = "ab"; *name; name++) { // the frame between two joints is the reader's own
        const int body = scenario_body(&s, (char[2]){*name, 0});
        for (int i = 0; i < 7; i++) {
            worst[0] = fmax(worst[0], fabs(pose[0][7 * body + i] - pose[1][7 * body + i]));
        }
        for (int i = 0; i < 6; i++) {
            worst[1] = fmax(worst[1], fabs(velocity[0][6 * body + i] - velocity[1][6 * body + i]));
        }
    }
    check_below("poses", worst[0], 1e-14);
    check_below("velocities", worst[1], 1e-14);
    scenario_close(&key);
    scenario_close(&s);
}

// Where a mechanism is too large for reduced coordinates the velocities of a keyframe stay as they are.
static void test_large(void **unused)
{
    enum { N = 400 };
    static char text[100 * N];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "<mujoco><worldbody><body name='hub'><joint axis='0 1 0'/><inertial pos='0 0 0' "
                                "mass='1' diaginertia='1 1 1'/>");
    for (int i = 0; i < N; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<body><joint/><inertial pos='1 0 0' mass='1' diaginertia='1 1 1'/></body>");
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "</body></worldbody><keyframe><key qvel='2");
    for (int i = 0; i < N; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, " 0");
    }
    snprintf(text + n, sizeof text - n, "'/></keyframe></mujoco>");
    scenario s = scenario_open("%s", text);
    double linear[3], angular[3];
    tn_state_body_velocity(s.state, scenario_body(&s, "hub"), linear, angular);
    check_near("the hub turns [rad/s]", angular[1], 2.0, 0.0);
    scenario_close(&s);
}

// Of what hangs together freely the body that is no joint's b stays where it is drawn, and its motion comes first in
// the interface's rates, however light it is, whatever base steps have and wherever the scene has it.
static void test_base_stays(void **unused)
{
    static const char light[] = "  light: {position: [1, 0, 0], shape: {sphere: 0.02}}\n",
                      heavy[] = "  heavy: {position: [1.5, 0, 0], shape: {sphere: 0.2}}\n";
    for (int later = 0; later < 2; later++) {
        scenario s = scenario_open("coordinates: reduced\nbodies:\n%s%sjoints:\n"
                                   "  hinge: {type: revolute, a: light, b: heavy, anchor: [1, 0, 0], axis: [0, 0, 1]}\n"
                                   "initial: {joints: {hinge: 90 deg}}\n",
                                   later ? heavy : light, later ? light : heavy);
        tn_error error = {0};
        int base = scenario_body(&s, "light"), other = scenario_body(&s, "heavy"), body = -1, which = -1;
        check_near("light, x [m]", scenario_position(&s, base, 0), 1.0, 0.0);
        check_near("heavy, x [m]", scenario_position(&s, other, 0), 1.0, 1e-15);
        check_near("heavy, y [m]", scenario_position(&s, other, 1), 0.5, 1e-15);
        tn_dynamics *dynamics = tn_dynamics_create(s.model, &error);
        assert_non_null(dynamics);
        assert_int_equal(tn_dynamics_rate(dynamics, 0, NULL, NULL, &body, &which, &error), TN_OK);
        assert_int_equal(body, base);
        tn_dynamics_destroy(dynamics);
        scenario_close(&s);
    }
}

// A parallelogram: the hinge of the right side closes the loop and follows.
static const char parallelogram[] =
    "coordinates: reduced\ndefaults: {body: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\nbodies:\n"
    "  left: {position: [0, 0, 0.5]}\n  top: {position: [0.5, 0, 1]}\n  right: {position: [1, 0, 0.5]}\njoints:\n"
    "  a: {type: revolute, b: left, anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  b: {type: revolute, a: left, b: top, anchor: [0, 0, 1], axis: [0, 1, 0]}\n"
    "  c: {type: revolute, b: right, anchor: [1, 0, 0], axis: [0, 1, 0]}\n"
    "  d: {type: revolute, a: right, b: top, anchor: [1, 0, 1], axis: [0, 1, 0]}\n"
    "initial: {joints: {%s}}\n";

static void test_loop(void **unused)
{
    scenario s = scenario_open(parallelogram, "a: 0.3, b: -0.3, d: -0.3");
    double q[4], rate[4];
    tn_state_get_coordinates(s.state, q, rate);
    check_below("the angle that follows", fabs(q[2] - 0.3), 1e-14);
    scenario_step(&s);
    check_below("drift", s.report.solve.certificate.drift, 1e-10);
    scenario_close(&s);
    char text[2048];
    snprintf(text, sizeof text, parallelogram, "a: 0.3, b: 0, d: 0.3");
    tn_error error = {0};
    assert_null(tn_model_create(tn_scene_parse(text, "test", 0, NULL, &error), &error));
    print_message("%s\n", error.message);
    assert_non_null(strstr(error.message, "do not close the loop of joint 'c'"));
    assert_true(error.line == 12 && error.column == 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_links),  cmocka_unit_test(test_first_step),
                                       cmocka_unit_test(test_every_kind), cmocka_unit_test(test_of_a_file),
                                       cmocka_unit_test(test_large),      cmocka_unit_test(test_base_stays),
                                       cmocka_unit_test(test_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
