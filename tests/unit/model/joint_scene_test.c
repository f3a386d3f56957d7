// Joints in scene files: what they become, and what is refused, with its place.
#include <math.h>
#include <stdio.h>

#include "../scene/parse.h"
#include "model/compile.h"
#include "model/model.h"
#include "tenon/sim.h"
#include "test.h"

#define BODIES                                                                                                         \
    "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {position: [1, 0, 0], mass: 1, inertia: [1, 1, 1]}, "               \
    "f: {fixed: true}}\n"

// Defaults may say what some kinds have no use for.
static void test_reading(void **unused)
{
    tn_scene *scene = parse(BODIES "stabilization: baumgarte\nprojection: 3\n"
                                   "defaults: {joint: {type: revolute, axis: [0, 3, 4], turn: {friction: 0.5}}}\n"
                                   "joints:\n"
                                   "  pin: {a: a, b: b, anchor: [0.5 m, 0, 0], turn: {limits: [-90 deg, infinite], "
                                   "friction: 2, motor: {velocity: 'sin(t)', strength: 3}}}\n"
                                   "  rod: {type: distance, a: a, b: b, point_b: [0, 1, 0]}\n"
                                   "  axle: {b: b}\n"
                                   "  mesh: {type: gear, joints: [pin, axle], ratio: -2}\n");
    assert_int_equal(scene->n_joints, 4);
    assert_int_equal(scene->settings.stabilization, TN_GAP_BAUMGARTE);
    assert_int_equal(scene->settings.projection, 3);
    const tn_scene_joint *pin = &scene->joints[0], *rod = &scene->joints[1], *mesh = &scene->joints[3];
    assert_vector(pin->point_a, 0.5, 0.0, 0.0, 0.0);
    assert_vector(pin->point_b, -0.5, 0.0, 0.0, 0.0);
    assert_vector(pin->axis, 0.0, 0.6, 0.8, 1e-15);
    const tn_scene_drive *turn = &pin->drive[TN_AXIS_TURN];
    assert_true(fabs(turn->low + 1.5707963267948966) < 1e-15 && turn->high == INFINITY);
    assert_true(turn->friction == 2.0 && turn->motor == TN_MOTOR_VELOCITY && turn->strength == 3.0);
    assert_true(tn_value_at(&turn->target, 0.5) == sin(0.5));
    assert_true(scene->joints[2].body_a == -1 && scene->joints[2].drive[TN_AXIS_TURN].friction == 0.5);
    assert_true(isnan(rod->length) && !rod->drive[TN_AXIS_SLIDE].said && !rod->collide);
    assert_vector(rod->point_b, 0.0, 1.0, 0.0, 0.0);
    assert_true(mesh->kind == TN_JOINT_GEAR && mesh->gear_joint[0] == 0 && mesh->gear_joint[1] == 2);
    assert_true(mesh->gear_factor[0] == 2.0 && mesh->gear_axis[1] == TN_AXIS_TURN);
    tn_error error = {0};
    tn_model *model = tn_model_create(scene, &error);
    assert_non_null(model);
    assert_int_equal(model->n_joint_coordinates, 3);
    assert_true(fabs(model->joints[1].length - sqrt(2.0)) < 1e-15);
    assert_true(tn_model_joined(model, 1, 2) && tn_model_joined(model, 2, 1) && !tn_model_joined(model, 1, 3));
    tn_model_destroy(model);
}

static void refuse(const char *joint, int column, const char *message)
{
    char text[1024];
    snprintf(text, sizeof text, BODIES "joints:\n  j: {%s}\n", joint);
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "test.yaml", 0, NULL, &error);
    tn_model *model = scene ? tn_model_create(scene, &error) : NULL;
    if (model || error.line != 3 || error.column != column || strcmp(error.message, message) != 0) {
        fail_msg("%s\ngives %d:%d: %s\ninstead of 3:%d: %s", joint, error.line, error.column, error.message, column,
                 message);
    }
}

static void test_refusals(void **unused)
{
    const char *useless = "'axis' takes no part in this kind of joint: leave it out";
    refuse("type: hinge, b: b", 13,
           "'type' must be one of revolute, prismatic, cylindrical, spherical, universal, weld, planar, point_on_line, "
           "point_on_plane, distance, screw, rolling, bushing, gear, not 'hinge'");
    refuse("type: revolute, b: b", 6, "this kind of joint needs an 'axis'");
    refuse("type: screw, b: b, axis: [0, 0, 1]", 6,
           "a screw needs a 'pitch' that is not 0: the way along its axis in a turn");
    refuse("type: screw, b: b, axis: [0, 0, 1], pitch: 0", 6,
           "a screw needs a 'pitch' that is not 0: the way along its axis in a turn");
    refuse("type: rolling, b: b, axis: [0, 0, 1]", 6, "a rolling joint needs the 'radius' of its ball");
    refuse("type: screw, b: b, axis: [0, 0, 1], pitch: 1 mm, radius: 1", 64, "'radius' is for rolling joints only");
    refuse("type: screw, b: b, axis: [0, 0, 1], pitch: 1 rad", 50, "wrong unit in '1 rad'; 'pitch' is a number in m");
    refuse("type: revolute, b: b, axis: [0, 0, 1], pitch: 1 mm", 53, "'pitch' is for screws only");
    refuse("type: screw, b: b, axis: [0, 0, 1], pitch: 1 mm, slide: {friction: 1}", 63,
           "this kind of joint has no free coordinate 'slide'");
    refuse("type: revolute, b: b, axis: [0, 0, 0]", 35, "'axis' must not be the zero vector");
    refuse("type: universal, b: b, axis: [0, 0, 1], axis2: [1, 0, 1]", 54,
           "'axis2' of a universal joint must be at right angles to 'axis': it is 0.785 rad off");
    refuse("type: planar, b: b, axis: [0, 0, 1], axis2: [0, 0, 2]", 51, "'axis2' must not be along 'axis'");
    refuse("type: weld, a: b, b: b", 28, "a joint needs two different bodies, or one and the world");
    refuse("type: weld, a: f", 6, "a joint needs its body 'b'");
    refuse("type: weld, a: f, b: world", 6, "neither of the joint's bodies can move freely: it has nothing to hold");
    refuse("type: weld, a: x, b: b", 22, "no body 'x'");
    refuse("type: spherical, b: b, axis: [0, 0, 1]", 36, useless);
    refuse("type: revolute, b: b, axis: [0, 0, 1], slide: {friction: 1}", 53,
           "this kind of joint has no free coordinate 'slide'");
    refuse("type: revolute, b: b, axis: [0, 0, 1], turn: {limits: [1, 0]}", 52, "'limits' must ascend: 1 is above 0");
    refuse("type: revolute, b: b, axis: [0, 0, 1], turn: {limits: [1 m, 2 m]}", 62,
           "wrong unit in '1 m'; 'limits' is a number in rad");
    refuse("type: revolute, b: b, axis: [0, 0, 1], turn: {motor: {strength: 1}}", 60,
           "a motor takes either position or velocity");
    refuse("type: revolute, b: b, axis: [0, 0, 1], length: 1", 54, "'length' is for distances only");
    refuse("type: gear, joints: [p, q], ratio: 1", 28, "no joint 'p' is said before this gear");
    const char *needs = "a gear needs 'joints', for each but the last one a 'ratio' that is not 0, and if it says "
                        "'coordinates' one of each";
    refuse("type: gear, ratio: 1", 6, needs);
    refuse("type: gear, b: b, joints: [p, q], ratio: 1", 22, "'b' is not for a gear: it couples joints");
    refuse("type: weld, b: b, ratio: 1", 32, "'ratio' is for gears only");
}

static void test_impossible(void **unused)
{
    refuse("type: spherical, a: a, b: b, point_a: [0.5, 0, 0], point_b: [-0.4, 0, 0]", 3,
           "joint 'j' is impossible at the start: it is off by 0.1 m and 0 rad (its slack allows 1e-06); move the "
           "bodies or the points");
    refuse("type: distance, a: a, b: b, length: 2", 3,
           "joint 'j' is impossible at the start: it is off by 1 m and 0 rad (its slack allows 1e-06); move the bodies "
           "or the points");
    refuse("type: distance, a: a, point_a: [1, 0, 0], b: b", 3,
           "joint 'j' is a distance of nothing: give two points that are apart");
    refuse(
        "type: revolute, b: b, axis: [0, 0, 1], turn: {motor: {position: 1}}", 3,
        "the motor of joint 'j' asks for 1 at the start, where the coordinate is 0: start there, or give the motor a "
        "strength or stiffness");
    refuse("type: revolute, b: b, axis: [0, 0, 1], turn: {limits: [1, 2]}", 3,
           "joint 'j' starts at 0, outside its limits 1 to 2");
}

// Another stiffness or damping is another model; compliance and its inverse are the same.
static uint64_t hash_of(const char *joint)
{
    char text[1024];
    snprintf(text, sizeof text, BODIES "joints:\n  j: {%s}\n", joint);
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "test.yaml", 0, NULL, &error);
    tn_model *model = scene ? tn_model_create(scene, &error) : NULL;
    assert_non_null(model);
    uint64_t hash = tn_model_hash(model);
    tn_model_destroy(model);
    return hash;
}

static void test_softness_in_hash(void **unused)
{
    static const char *const joints[] = {
        "type: weld, b: b",
        "type: weld, b: b, stiffness: 4",
        "type: weld, b: b, stiffness: 4, damping: 1",
        "type: weld, b: b, turn_stiffness: 4",
        "type: weld, b: b, turn_stiffness: 4, turn_damping: 1",
        "type: prismatic, axis: [1, 0, 0], b: b, slide: {limits: [-1, 1]}",
        "type: prismatic, axis: [1, 0, 0], b: b, slide: {limits: [-1, 1], limit_stiffness: 4}",
        "type: prismatic, axis: [1, 0, 0], b: b, slide: {limits: [-1, 1], limit_stiffness: 4, limit_damping: 1}",
        "type: prismatic, axis: [1, 0, 0], b: b, slide: {motor: {position: 0}}",
        "type: prismatic, axis: [1, 0, 0], b: b, slide: {motor: {position: 0, stiffness: 4}}",
        "type: prismatic, axis: [1, 0, 0], b: b, slide: {motor: {position: 0, stiffness: 4, damping: 1}}",
        "type: bushing, b: b, stiffness: 4",
        "type: bushing, b: b, stiffness: [4, 4, 5]",
        "type: bushing, b: b, stiffness: 4, damping: 1",
    };
    enum { N = sizeof joints / sizeof *joints };
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < i; k++) {
            assert_true(hash_of(joints[i]) != hash_of(joints[k]));
        }
    }
    assert_true(hash_of(joints[1]) == hash_of("type: weld, b: b, compliance: 0.25"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_softness_in_hash),
        cmocka_unit_test(test_impossible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
