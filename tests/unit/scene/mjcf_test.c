// MJCF: defaults and classes, ways to say an orientation, geoms and their masses, chains of joints, contact bits,
// loops, actuators, the start at a keyframe; what is remarked.
#include <math.h>

#include "parse.h"

#include "base/memory.h"
#include "math/quat.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#define PI 3.14159265358979323846

static const tn_scene_joint *find_joint(const tn_scene *scene, const char *name)
{
    for (int i = 0; i < scene->n_joints; i++) {
        if (strcmp(scene->joints[i].name, name) == 0) {
            return &scene->joints[i];
        }
    }
    return NULL;
}

static double number_off(double a, double b)
{
    return fabs(a - b) / fmax(1.0, fabs(b));
}

static bool remarked(const tn_scene *scene, const char *text)
{
    char line[600];
    for (int i = 0; tn_scene_remark(scene, i, line, sizeof line); i++) {
        if (strstr(line, text)) {
            return true;
        }
    }
    return false;
}

static bool has_body(const tn_scene *scene, const char *name)
{
    for (int i = 0; i < scene->n_bodies; i++) {
        if (strcmp(scene->bodies[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// In MJCF geoms and bodies, or joints, tendons and equalities, may have one name.
static void kinds_of_elements_share_no_names(void **state)
{
    tn_scene *scene =
        parse("<mujoco><default><geom size='0.1'/></default><worldbody>"
              "<geom name='table' type='sphere' pos='0 0 -2'/><geom name='body1' pos='0 0 -3'/>"
              "<body name='table'><joint name='a'/><geom/><body><joint name='b'/><geom/></body></body>"
              "<body name='body3' pos='0 0 3'><freejoint/><geom/></body></worldbody>"
              "<tendon><fixed name='a' stiffness='1'><joint joint='a' coef='1'/><joint joint='b' coef='2'/></fixed>"
              "</tendon><equality><connect name='a' body1='body3' body2='table' anchor='0 0 0'/>"
              "</equality></mujoco>");
    assert_true(has_body(scene, "table") && has_body(scene, "table-ground"));
    assert_true(has_body(scene, "body1") && has_body(scene, "body2") && has_body(scene, "body3"));
    assert_int_equal(find_joint(scene, "a")->kind, TN_JOINT_REVOLUTE);
    assert_int_equal(find_joint(scene, "a-2")->kind, TN_JOINT_GEAR);
    assert_int_equal(find_joint(scene, "a-3")->kind, TN_JOINT_SPHERICAL);
    tn_scene_destroy(scene);
}

// Keyframes have rounded numbers: a loop that they leave open closes, a weld stays as it starts; both are said.
static void loops_may_start_open(void **state)
{
    for (int weld = 0; weld < 2; weld++) {
        char text[700];
        snprintf(text, sizeof text,
                 "<mujoco><default><geom size='0.1' contype='0'/></default><worldbody>"
                 "<body name='a'><joint name='a' axis='0 1 0'/><geom pos='1 0 0'/></body>"
                 "<body name='b' pos='2 0 0'><joint name='b' axis='0 1 0'/><geom pos='-1 0 0'/></body></worldbody>"
                 "<equality><%s/></equality><keyframe><key qpos='0 0.001'/></keyframe></mujoco>",
                 weld ? "weld name='e' body1='b' body2='a' anchor='1 0 0'"
                      : "connect name='e' body1='a' body2='b' anchor='1 0 0'");
        tn_scene *scene = parse(text);
        const tn_scene_joint *joint = find_joint(scene, "e");
        assert_true(remarked(scene, "'e' starts off by 0.001 m: "));
        assert_true(weld ? joint->slack == 1e-6 : joint->slack > 1e-3 && joint->slack < 1.01e-3);
        tn_scene_destroy(scene);
    }
}

static void keys_place_mocap_bodies(void **state)
{
    tn_scene *scene = parse("<mujoco><default><geom size='0.1' contype='0' conaffinity='0'/></default><worldbody>"
                            "<body name='still' pos='0 0 7'><geom/></body>"
                            "<body name='a' mocap='true' pos='0 0 5'><geom pos='1 0 0'/></body>"
                            "<body name='b' mocap='true' pos='0 0 6'><geom/></body></worldbody>"
                            "<keyframe><key mpos='1 2 3 4 5 6' mquat='1 0 0 1 0 0 0 0'/></keyframe></mujoco>");
    assert_false(remarked(scene, ""));
    assert_vector(scene->bodies[1].pose.position, 1, 2, 3, 1e-15);
    assert_true(number_off(scene->bodies[1].pose.quaternion[3], sqrt(0.5)) < 1e-15);
    assert_vector(scene->bodies[2].pose.position, 4, 5, 6, 1e-15);
    assert_true(scene->bodies[2].pose.quaternion[0] == 1.0);
    tn_scene_destroy(scene);
}

// A program moves them, with all that is part of them; what else is fixed stays so.
static void mocap_bodies_are_kinematic(void **state)
{
    tn_scene *scene = parse("<mujoco><default><geom size='0.1'/></default><worldbody>"
                            "<body name='still' pos='0 0 7'><geom/></body>"
                            "<body name='aim' mocap='true' pos='0 0 5'><body pos='0 1 0'><geom/></body></body>"
                            "<body name='bare' mocap='true' pos='0 2 5'/>"
                            "<body name='hand' pos='0 0 6'><freejoint/><geom mass='1'/></body></worldbody>"
                            "<equality><weld name='grip' body1='aim' body2='hand'/><weld body1='bare' body2='still'/>"
                            "<weld body1='bare'/></equality></mujoco>");
    const tn_scene_joint *grip = find_joint(scene, "grip");
    assert_int_equal(scene->n_bodies, 4);
    assert_int_equal(scene->n_joints, 1); // what nothing in the file moves needs none
    assert_true(scene->bodies[0].kind == TN_BODY_FIXED && scene->bodies[1].kind == TN_BODY_KINEMATIC);
    assert_true(scene->bodies[1].n_shapes == 1 && scene->bodies[2].kind == TN_BODY_KINEMATIC);
    assert_vector(scene->bodies[1].pose.position, 0, 0, 5, 0.0);
    assert_vector(scene->bodies[1].shapes[0].pose.position, 0, 1, 0, 1e-15);
    assert_true(grip->body_a == 1 && grip->body_b == 3);
    // It gives way as in MuJoCo: k d / (1 - d) over the inverse of mass and inertia, angles count half.
    const double k = 9.0 / (0.019 * 0.019);
    assert_true(number_off(1.0 / grip->compliance, k) < 1e-12 && number_off(grip->damping, 9.0 * 2.0 / 0.019) < 1e-12);
    assert_true(number_off(1.0 / grip->turn_compliance, 0.25 * k * 0.004) < 1e-12);
    tn_scene_destroy(scene);
}

static void settings_are_the_scenes(void **state)
{
    tn_scene *scene = parse("<mujoco model='m'><option timestep='0.003' gravity='1 2 3'/></mujoco>");
    assert_string_equal(scene->title, "m");
    assert_true(scene->settings.step == 0.003);
    assert_vector(scene->settings.gravity, 1, 2, 3, 0.0);
    tn_scene_destroy(scene);
    scene = parse("<mujoco><option gravity='1 2 3'><flag gravity='disable'/></option></mujoco>");
    assert_vector(scene->settings.gravity, 0, 0, 0, 0.0);
    assert_true(scene->settings.step == 0.01); // the scene's own
    tn_scene_destroy(scene);
}

// A class takes from the one that it stands in; an element says more than its class; childclass holds below.
static void classes_are_inherited(void **state)
{
    tn_scene *scene = parse("<mujoco><compiler angle='radian'/>"
                            "<default><joint damping='1' stiffness='7'/><geom size='0.5'/>"
                            "<default class='a'><joint damping='2'/>"
                            "<default class='b'><joint frictionloss='3'/></default></default></default>"
                            "<worldbody>"
                            "<body><joint name='plain'/><geom/></body>"
                            "<body childclass='b'><joint name='below'/><geom/>"
                            "<body><joint name='deeper' damping='5'/><geom/></body>"
                            "<body><joint name='other' class='a'/><geom size='0.25'/></body></body>"
                            "</worldbody></mujoco>");
    const struct {
        const char *name;
        double damping, friction;
    } wanted[] = {{"plain", 1, 0}, {"below", 2, 3}, {"deeper", 5, 3}, {"other", 2, 0}};
    for (int i = 0; i < 4; i++) {
        const tn_scene_drive *turn = &find_joint(scene, wanted[i].name)->drive[TN_AXIS_TURN];
        assert_true(turn->damping == wanted[i].damping && turn->friction == wanted[i].friction && turn->stiffness == 7);
    }
    assert_true(scene->bodies[0].shapes[0].shape.size[0] == 0.5 && scene->bodies[3].shapes[0].shape.size[0] == 0.25);
    tn_scene_destroy(scene);
}

// Of several sections of defaults each goes on with the one before, as a file and what it includes have them.
static void defaults_go_on(void **state)
{
    tn_scene *scene = parse("<mujoco><default><geom size='0.5' mass='2'/><joint damping='1'/></default>"
                            "<default><geom size='0.25'/><default class='a'><joint damping='3'/></default></default>"
                            "<worldbody><body><joint name='plain'/><geom/></body>"
                            "<body><joint name='other' class='a'/><geom/></body></worldbody></mujoco>");
    assert_true(scene->bodies[0].shapes[0].shape.size[0] == 0.25 && scene->bodies[0].inertia->mass == 2.0);
    assert_true(find_joint(scene, "plain")->drive[TN_AXIS_TURN].damping == 1.0);
    assert_true(find_joint(scene, "other")->drive[TN_AXIS_TURN].damping == 3.0);
    tn_scene_destroy(scene);
}

// One mechanism told in places of the world, as files had it before 2023, and in each body's own.
static void places_of_the_world(void **state)
{
    static const char *const ways[] = {
        "<mujoco><compiler coordinate='global'/><worldbody><body name='a' pos='1 0 2' euler='0 0 90'>"
        "<joint name='j' pos='1 0 3' axis='0 1 0'/><geom type='capsule' size='0.1' fromto='1 0 2 1 0.5 2'/>"
        "<body name='b' pos='1 0.5 2' euler='90 0 0'><joint name='k' pos='1 0.5 2' axis='0 0 1'/>"
        "<geom type='box' size='0.1 0.2 0.3' pos='1 0.75 2' euler='90 0 0'/></body></body></worldbody>"
        "<equality><connect body1='b' anchor='1 1 2'/></equality></mujoco>",
        "<mujoco><worldbody><body name='a' pos='1 0 2' euler='0 0 90'>"
        "<joint name='j' pos='0 0 1' axis='1 0 0'/><geom type='capsule' size='0.1' fromto='0 0 0 0.5 0 0'/>"
        "<body name='b' pos='0.5 0 0' quat='0.5 0.5 -0.5 -0.5'><joint name='k' pos='0 0 0' axis='0 1 0'/>"
        "<geom type='box' size='0.1 0.2 0.3' pos='0 0 -0.25'/></body></body></worldbody>"
        "<equality><connect body1='b' anchor='0 0 -0.5'/></equality></mujoco>"};
    tn_scene *global = parse(ways[0]), *local = parse(ways[1]);
    for (int i = 0; i < 2; i++) {
        const tn_scene_body *a = &global->bodies[i], *b = &local->bodies[i];
        const double *p = b->pose.position, *c = b->inertia->center;
        assert_vector(a->pose.position, p[0], p[1], p[2], 1e-15);
        double same = 0.0;
        for (int k = 0; k < 4; k++) {
            same += a->pose.quaternion[k] * b->pose.quaternion[k];
        }
        assert_true(fabs(fabs(same) - 1.0) < 1e-15);
        assert_vector(a->inertia->center, c[0], c[1], c[2], 1e-15);
        for (int k = 0; k < 9; k++) {
            assert_true(number_off(a->inertia->tensor[k], b->inertia->tensor[k]) < 1e-14);
        }
    }
    for (int i = 0; i < 3; i++) {
        const tn_scene_joint *a = &global->joints[i], *b = &local->joints[i];
        assert_vector(a->point_a, b->point_a[0], b->point_a[1], b->point_a[2], 1e-15);
        assert_vector(a->point_b, b->point_b[0], b->point_b[1], b->point_b[2], 1e-15);
        assert_vector(a->axis, b->axis[0], b->axis[1], b->axis[2], 1e-15);
    }
    tn_scene_destroy(global), tn_scene_destroy(local);
}

static void orientations_agree(void **state)
{
    // The same turn in five ways: y to -z ... by 0.7 rad about x; and Euler's angles one by one.
    static const char *const ways[] = {"quat='0.9393727128473789 0.34289780745545134 0 0'", "axisangle='2 0 0 0.7'",
                                       "euler='0.7 0 0'", "xyaxes='3 0 0 1 0.764842187284488 0.644217687237691'",
                                       "zaxis='0 -0.644217687237691 0.764842187284488'"};
    for (int i = 0; i < 5; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "<mujoco><compiler angle='radian'/><worldbody><body %s><freejoint/><geom size='1'/></body></worldbody>"
                 "</mujoco>",
                 ways[i]);
        tn_scene *scene = parse(text);
        double y[3];
        tn_quat_rotate(y, scene->bodies[0].pose.quaternion, (double[3]){0, 1, 0});
        assert_vector(y, 0, cos(0.7), sin(0.7), 1e-15);
        tn_scene_destroy(scene);
    }
    // 'xyz': about x, then about the y and z that turned along; 'XYZ': about axes that stay. z of the body:
    static const char *const orders[] = {"xyz", "XYZ"};
    const double z[2][3] = {{1, 0, 0}, {0, -1, 0}};
    for (int i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "<mujoco><compiler eulerseq='%s'/><worldbody><body euler='90 90 0'><freejoint/><geom size='1'/></body>"
                 "</worldbody></mujoco>",
                 orders[i]);
        tn_scene *scene = parse(text);
        double got[3];
        tn_quat_rotate(got, scene->bodies[0].pose.quaternion, (double[3]){0, 0, 1});
        assert_vector(got, z[i][0], z[i][1], z[i][2], 1e-15);
        tn_scene_destroy(scene);
    }
}

// Masses of geoms by hand: a ball and a box beside it, of one body; what has no mass or another group does not count.
static void geoms_weigh(void **state)
{
    tn_scene *scene = parse("<mujoco><compiler inertiagrouprange='0 2'/><worldbody><body><freejoint/>"
                            "<geom size='0.5' mass='3'/>"
                            "<geom type='box' size='0.5 1 1.5' pos='4 0 0' density='1'/>"
                            "<geom size='1' density='0'/><geom size='1' group='3'/>"
                            "</body></worldbody></mujoco>");
    const tn_scene_inertia *inertia = scene->bodies[0].inertia;
    double ball = 0.4 * 3 * 0.25, reduced = 3.0 * 6.0 / 9.0;
    assert_true(number_off(inertia->mass, 9.0) < 1e-15);
    assert_vector(inertia->center, 4.0 * 6.0 / 9.0, 0, 0, 1e-15);
    assert_vector((double[]){inertia->tensor[0], inertia->tensor[4], inertia->tensor[8]}, ball + 6.0 / 12 * (4 + 9),
                  ball + 6.0 / 12 * (1 + 9) + reduced * 16, ball + 6.0 / 12 * (1 + 4) + reduced * 16, 1e-13);
    tn_scene_destroy(scene);
    scene = parse(
        "<mujoco><compiler settotalmass='5' balanceinertia='true'/><worldbody>"
        "<body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 4'/></body>"
        "<body><freejoint/><inertial pos='0 0 0' mass='3' fullinertia='1 2 2.5 0.1 0.2 0.3'/><geom size='1'/></body>"
        "</worldbody></mujoco>");
    const double *t = scene->bodies[0].inertia->tensor, *f = scene->bodies[1].inertia->tensor;
    assert_true(scene->bodies[0].inertia->mass == 1.25 && scene->bodies[1].inertia->mass == 3.75);
    assert_vector((double[]){t[0], t[4], t[8]}, 2.5, 2.5, 2.5, 1e-15); // the mean 2 of what cannot be, times 5/4
    assert_vector((double[]){f[1], f[2], f[5]}, 0.125, 0.25, 0.375, 1e-15);
    tn_scene_destroy(scene);
}

// A closed mesh weighs what it encloses, not its hull: three cubes that make an L, also mirrored; an open one its hull.
static void meshes_weigh_what_they_enclose(void **state)
{
    static const double L[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    char path[] = "/tmp/tenon_mjcf_XXXXXX.obj", text[500];
    for (int open = 0; open < 2; open++) {
        int file = mkstemps(path, 4);
        assert_true(file >= 0);
        FILE *out = fdopen(file, "w");
        for (int i = 0; i < 12; i++) {
            fprintf(out, "v %g %g %d\n", L[i % 6][0], L[i % 6][1], i / 6);
        }
        for (int i = 1; i < 5; i++) { // (0, 0) sees all of it
            fprintf(out, "f 7 %d %d\n", i + 7, i + 8);
            if (!open) {
                fprintf(out, "f 1 %d %d\n", i + 2, i + 1);
            }
        }
        for (int i = 0; i < 6; i++) {
            int k = (i + 1) % 6;
            fprintf(out, "f %d %d %d\nf %d %d %d\n", i + 1, k + 1, k + 7, i + 1, k + 7, i + 7);
        }
        fclose(out);
        for (int mirror = 1; mirror >= -1; mirror -= 2) {
            snprintf(text, sizeof text,
                     "<mujoco><asset><mesh name='m' file='%s' scale='%d 1 1'/></asset><worldbody><body><freejoint/>"
                     "<geom type='mesh' mesh='m' density='2'/></body></worldbody></mujoco>",
                     path, mirror);
            tn_scene *scene = parse(text);
            const tn_scene_inertia *inertia = scene->bodies[0].inertia;
            assert_true(number_off(inertia->mass, open ? 7.0 : 6.0) < 1e-14); // the hull: 3.5
            if (!open) {
                // Ixx of cubes of 2 kg: 2/6 each, and their centers' y off the mean.
                const double c = 2.5 / 3, xx = 3 * 2.0 / 6 + 2.0 * (2 * pow(0.5 - c, 2) + pow(1.5 - c, 2));
                assert_vector(inertia->center, mirror * c, c, 0.5, 1e-15);
                assert_true(number_off(inertia->tensor[0], xx) < 1e-14 && number_off(inertia->tensor[4], xx) < 1e-14);
            }
            tn_scene_destroy(scene);
        }
        remove(path);
        memcpy(path + 16, "XXXXXX", 6);
    }
}

// A cube whose corner at (1, 1, 1) is pushed in to its middle, in faces of the file itself.
static void faces_weigh_what_they_enclose(void **state)
{
    static const char form[] =
        "<mujoco><asset><mesh name='m' %s vertex='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 0 1 1 0.5 0.5 0.5' face='0 2 1 "
        "0 3 2 0 1 5 0 5 4 0 4 6 0 6 3 7 1 2 7 5 1 7 4 5 7 6 4 7 3 6 7 2 3'/></asset><worldbody><body><freejoint/>"
        "<geom type='mesh' mesh='m' density='6'/></body></worldbody></mujoco>";
    static const struct {
        const char *inertia;
        double mass;
    } wanted[] = {{"", 3.0}, {"inertia='exact'", 3.0}, {"inertia='shell'", 3.0}, {"inertia='convex'", 5.0}};
    for (int i = 0; i < 4; i++) {
        char text[600];
        snprintf(text, sizeof text, form, wanted[i].inertia);
        tn_scene *scene = parse(text);
        assert_true(number_off(scene->bodies[0].inertia->mass, wanted[i].mass) < 1e-14);
        assert_true(remarked(scene, "'inertia' shell") == (i == 2));
        tn_scene_destroy(scene);
    }
}

static void sizes_are_halves(void **state)
{
    tn_scene *scene =
        parse("<mujoco><worldbody>"
              "<geom name='floor' type='plane' size='0 0 1' pos='0 0 -1'/>"
              "<geom name='pin' type='cylinder' fromto='1 0 0 3 0 0' size='0.25'/>"
              "<geom name='beam' type='box' fromto='1 0 0 3 0 0' size='0.25 0.5 3'/>"
              "<geom name='hill' type='hfield' hfield='h'/>"
              "<body name='b' pos='0 0 5'><freejoint/><geom type='capsule' size='0.1 0.4'/>"
              "<frame pos='1 0 0' euler='0 0 90'><geom type='ellipsoid' size='1 2 3' pos='0 1 0'/></frame>"
              "<geom type='mesh' mesh='tip'/></body></worldbody>"
              "<asset><hfield name='h' nrow='2' ncol='3' size='2 1 0.5 1' elevation='1 1 1 1 1 3'/>"
              "<mesh name='tip' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='1 1 2'/></asset></mujoco>");
    assert_int_equal(find_body(scene, "floor")->kind, TN_BODY_FIXED);
    const tn_scene_shape *pin = &find_body(scene, "pin")->shapes[0], *b = find_body(scene, "b")->shapes;
    double along[3];
    tn_quat_rotate(along, pin->pose.quaternion, (double[3]){0, 0, 1});
    assert_vector(along, -1, 0, 0, 1e-15); // from the second end to the first
    assert_vector(pin->pose.position, 2, 0, 0, 0.0);
    assert_vector(pin->shape.size, 0.25, 1.0, 0.0, 0.0);
    assert_vector(find_body(scene, "beam")->shapes[0].shape.size, 0.25, 0.25, 1.0, 0.0); // the first size counts
    assert_vector(b[0].shape.size, 0.1, 0.4, 0.0, 0.0);
    assert_vector(b[1].shape.size, 1, 2, 3, 0.0);
    assert_vector(b[1].pose.position, 0, 0, 0, 1e-15); // one back from the frame's origin
    assert_true(number_off(tn_shape_volume(&b[2].shape), 2.0 / 6.0) < 1e-15);
    assert_int_equal(find_body(scene, "hill")->shapes[0].shape.kind, TN_SHAPE_HEIGHTS);
    tn_scene_destroy(scene);
}

// Shapes with the inertia of a mesh, so to say, of a block of 0.06, 0.2 and 0.1 here: z goes along its longest side.
static void shapes_are_fitted_to_meshes(void **state)
{
    static const char *const types[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box"};
    static const double size[][3] = {{0.06}, {0.04, 0.08}, {0.03, 0.05, 0.1}, {0.04, 0.1}, {0.03, 0.05, 0.1}};
    for (int i = 0; i < 5; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 "<mujoco><asset><mesh name='m' vertex='1 1 1 1.06 1 1 1 1.2 1 1.06 1.2 1 1 1 1.1 1.06 1 1.1 1 1.2 1.1 "
                 "1.06 1.2 1.1'/></asset><worldbody><geom name='g' type='%s' mesh='m' pos='0 0 1' fitscale='2'/>"
                 "</worldbody></mujoco>",
                 types[i]);
        tn_scene *scene = parse(text);
        const tn_scene_shape *shape = &find_body(scene, "g")->shapes[0];
        double z[3];
        tn_quat_rotate(z, shape->pose.quaternion, (double[3]){0.0, 0.0, 1.0});
        assert_vector(shape->shape.size, 2 * size[i][0], 2 * size[i][1], 2 * size[i][2], 1e-14);
        assert_vector(shape->pose.position, 1.03, 1.1, 2.05, 1e-14);
        assert_true(i == 0 || fabs(fabs(z[1]) - 1.0) < 1e-14);
        tn_scene_destroy(scene);
    }
}

// Which joints of the scene a body's chain becomes, and that a frame between two has a ten-thousandth of the mass.
static void chains_are_joined(void **state)
{
    static const struct {
        const char *chain;
        tn_joint_kind kind;
        int n_joints;
    } cases[] = {
        {"<joint axis='0 0 2'/>", TN_JOINT_REVOLUTE, 1},
        {"<joint type='slide'/>", TN_JOINT_PRISMATIC, 1},
        {"<joint type='ball'/>", TN_JOINT_SPHERICAL, 1},
        {"<joint axis='1 0 0'/><joint axis='0 1 0'/>", TN_JOINT_UNIVERSAL, 1},
        {"<joint axis='1 0 0'/><joint axis='0 1 0' pos='0 0 1'/>", TN_JOINT_REVOLUTE, 2},
        {"<joint axis='1 0 0'/><joint axis='1 1 0'/>", TN_JOINT_REVOLUTE, 2},
        {"<joint type='slide'/><joint/>", TN_JOINT_CYLINDRICAL, 1},
        {"<joint/><joint type='slide'/>", TN_JOINT_CYLINDRICAL, 1},
        {"<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><joint axis='0 1 0'/>", TN_JOINT_PLANAR,
         1},
        {"<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint type='slide'/>",
         TN_JOINT_PRISMATIC, 3},
        {"<joint axis='1 0 0'/><joint axis='0 1 0'/><joint axis='0 0 1'/>", TN_JOINT_UNIVERSAL, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body name='p'><joint/><geom size='1'/><body name='b'>%s"
                 "<inertial pos='0 0 1' mass='2' diaginertia='1 2 3'/></body></body></worldbody></mujoco>",
                 cases[i].chain);
        tn_scene *scene = parse(text);
        int more = cases[i].n_joints - 1;
        assert_int_equal(scene->n_joints, 1 + cases[i].n_joints);
        assert_int_equal(scene->joints[1].kind, cases[i].kind);
        assert_int_equal(scene->n_bodies, 2 + more);
        double mass = 0.0;
        for (int b = 1; b < scene->n_bodies; b++) {
            mass += scene->bodies[b].inertia->mass;
            assert_true(b == 1 || number_off(scene->bodies[b].inertia->mass, 2e-6) < 1e-15);
        }
        assert_true(number_off(mass, 2.0) < 1e-15);
        assert_true(remarked(scene, "has several joints") == (more > 0));
        tn_scene_destroy(scene);
    }
}

// The start at a keyframe by hand: a hinge in the middle of a link turned by 90 degrees, then a slide along its axis.
static void keyframes_are_the_start(void **state)
{
    static const char text[] =
        "<mujoco><compiler angle='radian'/><worldbody><body name='base' pos='0 0 9'><freejoint/><geom size='0.1'/>"
        "<body name='arm' pos='1 0 0'><joint name='h' pos='0 1 0' axis='0 0 1' ref='0.5' range='-1 3' springref='0.25'"
        " stiffness='2'/><geom size='0.1'/>"
        "<body name='rod' pos='2 0 0'><joint name='s' type='slide' axis='1 0 0'/><geom "
        "size='0.1'/></body></body></body>"
        "</worldbody><keyframe><key qpos='0 0 0 1 0 0 0 0 0'/>"
        "<key name='k' qpos='1 2 3 1 0 0 0 2.0707963267948966 0.5' qvel='0 0 1 0 0 0 2 3'/></keyframe></mujoco>";
    tn_scene *scene = parse(text);
    assert_vector(find_body(scene, "base")->pose.position, 0, 0, 0, 0.0); // of the first
    tn_scene_destroy(scene);
    char file[] = "/tmp/tenon_keyframe_XXXXXX", around[200];
    int number = mkstemp(file);
    assert_true(number >= 0 && write(number, text, strlen(text)) == (ssize_t)strlen(text));
    close(number);
    snprintf(around, sizeof around,
             "robots: [{file: %s, keyframe: k, prefix: a-, set: [joints.a-s.slide.motor.position=2*t]}]", file);
    scene = parse(around);
    assert_int_equal(find_joint(scene, "a-s")->drive[TN_AXIS_SLIDE].motor, TN_MOTOR_POSITION);
    assert_true(tn_value_at(&find_joint(scene, "a-s")->drive[TN_AXIS_SLIDE].target, 1.5) == 3.0);
    tn_scene_destroy(scene);
    snprintf(around, sizeof around, "robots: [{file: %s, keyframe: k}]", file);
    scene = parse(around);
    unlink(file);
    const tn_scene_body *arm = find_body(scene, "arm"), *rod = find_body(scene, "rod");
    const tn_scene_drive *turn = &find_joint(scene, "h")->drive[TN_AXIS_TURN];
    // The hinge stands at (2, 3, 3); the arm's origin was (0, -1) from it and is now (1, 0).
    assert_vector(arm->pose.position, 3, 3, 3, 1e-15);
    assert_vector(rod->pose.position, 3, 5.5, 3, 1e-15);
    assert_vector(arm->velocity->linear, 0, 2, 1, 1e-15);
    assert_vector(arm->velocity->angular, 0, 0, 2, 1e-15);
    assert_vector(rod->velocity->linear, -2 * 2.5, 2 + 3, 1, 1e-14);
    double q = 0.5 + PI / 2;
    assert_vector((double[]){turn->low, turn->high, turn->rest}, -1 - q, 3 - q, 0.25 - q, 1e-15);
    tn_scene_destroy(scene);
}

// What `gravcomp` takes off is the weight by the gravity that the scene has: by overrides, by the scene around, by the
// first robot's file, by its own.
static void lifts_follow_the_gravity(void **state)
{
    char files[2][32] = {"/tmp/tenon_lift_a_XXXXXX", "/tmp/tenon_lift_b_XXXXXX"}, text[500], around[3][200];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "<mujoco><option gravity='0 0 -%d'/><worldbody><body name='%c' gravcomp='0.5'><joint/>"
                 "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody></mujoco>",
                 3 + i, "ab"[i]);
        int number = mkstemp(files[i]);
        assert_true(number >= 0 && write(number, text, strlen(text)) == (ssize_t)strlen(text));
        close(number);
    }
    snprintf(around[0], sizeof around[0], "{robots: [%s], gravity: [1, 0, -5 m/s^2]}", files[1]);
    snprintf(around[1], sizeof around[1], "{robots: [%s, %s]}", files[0], files[1]);
    snprintf(around[2], sizeof around[2], "{robots: [%s], gravity: [0, 0, -5]}", files[1]);
    static const double force[5][3] = {{-1, 0, 5}, {0, 0, 3}, {0, 0, 7}, {0, 0, 4}, {-2, 0, 6}};
    for (int i = 0; i < 5; i++) {
        const char *set[] = {i == 4 ? "gravity=[2, 0, -6]" : "gravity.2=-7"};
        tn_scene *scene = i < 3 ? parse_with(around[i], i == 2, set) : parse_with(text, i - 3, set);
        const tn_value *lift = find_body(scene, "b")->push->force;
        assert_vector((double[]){lift[0].constant, lift[1].constant, lift[2].constant}, force[i][0], force[i][1],
                      force[i][2], 1e-15);
        tn_scene_destroy(scene);
    }
    unlink(files[0]);
    unlink(files[1]);
}

// A part whose weight is taken off otherwise than that of what it is fixed to bears the force at its own center: it is
// welded. Parts that are alike, or weigh nothing, are one body.
static void lifted_parts_are_welded(void **state)
{
    static const char form[] = "<mujoco><worldbody><body name='a' gravcomp='%g'><joint/>"
                               "<inertial pos='0 0 0' mass='%g' diaginertia='1 1 1'/><body><body name='b' gravcomp='1'>"
                               "<inertial pos='1 0 0' mass='2' diaginertia='1 1 1'/></body></body></body></worldbody>"
                               "</mujoco>";
    static const struct {
        double lift, mass;
        int n_bodies;
        double force;
    } cases[] = {{0, 3, 2, 2 * 9.81}, {1, 3, 1, 5 * 9.81}, {0.5, 3, 2, 2 * 9.81}, {0, 0, 1, 2 * 9.81}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text, form, cases[i].lift, cases[i].mass);
        tn_scene *scene = parse(text);
        assert_int_equal(scene->n_bodies, cases[i].n_bodies);
        assert_int_equal(scene->n_joints, cases[i].n_bodies);
        const tn_scene_body *last = &scene->bodies[cases[i].n_bodies - 1];
        assert_true(number_off(last->push->force[2].constant, cases[i].force) < 1e-15);
        tn_scene_destroy(scene);
    }
}

// force = gain ctrl + b0 + b1 l + b2 l', l = gear q; limits of control and force; two of one joint add up.
static void actuators_are_servos(void **state)
{
    tn_scene *scene =
        parse("<mujoco><compiler angle='radian'/><worldbody>"
              "<body><joint name='p'/><geom size='1'/></body><body><joint name='v'/><geom size='1'/></body>"
              "<body><joint name='m'/><geom size='1'/></body>"
              "<body><joint name='g' type='slide'/><geom size='1'/></body></worldbody>"
              "<actuator><position joint='p' kp='10' kv='2' gear='3' ctrlrange='-1 0.75' forcerange='-4 4'/>"
              "<velocity joint='v' kv='5'/><motor joint='m'/>"
              "<general joint='g' gainprm='2' biastype='affine' biasprm='1 -4 -0.5'/>"
              "<position joint='g' kp='6'/></actuator>"
              "<keyframe><key ctrl='2 3 0 1.5 0.5' qpos='0.125 0 0 0.25'/></keyframe></mujoco>");
    const tn_scene_drive *p = &find_joint(scene, "p")->drive[TN_AXIS_TURN];
    const tn_scene_drive *v = &find_joint(scene, "v")->drive[TN_AXIS_TURN];
    const tn_scene_drive *g = &find_joint(scene, "g")->drive[TN_AXIS_SLIDE];
    assert_int_equal(p->motor, TN_MOTOR_POSITION);
    assert_true(number_off(1.0 / p->motor_compliance, 90.0) < 1e-15 && number_off(p->motor_damping, 18.0) < 1e-15);
    assert_true(number_off(p->target.constant, 0.75 / 3 - 0.125) < 1e-15 && p->strength == 12.0);
    assert_int_equal(v->motor, TN_MOTOR_VELOCITY);
    assert_true(v->target.constant == 3.0 && v->motor_damping == 5.0);
    assert_int_equal(find_joint(scene, "m")->drive[TN_AXIS_TURN].motor, TN_MOTOR_NONE);
    assert_true(number_off(1.0 / g->motor_compliance, 10.0) < 1e-15 && g->motor_damping == 0.5);
    assert_true(number_off(g->target.constant, (2 * 1.5 + 1 + 6 * 0.5) / 10 - 0.25) < 1e-15);
    tn_scene_destroy(scene);
}

// However it is written, an actuator takes what its class says of actuators of any kind (numbers: forces that MuJoCo
// 3.3.8 gives at the same place). The box has 0.2 kg m^2 about the hinge by its rotor, and 10 as its own.
static void classes_of_actuators_are_of_all_kinds(void **state)
{
    const struct {
        const char *actuator;
        double stiffness, damping, strength;
    } cases[] = {
        {"<position class='servo'/>", 160, 8, 100},
        {"<general class='servo'/>", 160, 8, 100},
        {"<position class='servo' dampratio='0.5'/>", 160, 4 * sqrt(40 * 10.2) / 2, 100},
        {"<position class='ratio' kv='4'/>", 160, 16, INFINITY},
        {"<position class='law'/>", 120, 12, INFINITY},
        {"<velocity class='law'/>", 0, 120, INFINITY},
        {"<position class='pace'/>", 28, 28, INFINITY},
        {"<position class='paced'/>", 36, 28, INFINITY},
        {"<general gainprm='25' biastype='affine' biasprm='0 -25 0.5'/>", 100, 4 * sqrt(25 * 10.2) / 2, INFINITY},
        {"<motor class='servo'/>", 0, 0, INFINITY},
        {"<damper class='drag' kv='3' ctrlrange='0 1'/>", 0, 6, INFINITY},
        {"<damper class='drag' ctrlrange='0 1'/>", 0, 0, INFINITY}, // no class says a damper's kv
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "<mujoco><default><motor gear='2'/>"
                 "<default class='servo'><position kp='40' kv='2' forcerange='-50 50'/></default>"
                 "<default class='law'><general gainprm='30' biastype='affine' biasprm='1 -20 -3'/></default>"
                 "<default class='ratio'><position kp='40' dampratio='1'/></default>"
                 "<default class='pace'><velocity kv='7'/><default class='paced'><position kp='9'/></default></default>"
                 "<default class='drag'><damper kv='5' ctrlrange='0 1'/></default>"
                 "</default><worldbody><body><joint name='h' armature='0.2'/>"
                 "<inertial pos='0 0 0' mass='1' diaginertia='10 10 10'/></body></worldbody>"
                 "<actuator>%.*s joint='h' %s</actuator><keyframe><key ctrl='0.5'/></keyframe></mujoco>",
                 (int)strcspn(cases[i].actuator, " "), cases[i].actuator, strchr(cases[i].actuator, ' ') + 1);
        tn_scene *scene = parse(text);
        const tn_scene_drive *drive = &find_joint(scene, "h")->drive[TN_AXIS_TURN];
        double stiffness = drive->motor == TN_MOTOR_POSITION ? 1.0 / drive->motor_compliance : 0.0;
        print_message("%s: %.15g N m, %.15g N m s\n", cases[i].actuator, stiffness, drive->motor_damping);
        assert_true(number_off(stiffness, cases[i].stiffness) < 1e-14);
        assert_true(number_off(drive->motor_damping, cases[i].damping) < 1e-14);
        assert_true(drive->motor == TN_MOTOR_NONE || drive->strength == cases[i].strength);
        tn_scene_destroy(scene);
    }
}

// A servo on a fixed tendon over two fingers that move as one, as grippers have it: with q2 = 0.1 + 2 q1 and the
// tendon's length (q1 + q2) / 2 the force along q1 is 3 (4 - 100 l - 10 l'), l = 2 (1.5 q1 + 0.05).
static void actuators_pull_tendons_of_coupled_joints(void **state)
{
    tn_scene *scene =
        parse("<mujoco><worldbody><body><joint name='one' type='slide'/><geom size='1'/></body>"
              "<body><joint name='two' type='slide'/><geom size='1'/></body></worldbody>"
              "<tendon><fixed name='split'><joint joint='one' coef='0.5'/><joint joint='two' coef='0.5'/></fixed>"
              "<fixed name='idle'><joint joint='one' coef='1'/></fixed></tendon>"
              "<equality><joint joint1='two' joint2='one' polycoef='0.1 2'/></equality>"
              "<actuator><general tendon='split' gear='2' gainprm='0.015625' biastype='affine' biasprm='0 -100 -10' "
              "forcerange='-5 5'/></actuator><keyframe><key ctrl='256' qpos='0 0.1'/></keyframe></mujoco>");
    const tn_scene_drive *one = &find_joint(scene, "one")->drive[TN_AXIS_SLIDE];
    assert_int_equal(one->motor, TN_MOTOR_POSITION);
    assert_int_equal(find_joint(scene, "two")->drive[TN_AXIS_SLIDE].motor, TN_MOTOR_NONE);
    assert_true(number_off(1.0 / one->motor_compliance, 900.0) < 1e-14 && number_off(one->motor_damping, 90.0) < 1e-14);
    assert_true(number_off(one->target.constant, 3.0 * (4.0 - 10.0) / 900.0) < 1e-14 && one->strength == 15.0);
    assert_true(remarked(scene, "'idle'") && !remarked(scene, "'split'"));
    tn_scene_destroy(scene);
}

// Not of a ball and of what is free, which is remarked; a freejoint has no defaults.
static void rotors_have_inertia(void **state)
{
    tn_scene *scene = parse("<mujoco><default><joint armature='0.5'/></default><worldbody>"
                            "<body><joint name='h'/><geom size='1'/><body><joint name='s' type='slide' armature='2'/>"
                            "<geom size='1'/><body><joint name='b' type='ball'/><geom size='1'/></body></body></body>"
                            "<body><joint type='free'/><geom size='1'/></body><body><freejoint/><geom size='1'/></body>"
                            "</worldbody></mujoco>");
    char text[200];
    assert_true(find_joint(scene, "h")->drive[TN_AXIS_TURN].armature == 0.5);
    assert_true(find_joint(scene, "s")->drive[TN_AXIS_SLIDE].armature == 2.0);
    assert_true(remarked(scene, "the armature of a free joint is left out"));
    assert_true(remarked(scene, "the armature of a ball joint is left out"));
    assert_true(tn_scene_remark(scene, 1, text, sizeof text) && !tn_scene_remark(scene, 2, text, sizeof text));
    tn_scene_destroy(scene);
}

// About the hinge: a ball of 3 kg and 0.5 m, 2 m away (0.4 m r^2 + m d^2), a body of 1 kg at 5 m below it, the rotor's
// armature; a slide feels the mass.
static void damping_ratios_know_the_inertia(void **state)
{
    tn_scene *scene = parse("<mujoco><worldbody><body><joint name='h' axis='0 1 0' armature='2'/>"
                            "<geom size='0.5' mass='3' pos='0 9 2'/><body pos='3 0 4'><joint name='s' type='slide'/>"
                            "<inertial pos='0 0 0' mass='1' diaginertia='0.25 0.5 0.25'/></body></body></worldbody>"
                            "<actuator><position joint='h' kp='10' dampratio='0.5' gear='2'/>"
                            "<position joint='s' kp='9' dampratio='1'/></actuator></mujoco>");
    double felt = 2 + 0.4 * 3 * 0.25 + 3 * 4 + 0.5 + 25;
    // Of the actuator 2 0.5 sqrt(10 felt / gear^2), of the joint gear^2 times that.
    assert_true(number_off(find_joint(scene, "h")->drive[TN_AXIS_TURN].motor_damping, 2 * sqrt(10 * felt)) < 1e-14);
    assert_true(number_off(find_joint(scene, "s")->drive[TN_AXIS_SLIDE].motor_damping, 6.0) < 1e-14);
    tn_scene_destroy(scene);
}

// Of a tendon each joint's inertia counts over the square of its part of the length, coupled fingers' too.
static void damping_ratios_know_tendons(void **state)
{
    tn_scene *scene = parse(
        "<mujoco><worldbody>"
        "<body><joint name='h' armature='2'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>"
        "<body><joint name='k'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 0.5'/></body>"
        "<body><joint name='l' type='slide'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body>"
        "<body><joint name='r' type='slide'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody>"
        "<equality><joint joint1='l' joint2='r'/></equality><tendon>"
        "<fixed name='t'><joint joint='h' coef='3'/><joint joint='k' coef='0.5'/></fixed>"
        "<fixed name='f'><joint joint='l' coef='0.5'/><joint joint='r' coef='0.5'/></fixed></tendon>"
        "<actuator><position tendon='t' kp='10' dampratio='0.5' gear='2'/>"
        "<position tendon='f' kp='100' dampratio='1'/></actuator></mujoco>");
    double damping = 0.0;
    for (int j = 0; j < 2; j++) { // on whichever finger
        damping = fmax(damping, find_joint(scene, j ? "l" : "r")->drive[TN_AXIS_SLIDE].motor_damping);
    }
    assert_true(number_off(damping, 2.0 * sqrt(100.0 * (2.0 / 0.25 + 2.0 / 0.25))) < 1e-14);
    // The tendon's coordinate is its length over the last coefficient.
    assert_true(number_off(find_joint(scene, "t")->drive[TN_AXIS_TURN].motor_damping,
                           sqrt(10.0 * (3.0 / 36.0 + 0.5 / 1.0)) * 1.0) < 1e-14);
    tn_scene_destroy(scene);
}

static const tn_pair *find_pair(const tn_scene *scene, const tn_scene_shape *a, const tn_scene_shape *b)
{
    for (int i = 0; i < scene->n_pairs; i++) {
        const tn_pair *pair = &scene->pairs[i];
        if ((pair->material_a == a->material && pair->material_b == b->material) ||
            (pair->material_a == b->material && pair->material_b == a->material)) {
            return pair;
        }
    }
    return NULL;
}

static void contacts_heed_bits_pairs_and_exclusions(void **state)
{
    tn_scene *scene =
        parse("<mujoco><worldbody>"
              "<geom name='floor' type='plane' size='1 1 1' friction='0.5'/>"
              "<body name='a'><freejoint/><geom name='a' size='1' friction='0.3'/></body>"
              "<body name='b'><freejoint/><geom name='b' size='1' contype='2' conaffinity='4' friction='0.2'/></body>"
              "<body name='c'><freejoint/><geom name='c' size='1' contype='4' conaffinity='0' friction='0.2'"
              " condim='4'/></body>"
              "<body name='d'><freejoint/><geom name='d' size='1' contype='0' conaffinity='0'/></body>"
              "<body name='e'><freejoint/><geom name='e' size='1' friction='0.3'/></body></worldbody>"
              "<contact><exclude body1='e' body2='a'/><pair geom1='b' geom2='floor' "
              "friction='0.9'/></contact><equality><weld body1='a'/></equality>"
              "</mujoco>");
    const tn_scene_shape *s[6];
    static const char *const names[] = {"floor", "a", "b", "c", "d", "e"};
    for (int i = 0; i < 6; i++) {
        s[i] = &find_body(scene, names[i])->shapes[0];
    }
    assert_true(find_pair(scene, s[0], s[1])->mu1 == 0.5); // the larger one
    assert_true(find_pair(scene, s[0], s[2])->collide && find_pair(scene, s[0], s[2])->mu1 == 0.9);
    assert_false(find_pair(scene, s[1], s[2])->collide); // 1 & 4, 2 & 1: nothing in common
    assert_null(find_pair(scene, s[2], s[3]));           // 4 & 4, equal friction: by the materials alone
    assert_false(find_pair(scene, s[2], s[2])->collide);
    assert_false(find_pair(scene, s[1], s[5])->collide);
    assert_true(find_pair(scene, s[0], s[5])->collide);
    assert_false(s[4]->collides);
    assert_true(scene->materials[s[3]->material].torsion == 0.005 && scene->materials[s[2]->material].torsion == 0.0);
    tn_scene_destroy(scene);
}

// MuJoCo's rule: numbers and condim of the higher priority, else the larger ones of both, whoever has the larger
// condim.
static void friction_of_two_goes_by_priority(void **state)
{
    tn_scene *scene = parse("<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1' friction='1 0.02'/>"
                            "<body name='a'><freejoint/><geom size='1' friction='0.3' priority='1'/></body>"
                            "<body name='b'><freejoint/><geom size='1' friction='0.6' condim='6'/></body>"
                            "<body name='c'><freejoint/><geom size='1' friction='2' condim='1'/></body>"
                            "</worldbody></mujoco>");
    const tn_scene_shape *floor = &find_body(scene, "floor")->shapes[0];
    const tn_pair *a = find_pair(scene, floor, &find_body(scene, "a")->shapes[0]);
    const tn_pair *b = find_pair(scene, floor, &find_body(scene, "b")->shapes[0]);
    const tn_pair *c = find_pair(scene, floor, &find_body(scene, "c")->shapes[0]);
    assert_true(a->mu1 == 0.3 && a->torsion == 0.0 && a->rolling == 0.0);
    assert_true(b->mu1 == 1.0 && b->torsion == 0.02 && b->rolling == 0.0001);
    assert_true(c->mu1 == 2.0); // condim 3 of the floor
    assert_true(scene->materials[find_body(scene, "c")->shapes[0].material].mu1 == 0.0);
    tn_scene_destroy(scene);
}

// What a <pair> does not say is as between any two; what it says counts.
static void pairs_take_what_they_do_not_say(void **state)
{
    tn_scene *scene = parse("<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1' friction='1 0.02'/>"
                            "<body name='a'><freejoint/><geom name='ga' size='1' friction='0.3' priority='1'/></body>"
                            "<body name='b'><freejoint/><geom name='gb' size='1' friction='0.6' condim='6'/></body>"
                            "<body name='c'><freejoint/><geom name='gc' size='1' friction='2'/></body></worldbody>"
                            "<contact><pair geom1='floor' geom2='ga'/><pair geom1='floor' geom2='gb'/>"
                            "<pair geom1='floor' geom2='gc' friction='0.7 0.8' condim='4'/></contact></mujoco>");
    const tn_scene_shape *floor = &find_body(scene, "floor")->shapes[0];
    const tn_pair *a = find_pair(scene, floor, &find_body(scene, "a")->shapes[0]);
    const tn_pair *b = find_pair(scene, floor, &find_body(scene, "b")->shapes[0]);
    const tn_pair *c = find_pair(scene, floor, &find_body(scene, "c")->shapes[0]);
    assert_true(a->mu1 == 0.3 && a->torsion == 0.0 && a->rolling == 0.0);
    assert_true(b->mu1 == 1.0 && b->torsion == 0.02 && b->rolling == 0.0001);
    assert_true(c->mu1 == 0.7 && c->torsion == 0.02 && c->rolling == 0.0);
    assert_true(remarked(scene, "the second 'friction' of <pair>"));
    tn_scene_destroy(scene);
}

// What flags switch off is none, and a site from end to end is in the middle.
static void flags_switch_off(void **state)
{
    static const char form[] =
        "<mujoco><option %s</option><worldbody><geom type='plane' size='1 1 1'/><body name='a' gravcomp='1'>"
        "<joint name='i' range='-1 1' stiffness='2' damping='3' frictionloss='4'/><geom size='1'/>"
        "<site name='s' type='capsule' size='0.1' fromto='1 0 0 3 0 0'/></body>"
        "<body><joint name='j'/><geom size='1'/></body></worldbody><equality><connect body1='a' anchor='0 0 0'/>"
        "</equality><actuator><position joint='i' group='2'/></actuator><sensor><framepos objtype='site' "
        "objname='s'/></sensor>"
        "</mujoco>";
    static const char *const flags[] = {"actuatorgroupdisable='0 3'>", "><flag constraint='disable'/>",
                                        "><flag passive='disable'/>",  "><flag actuation='disable'/>",
                                        "><flag limit='disable'/>",    "actuatorgroupdisable='1 2'>"};
    for (int i = 0; i < 6; i++) {
        char text[1000];
        snprintf(text, sizeof text, form, flags[i]);
        tn_scene *scene = parse(text);
        const tn_scene_drive *turn = &find_joint(scene, "i")->drive[TN_AXIS_TURN];
        const tn_scene_body *a = find_body(scene, "a");
        assert_true((turn->high == INFINITY) == (i == 1 || i == 4) && (turn->friction == 0.0) == (i == 1));
        assert_true((turn->stiffness == 0.0) == (i == 2) && (turn->damping == 0.0) == (i == 2));
        assert_true((turn->motor == TN_MOTOR_NONE) == (i == 3 || i == 5));
        assert_int_equal(scene->n_joints, i == 1 ? 2 : 3);
        assert_int_equal(a->n_shapes, i == 1 ? 0 : 1);
        assert_true((a->push == NULL) == (i == 2));
        assert_vector(scene->sensors[0].mount.position, 2, 0, 0, 0.0);
        tn_scene_destroy(scene);
    }
}

// Two zeros take back the range that a class has.
static void ranges_are_taken_back(void **state)
{
    tn_scene *scene = parse("<mujoco><compiler angle='radian'/><default><joint range='-1 1'/>"
                            "<position forcerange='-2 2' ctrlrange='-1 1'/></default><worldbody>"
                            "<body><joint name='i'/><geom size='1'/></body>"
                            "<body><joint name='j' range='0 0'/><geom size='1'/></body></worldbody>"
                            "<actuator><position joint='i' kp='2'/>"
                            "<position joint='j' kp='2' forcerange='0 0' ctrlrange='0 0'/></actuator>"
                            "<keyframe><key ctrl='3 3'/></keyframe></mujoco>");
    const tn_scene_drive *i = &find_joint(scene, "i")->drive[TN_AXIS_TURN];
    const tn_scene_drive *j = &find_joint(scene, "j")->drive[TN_AXIS_TURN];
    assert_true(i->low == -1.0 && i->high == 1.0 && i->strength == 2.0 && i->target.constant == 1.0);
    assert_true(j->low == -INFINITY && j->high == INFINITY && j->strength == INFINITY && j->target.constant == 3.0);
    tn_scene_destroy(scene);
}

// Ten arms on a helix (a quarter turn and a step up each), a ball on each arm twice; sensors and motors with them.
static void replicas_are_copies_in_frames(void **state)
{
    tn_scene *scene = parse("<mujoco><worldbody>"
                            "<replicate count='10' sep='-' offset='0 0 0.5' euler='0 0 90'>"
                            "<body name='arm' pos='1 0 0'><joint name='j'/><geom size='0.1'/>"
                            "<replicate count='2' offset='0 0.2 0'><body name='ball' pos='1 0 0'><joint name='k'/>"
                            "<geom size='0.1'/><site name='s'/></body></replicate></body></replicate></worldbody>"
                            "<actuator><position name='servo' joint='j' kp='3'/></actuator>"
                            "<sensor><gyro name='g' site='s'/><jointpos name='q' joint='j'/></sensor></mujoco>");
    assert_int_equal(scene->n_bodies, 30);
    assert_int_equal(scene->n_sensors, 30);
    assert_vector(find_body(scene, "arm-00")->pose.position, 1, 0, 0, 1e-15);
    assert_vector(find_body(scene, "arm-01")->pose.position, 0, 1, 0.5, 1e-15);
    assert_vector(find_body(scene, "arm-06")->pose.position, -1, 0, 3, 1e-15);
    assert_vector(find_body(scene, "ball1-01")->pose.position, -0.2, 2, 0.5, 1e-15);
    assert_non_null(find_joint(scene, "k0-09"));
    assert_true(find_joint(scene, "j-07")->drive[TN_AXIS_TURN].motor_compliance == 1.0 / 3.0);
    tn_scene_destroy(scene);
}

// About several axes the copies are turned by multiples of the angles; numbers: MuJoCo's 3.3.8.
static void replicas_turn_about_several_axes(void **state)
{
    tn_scene *scene = parse(
        "<mujoco><compiler angle='radian' eulerseq='XYZ'/><worldbody>"
        "<replicate count='4' offset='1 0 .5' euler='.1 .2 .3'><body name='r' pos='0 0 1'><joint/><geom size='.1'/>"
        "</body></replicate></worldbody></mujoco>");
    assert_vector(find_body(scene, "r1")->pose.position, 1.21835, -0.03696, 1.47517, 6e-6);
    assert_vector(find_body(scene, "r2")->pose.position, 2.47264, 0.32268, 1.69162, 6e-6);
    assert_vector(find_body(scene, "r3")->pose.position, 3.58604, 1.05583, 1.63932, 6e-6);
    assert_vector(find_body(scene, "r3")->pose.quaternion + 1, 0.00145, 0.32521, 0.37111, 6e-6);
    tn_scene_destroy(scene);
}

// 'predefined': the geoms of pairs alone, each with its own partner; 'dynamic': no pairs.
static void contacts_may_be_said_one_by_one(void **state)
{
    static const char *const words[] = {"predefined", "dynamic"};
    for (int i = 0; i < 2; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<mujoco><option collision='%s'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
                 "<body name='a'><freejoint/><geom name='a' size='1'/></body>"
                 "<body name='b'><freejoint/><geom name='b' size='1'/></body>"
                 "<body name='c'><freejoint/><geom name='c' size='1'/></body></worldbody>"
                 "<contact><pair geom1='a' geom2='floor' friction='0.25'/><pair geom1='a' geom2='b'/></contact>"
                 "</mujoco>",
                 words[i]);
        tn_scene *scene = parse(text);
        const tn_scene_shape *s[4];
        static const char *const names[] = {"floor", "a", "b", "c"};
        for (int k = 0; k < 4; k++) {
            s[k] = &find_body(scene, names[k])->shapes[0];
        }
        const tn_pair *pair = find_pair(scene, s[0], s[1]);
        if (i == 0) {
            assert_true(pair->collide && pair->mu1 == 0.25);
            assert_null(find_pair(scene, s[1], s[2])); // by the materials alone
            assert_false(find_pair(scene, s[0], s[2])->collide);
            assert_false(s[3]->collides);
        } else {
            assert_true(!pair && s[0]->collides && s[1]->collides && s[3]->collides);
        }
        tn_scene_destroy(scene);
    }
}

// A limb of three hinges hangs on a body with a part of its own: neither touches the limb. The world may be excluded.
static void limbs_do_not_touch_what_they_hang_on(void **state)
{
    tn_scene *scene =
        parse("<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
              "<body name='trunk'><freejoint/><geom size='1'/><body name='head'><geom size='2'/></body>"
              "<body name='limb'><joint axis='1 0 0'/><joint axis='0 1 0'/><joint/><geom size='3'/></body>"
              "</body></worldbody><contact><exclude body1='world' body2='limb'/></contact></mujoco>");
    const tn_scene_body *trunk = find_body(scene, "trunk");
    const tn_scene_shape *limb = &find_body(scene, "limb")->shapes[0], *floor = &find_body(scene, "floor")->shapes[0];
    assert_int_equal(trunk->n_shapes, 2);
    for (int i = 0; i < 2; i++) {
        assert_false(find_pair(scene, &trunk->shapes[i], limb)->collide);
        assert_null(find_pair(scene, &trunk->shapes[i], floor));
    }
    assert_false(find_pair(scene, floor, limb)->collide);
    tn_scene_destroy(scene);
}

static void loops_are_closed(void **state)
{
    tn_scene *scene =
        parse("<mujoco><worldbody><body name='a' pos='1 0 0'><joint name='j'/><geom size='1'/></body>"
              "<body name='b' pos='0 2 0'><joint name='k'/><geom size='1'/><body name='p'/></body>"
              "</worldbody><equality><weld body1='b' body2='p'/><connect name='c' body1='a' body2='b' anchor='0 0 1'/>"
              "<weld name='w' body1='b'/><joint name='g' joint1='j' joint2='k' polycoef='0 -3'/>"
              "<connect body1='a' anchor='0 0 0' active='false'/></equality></mujoco>");
    const tn_scene_joint *c = find_joint(scene, "c"), *w = find_joint(scene, "w"), *g = find_joint(scene, "g");
    assert_int_equal(scene->n_joints, 5);
    assert_int_equal(c->kind, TN_JOINT_SPHERICAL);
    assert_vector(c->point_a, 0, 0, 1, 0.0);
    assert_vector(c->point_b, 1, -2, 1, 0.0);
    assert_true(c->collide);
    assert_int_equal(w->kind, TN_JOINT_WELD);
    assert_int_equal(w->body_b, -1);
    assert_true(g->gear_factor[0] == 3.0);
    assert_string_equal(scene->joints[g->gear_joint[0]].name, "k");
    assert_true(remarked(scene, "not active"));
    tn_scene_destroy(scene);
}

// A weld without torques holds a point; a coupling without slope holds the joint.
static void equalities_of_one_thing(void **state)
{
    tn_scene *scene = parse("<mujoco><worldbody><body name='a' pos='1 0 0'><joint name='j'/><geom size='1'/></body>"
                            "<body name='b' pos='0 2 0'><joint name='k'/><geom size='1'/></body></worldbody>"
                            "<equality><weld name='w' body1='a' body2='b' anchor='0 0 1' torquescale='0' "
                            "relpose='5 5 5 1 0 0 0'/><joint joint1='j' joint2='k' polycoef='0.25 0'/></equality>"
                            "</mujoco>");
    const tn_scene_joint *w = find_joint(scene, "w"), *j = find_joint(scene, "j");
    assert_int_equal(w->kind, TN_JOINT_SPHERICAL);
    assert_vector(w->point_b, 0, 0, 1, 0.0);
    assert_true(j->drive[TN_AXIS_TURN].low == 0.0 && j->drive[TN_AXIS_TURN].high == 0.0);
    tn_scene_destroy(scene);
}

// A rope between two sites of bodies that go on touching: no force below its length, and one within a body is none.
static void ropes_are_distances(void **state)
{
    tn_scene *scene = parse("<mujoco><worldbody><site name='hook' pos='0 0 1'/><body name='a'><freejoint/>"
                            "<geom size='0.1'/><site name='eye' pos='0.1 0 0'/><body><site name='ear'/></body></body>"
                            "</worldbody><tendon><spatial name='rope' limited='true' range='0 2'><site site='hook'/>"
                            "<site site='eye'/></spatial><spatial limited='true' range='0 2'><site site='ear'/>"
                            "<site site='eye'/></spatial><spatial name='short' limited='true' range='0.2 0.5'>"
                            "<site site='hook'/><site site='eye'/></spatial></tendon>"
                            "<sensor><tendonpos tendon='rope'/></sensor></mujoco>");
    assert_int_equal(scene->n_joints, 2);
    const tn_scene_joint *rope = find_joint(scene, "rope"), *cut = find_joint(scene, "short");
    const tn_scene_drive *slide = &rope->drive[TN_AXIS_SLIDE], *slack = &cut->drive[TN_AXIS_SLIDE];
    assert_true(rope->kind == TN_JOINT_DISTANCE && rope->collide);
    assert_vector(rope->point_a, 0, 0, 1, 0.0);
    assert_vector(rope->point_b, 0.1, 0, 0, 0.0);
    assert_true(slide->low == -INFINITY && slide->high == 2.0);
    assert_true(slack->low == 0.2 && number_off(slack->high, sqrt(1.01)) < 1e-15); // starts beyond
    assert_true(remarked(scene, "starts 0.505 beyond"));
    assert_true(scene->sensors[0].scale == 1.0 && scene->sensors[0].offset == 0.0);
    tn_scene_destroy(scene);
}

// Centers by MuJoCo 2.2.2.
static void meshes_count_from_their_reference(void **state)
{
    tn_scene *scene = parse(
        "<mujoco><compiler angle='radian'/><asset>"
        "<mesh name='m' vertex='0 0 0 .3 0 0 0 .2 0 0 0 .4' refpos='.1 .2 .3' refquat='1 2 3 .5' scale='1.5 1.5 1.5'/>"
        "<mesh name='n' vertex='0 0 0 .3 0 0 0 .2 0 0 0 .4' refpos='.1 .2 .3' scale='1.5 1 .5'/></asset><worldbody>"
        "<body name='a'><freejoint/><geom type='mesh' mesh='m' pos='.1 0 0' euler='1 2 3'/></body>"
        "<body name='b'><freejoint/><geom type='mesh' mesh='n' pos='.1 0 0' euler='1 2 "
        "3'/></body></worldbody></mujoco>");
    assert_vector(find_body(scene, "a")->inertia->center, 0.259195676, 0.331341119, 0.0830726222, 1e-7);
    assert_vector(find_body(scene, "b")->inertia->center, -0.0151880783, 0.0869599818, 0.114349992, 1e-7);
    tn_scene_destroy(scene);
}

// Half of the range from -2 to -0.3 about its middle: a servo without a control aims at -0.725.
static void servos_inherit_the_range(void **state)
{
    tn_scene *scene =
        parse("<mujoco><compiler angle='radian'/><worldbody><body name='a'><joint name='j' range='-2 -0.3'/><geom "
              "size='0.1'/>"
              "</body></worldbody><actuator><position joint='j' kp='5' inheritrange='0.5'/></actuator></mujoco>");
    const tn_scene_drive *drive = &find_joint(scene, "j")->drive[TN_AXIS_TURN];
    assert_true(number_off(drive->target.constant, -0.725 + 0.3) < 1e-15); // it starts at -0.3
    tn_scene_destroy(scene);
}

// A cloth's worth of particles, its tendons held; muscles and what sticks left to the program.
static void composites_and_muscles(void **state)
{
    tn_scene *scene = parse(
        "<mujoco><default><geom density='3'/></default><worldbody><composite prefix='n' type='grid' count='3 2 1' "
        "spacing='0.1'><pin coord='2 0'/><geom size='0.02' mass='0.5'/></composite><composite type='particle' "
        "count='2 2 2' spacing='0.1' offset='0 0 1'><geom size='0.02'/></composite><body name='a'><joint "
        "name='j'/><geom size='0.1'/></body></worldbody><actuator><muscle name='m' joint='j'/><adhesion name='s' "
        "body='a' ctrlrange='0 1'/></actuator></mujoco>");
    int n_held = 0;
    for (int i = 0; i < scene->n_joints; i++) {
        n_held += scene->joints[i].kind == TN_JOINT_DISTANCE && !scene->joints[i].drive[TN_AXIS_SLIDE].said;
    }
    assert_int_equal(n_held, 7);
    // Of two particles of 0.5 kg: d / (1 - d) / A of 1 / (d timeconst)^2, d = 0.99, in 0.01 s.
    const tn_scene_joint *cord = find_joint(scene, "nT1_0_0");
    assert_true(number_off(1.0 / cord->compliance, 99.0 * 0.25 / (0.0099 * 0.0099)) < 1e-12);
    assert_true(number_off(cord->damping, 99.0 * 0.25 * 2.0 / 0.0099) < 1e-12);
    assert_int_equal(scene->n_bodies, 6 + 8 + 1);
    assert_int_equal(find_body(scene, "nB2_0")->kind, TN_BODY_FIXED);
    assert_true(number_off(find_body(scene, "nB1_1")->inertia->mass, 0.5) < 1e-15);
    assert_true(remarked(scene, "can turn") && remarked(scene, "muscle 'm'") && remarked(scene, "adhesion 's'"));
    tn_scene_destroy(scene);
}

// One of its joints would start beyond its limits: the tendon's spring, q2 + q1 = 0.7, counts from where it does.
static void tendons_start_where_joints_do(void **state)
{
    tn_scene *scene = parse("<mujoco><compiler angle='radian'/><worldbody><body><joint name='j' range='-0.1 0.1' "
                            "limited='true'/><geom size='1'/></body><body><joint name='k'/><geom size='1'/></body>"
                            "</worldbody><tendon><fixed name='t' stiffness='2' springlength='0.7'><joint joint='j' "
                            "coef='1'/><joint joint='k' coef='1'/></fixed></tendon>"
                            "<keyframe><key qpos='0.5 0.2'/></keyframe></mujoco>");
    const tn_scene_drive *turn = &find_joint(scene, "t")->drive[TN_AXIS_TURN];
    assert_true(number_off(turn->rest, 0.7 - 0.3) < 1e-15);
    tn_scene_destroy(scene);
}

// An equality of one joint alone holds it where it says; a part without mass is carried by what it is fixed to.
static void joints_are_held_and_parts_carried(void **state)
{
    tn_scene *scene = parse("<mujoco><worldbody><body name='a'><joint name='j'/><geom size='1' mass='2'/>"
                            "<body pos='1 0 0'><inertial mass='0' pos='0 0 0' diaginertia='0 0 0'/></body></body>"
                            "</worldbody><equality><joint joint1='j' polycoef='0.5'/></equality></mujoco>");
    const tn_scene_joint *j = find_joint(scene, "j");
    assert_int_equal(scene->n_bodies, 1);
    assert_true(scene->bodies[0].inertia->mass == 2.0);
    assert_true(j->drive[TN_AXIS_TURN].low == 0.0 && j->drive[TN_AXIS_TURN].high == 0.0);
    assert_true(remarked(scene, "starts at"));
    tn_scene_destroy(scene);
}

// A loop between two sites, one of them in a frame; of the world's the body is the world.
static void sites_are_ends_of_loops(void **state)
{
    tn_scene *scene = parse("<mujoco><worldbody><site name='w' pos='0 0 3'/>"
                            "<body name='a' pos='1 0 0'><joint name='j'/><geom size='1'/>"
                            "<frame pos='0 0 1'><site name='s' pos='-1 0 2'/></frame></body></worldbody>"
                            "<equality><connect name='c' site1='s' site2='w'/></equality></mujoco>");
    const tn_scene_joint *c = find_joint(scene, "c");
    assert_int_equal(c->body_a, 0);
    assert_int_equal(c->body_b, -1);
    assert_vector(c->point_a, -1, 0, 3, 1e-15);
    assert_vector(c->point_b, 0, 0, 3, 1e-15);
    tn_scene_destroy(scene);
}

// objtype body is the center of mass, xbody the body's frame; a weld may say the pose that it holds anyway.
static void bodies_are_seen_at_their_center(void **state)
{
    tn_scene *scene = parse("<mujoco><worldbody><body name='a' pos='0 0 2' euler='0 0 90'><freejoint/>"
                            "<geom size='0.1' pos='0.3 0 0'/></body></worldbody>"
                            "<equality><weld body1='world' body2='a' relpose='0 0 2 1 0 0 1'/></equality>"
                            "<sensor><framepos name='c' objtype='body' objname='a'/>"
                            "<framepos name='o' objtype='xbody' objname='a'/>"
                            "<framequat name='q' objtype='body' objname='a'/></sensor></mujoco>");
    assert_int_equal(scene->n_sensors, 2);
    assert_vector(scene->sensors[0].mount.position, 0.3, 0, 0, 1e-15);
    assert_vector(scene->sensors[1].mount.position, 0, 0, 0, 0.0);
    assert_true(remarked(scene, "sensor 'q' (framequat)"));
    tn_scene_destroy(scene);
}

// A ball's quaternion counts from where the body is drawn on the one that carries it.
static void balls_are_seen_from_what_carries_them(void **state)
{
    tn_scene *scene = parse("<mujoco><worldbody><body name='a' pos='0 0 1'><freejoint/><geom size='0.1'/>"
                            "<body name='b' pos='1 2 3' euler='0 0 90'><joint name='j' type='ball'/><geom size='0.1'/>"
                            "</body></body></worldbody><sensor><ballquat name='q' joint='j'/></sensor></mujoco>");
    const tn_scene_sensor *q = &scene->sensors[0];
    assert_true(q->kind == TN_SENSOR_ORIENTATION && q->body == 1 && q->seen && q->seen_body == 0);
    assert_true(q->mount.quaternion[0] == 1.0 && number_off(q->seen_mount.quaternion[3], sqrt(0.5)) < 1e-15);
    tn_scene_destroy(scene);
}

// framexaxis and its neighbours: the mount's z goes along that axis of the site, or of the geom, whose own z leads from
// the second of two ends to the first.
static void axes_of_frames_are_directions(void **state)
{
    tn_scene *scene = parse("<mujoco><worldbody><body name='a'><freejoint/>"
                            "<geom name='g' type='capsule' size='0.1' fromto='1 0 0 3 0 0'/>"
                            "<site name='s' euler='0 0 30'/></body></worldbody><sensor>"
                            "<framexaxis name='x' objtype='site' objname='s'/>"
                            "<frameyaxis name='y' objtype='site' objname='s'/>"
                            "<framezaxis name='z' objtype='xbody' objname='a'/>"
                            "<framepos name='g' objtype='geom' objname='g'/>"
                            "<framezaxis name='gz' objtype='geom' objname='g'/></sensor></mujoco>");
    const double c = sqrt(0.75), wanted[5][3] = {{c, 0.5, 0.0}, {-0.5, c, 0.0}, {0.0, 0.0, 1.0}, {0}, {-1.0, 0.0, 0.0}};
    assert_int_equal(scene->n_sensors, 5);
    assert_vector(scene->sensors[3].mount.position, 2.0, 0.0, 0.0, 1e-15);
    for (int i = 0; i < 5; i += i == 2 ? 2 : 1) {
        double z[3];
        tn_quat_rotate(z, scene->sensors[i].mount.quaternion, (double[3]){0.0, 0.0, 1.0});
        assert_int_equal(scene->sensors[i].kind, TN_SENSOR_DIRECTION);
        assert_vector(z, wanted[i][0], wanted[i][1], wanted[i][2], 1e-15);
    }
    tn_scene_destroy(scene);
}

static void motors_elsewhere_are_left_to_the_program(void **state)
{
    tn_scene *scene = parse("<mujoco><worldbody><body><freejoint name='j'/><geom size='1'/><site name='s'/></body>"
                            "</worldbody><actuator><motor name='rotor' site='s' gear='0 0 1 0 0 -0.02'/>"
                            "<general name='lift' joint='j' gear='0 0 1 0 0 0'/></actuator></mujoco>");
    assert_true(remarked(scene, "motor 'rotor' is left out") && remarked(scene, "motor 'lift' is left out"));
    assert_int_equal(scene->n_joints, 0);
    tn_scene_destroy(scene);
}

// Stiffness and damping that a joint's time constant and ratio make of what it moves, to MuJoCo 2.2.2's own numbers.
static void springs_settle_as_in_mujoco(void **state)
{
    static const struct {
        const char *name;
        double stiffness, damping;
    } known[] = {{"j1", 7.16746983923, 1.40482408849},
                 {"j2", 380.33836245, 109.537448386},
                 {"j3", 0.665659614688, 0.161755286369},
                 {"j4", 0.249573446979, 0.0374360170468},
                 {"j5", 19.2345630302, 9.84809627145}};
    tn_scene *scene =
        parse("<mujoco><compiler angle='radian'/><default><geom contype='0' conaffinity='0' density='800'/></default>"
              "<worldbody><body pos='0.1 0.2 1'>"
              "<joint name='j1' axis='0 1 0.3' pos='0.1 0 0' springdamper='0.2 0.7' armature='0.01'/>"
              "<joint name='j2' type='slide' axis='1 0 1' springdamper='0.1 1.2'/>"
              "<geom type='box' size='0.1 0.2 0.05' pos='0.2 0.1 0'/>"
              "<body pos='0.4 0 0' euler='0.3 0.2 0.5'><joint name='j3' type='ball' springdamper='0.15 0.9'/>"
              "<geom type='capsule' size='0.05' fromto='0 0 0 0.3 0.1 0'/>"
              "<body pos='0.3 0.1 0'><joint name='j4' ref='0.4' springdamper='0.3 0.5'/>"
              "<geom type='ellipsoid' size='0.1 0.06 0.05' pos='0.1 0 0'/></body></body></body>"
              "<body pos='1 1 1'><joint name='j5' type='free' springdamper='0.4 0.8'/>"
              "<geom type='box' size='0.1 0.2 0.3' pos='0.1 0 0'/></body></worldbody></mujoco>");
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        char spring[20], damper[20];
        snprintf(spring, sizeof spring, "%s-spring", known[k].name);
        snprintf(damper, sizeof damper, "%s-damper", known[k].name);
        const tn_scene_joint *joint = find_joint(scene, known[k].name), *ball = find_joint(scene, spring);
        double stiffness = ball ? ball->bushing->stiffness[35] : 0.0,
               damping = ball ? find_joint(scene, damper)->bushing->damping[35] : 0.0;
        for (int axis = 0; !ball && axis < TN_AXIS_COUNT; axis++) {
            stiffness = fmax(stiffness, joint->drive[axis].stiffness);
            damping = fmax(damping, joint->drive[axis].damping);
        }
        assert_true(number_off(stiffness, known[k].stiffness) < 1e-10);
        assert_true(number_off(damping, known[k].damping) < 1e-10);
    }
    tn_scene_destroy(scene);
}

static void what_has_no_effect_is_remarked(void **state)
{
    tn_scene *scene = parse("<mujoco><worldbody><body><joint name='j' actuatorgravcomp='true' solreflimit='0.01 1'/>"
                            "<geom size='1' solref='0.01 1'/><geom size='1' solref='0.02 1'/></body></worldbody>"
                            "<sensor><ballangvel name='angle' joint='j'/></sensor>"
                            "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon></mujoco>");
    assert_true(remarked(scene, "'solref' of <geom> is left out") && remarked(scene, "sensor 'angle' (ballangvel)"));
    char text[200];
    int n = 0;
    while (tn_scene_remark(scene, n, text, sizeof text)) {
        n++;
    }
    assert_true(remarked(scene, "tendon 't' has no force"));
    assert_int_equal(n, 5); // solref once
    tn_scene_destroy(scene);
}

static void every_request_may_fail(void **state)
{
    static const char text[] =
        "<mujoco><default><default class='a'><geom size='1'/></default></default><asset>"
        "<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='1 1 2'/></asset><worldbody><geom type='plane' size='1 "
        "1 1'/>"
        "<body name='a'><freejoint/><geom class='a'/><body name='b'><joint name='x' axis='1 0 0'/><joint name='y' "
        "axis='0 1 0'/>"
        "<joint/><geom type='mesh' mesh='m'/></body></body>"
        "<replicate count='2'><geom name='c' size='1'/></replicate></worldbody><contact><exclude body1='a' "
        "body2='b'/></contact><equality><weld body1='a'/></equality>"
        "<actuator><position joint='x'/></actuator><keyframe><key qpos='0 0 0 1 0 0 0 0 0 0'/></keyframe></mujoco>";
    long before = tn_memory_count();
    tn_scene_destroy(parse(text));
    long requests = tn_memory_count() - before;
    int failed = 0;
    for (long i = 0; i < requests; i++) {
        tn_error error = {0};
        tn_memory_fail_after(i);
        tn_scene *scene = tn_scene_parse(text, "robot.xml", 0, NULL, &error);
        tn_memory_fail_after(-1);
        assert_true(scene || error.status == TN_NO_MEMORY);
        failed += scene == NULL;
        tn_scene_destroy(scene);
    }
    printf("%ld requests failed in turn: %d of them gave TN_NO_MEMORY\n", requests, failed);
    assert_true(failed > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_may_start_open),
        cmocka_unit_test(keys_place_mocap_bodies),
        cmocka_unit_test(mocap_bodies_are_kinematic),
        cmocka_unit_test(settings_are_the_scenes),
        cmocka_unit_test(kinds_of_elements_share_no_names),
        cmocka_unit_test(classes_are_inherited),
        cmocka_unit_test(defaults_go_on),
        cmocka_unit_test(places_of_the_world),
        cmocka_unit_test(contacts_may_be_said_one_by_one),
        cmocka_unit_test(joints_are_held_and_parts_carried),
        cmocka_unit_test(equalities_of_one_thing),
        cmocka_unit_test(tendons_start_where_joints_do),
        cmocka_unit_test(meshes_count_from_their_reference),
        cmocka_unit_test(servos_inherit_the_range),
        cmocka_unit_test(composites_and_muscles),
        cmocka_unit_test(ropes_are_distances),
        cmocka_unit_test(orientations_agree),
        cmocka_unit_test(geoms_weigh),
        cmocka_unit_test(meshes_weigh_what_they_enclose),
        cmocka_unit_test(faces_weigh_what_they_enclose),
        cmocka_unit_test(sizes_are_halves),
        cmocka_unit_test(shapes_are_fitted_to_meshes),
        cmocka_unit_test(chains_are_joined),
        cmocka_unit_test(keyframes_are_the_start),
        cmocka_unit_test(lifts_follow_the_gravity),
        cmocka_unit_test(lifted_parts_are_welded),
        cmocka_unit_test(actuators_are_servos),
        cmocka_unit_test(classes_of_actuators_are_of_all_kinds),
        cmocka_unit_test(actuators_pull_tendons_of_coupled_joints),
        cmocka_unit_test(rotors_have_inertia),
        cmocka_unit_test(damping_ratios_know_the_inertia),
        cmocka_unit_test(damping_ratios_know_tendons),
        cmocka_unit_test(contacts_heed_bits_pairs_and_exclusions),
        cmocka_unit_test(friction_of_two_goes_by_priority),
        cmocka_unit_test(pairs_take_what_they_do_not_say),
        cmocka_unit_test(ranges_are_taken_back),
        cmocka_unit_test(flags_switch_off),
        cmocka_unit_test(replicas_are_copies_in_frames),
        cmocka_unit_test(replicas_turn_about_several_axes),
        cmocka_unit_test(limbs_do_not_touch_what_they_hang_on),
        cmocka_unit_test(loops_are_closed),
        cmocka_unit_test(sites_are_ends_of_loops),
        cmocka_unit_test(bodies_are_seen_at_their_center),
        cmocka_unit_test(balls_are_seen_from_what_carries_them),
        cmocka_unit_test(axes_of_frames_are_directions),
        cmocka_unit_test(motors_elsewhere_are_left_to_the_program),
        cmocka_unit_test(springs_settle_as_in_mujoco),
        cmocka_unit_test(what_has_no_effect_is_remarked),
        cmocka_unit_test(every_request_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
