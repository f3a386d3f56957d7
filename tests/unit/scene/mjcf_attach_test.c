// MJCF: <attach> brings parts of other files, under names of their own, by the rules and classes of their files.
#include <math.h>

#include "parse.h"

#include "math/quat.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static const char HAND[] =
    "<mujoco><default class='top'><geom mass='0.25' size='0.03'/><default class='c'><joint type='slide' axis='1 0 0'/>"
    "</default></default><worldbody><body name='palm'><geom/><body name='finger' pos='0.1 0 0'>"
    "<joint name='f' class='c'/><geom/></body></body></worldbody></mujoco>";

// Radians, turns about axes that stay, meshes beside it; an actuator and a sensor of what is not always attached.
static const char ARM[] =
    "<mujoco><compiler angle='radian' eulerseq='XYZ' meshdir='m'/><default><geom mass='1' size='0.1' material='m'/>"
    "<default class='c'><joint axis='0 1 0' range='-1 1'/></default></default>"
    "<asset><material name='m' rgba='0.5 0.25 1 1'/><mesh file='tip.obj'/><model file='hand.xml'/></asset><worldbody>"
    "<body name='base' pos='0 0 1' euler='1.5707963267948966 1.5707963267948966 0' childclass='c'><geom/>"
    "<body name='upper' pos='0.5 0 0'><joint name='j'/><geom type='mesh' mesh='tip'/><frame pos='0.5 0 0'>"
    "<attach model='hand' body='palm' prefix='h-'/></frame></body></body>"
    "<frame name='aside' pos='3 0 0'><body name='other'><joint name='o'/><geom/></body></frame></worldbody>"
    "<actuator><position joint='j' kp='10'/><position name='p' joint='o' kp='10'/></actuator>"
    "<sensor><jointpos name='q' joint='j'/><actuatorpos name='s' actuator='p'/><jointpos name='f' "
    "joint='h-f'/></sensor>"
    "<keyframe><key name='k' qpos='0.3 0.01 -0.2' ctrl='0.1 0.2'/></keyframe></mujoco>";

static const char MAIN[] =
    "<mujoco><compiler angle='degree' meshdir='nowhere'/><default><geom density='500' size='0.2'/>"
    "<joint damping='3'/></default><asset><model name='arm' file='sub/arm.xml'/></asset><worldbody>"
    "<frame pos='1 0 0' euler='0 0 90'><attach model='arm' body='base' prefix='l-'/></frame>"
    "<body name='cart' pos='0 3 0' childclass='main'><joint name='cart' type='slide' range='-90 90'/><geom/>"
    "<attach model='arm' prefix='r-'/></body></worldbody>"
    "<sensor><jointvel name='own' joint='l-j'/></sensor></mujoco>";

static const char TIP[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static void put(const char *folder, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

// The scene, or NULL with the error, of main.xml beside the other files.
static tn_scene *load(const char *main, const char *arm, tn_error *error)
{
    char folder[] = "/tmp/tenon_attach_XXXXXX", command[100], path[100];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "mkdir -p %s/sub/m", folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): the folder is this test's own
    put(folder, "sub/m/tip.obj", TIP);
    put(folder, "sub/hand.xml", HAND);
    put(folder, "sub/arm.xml", arm);
    put(folder, "main.xml", main);
    snprintf(path, sizeof path, "%s/main.xml", folder);
    tn_scene *scene = tn_scene_load(path, 0, NULL, error);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    return scene;
}

static const tn_scene_joint *joint_of(const tn_scene *scene, const char *name)
{
    for (int i = 0; i < scene->n_joints; i++) {
        if (strcmp(scene->joints[i].name, name) == 0) {
            return &scene->joints[i];
        }
    }
    fail_msg("no joint '%s'", name);
    return NULL;
}

static void parts_keep_the_rules_of_their_files(void **state)
{
    tn_error error = {0};
    tn_scene *scene = load(MAIN, ARM, &error);
    assert_non_null(scene);
    char line[600];
    assert_true(tn_scene_remark(scene, 0, line, sizeof line) && strstr(line, "keyframes are left out"));
    assert_false(tn_scene_remark(scene, 1, line, sizeof line));

    // l-base: about x, then about y of what stands still; then all by 90 degrees about z.
    double x[3];
    const tn_scene_body *base = find_body(scene, "l-base"), *upper = find_body(scene, "l-upper");
    assert_vector(base->pose.position, 1, 0, 1, 1e-15);
    tn_quat_rotate(x, base->pose.quaternion, (double[3]){1, 0, 0});
    assert_vector(x, 0, 0, -1, 1e-15);
    assert_vector(upper->pose.position, 1, 0, 0.5, 1e-15);
    assert_true(fabs(upper->inertia->mass - 1.25) < 1e-15); // the mesh, and the palm on it
    assert_int_equal(upper->n_shapes, 2);

    // What its classes name is its own too.
    const tn_color *color = &base->shapes[0].color;
    assert_true(color->said && color->rgb[0] == 0.5 && color->rgb[1] == 0.25);

    // Names and classes: of the same names in both files, and of the main one none.
    const tn_scene_joint *j = joint_of(scene, "l-j"), *f = joint_of(scene, "l-h-f");
    assert_int_equal(j->kind, TN_JOINT_REVOLUTE);
    assert_true(j->drive[TN_AXIS_TURN].high == 1.0 && j->drive[TN_AXIS_TURN].damping == 0.0);
    assert_int_equal(j->drive[TN_AXIS_TURN].motor, TN_MOTOR_POSITION);
    assert_int_equal(f->kind, TN_JOINT_PRISMATIC);
    assert_true(joint_of(scene, "cart")->drive[TN_AXIS_SLIDE].damping == 3.0);

    // The keyframe of the part that has all of its joints: of those alone.
    const tn_scene_drive *turn = &joint_of(scene, "r-j")->drive[TN_AXIS_TURN];
    assert_true(fabs(turn->high - 0.7) < 1e-15 && fabs(tn_value_at(&turn->target, 0.0) + 0.2) < 1e-15);
    assert_true(fabs(tn_value_at(&joint_of(scene, "r-o")->drive[TN_AXIS_TURN].target, 0.0) - 0.4) < 1e-15);
    assert_true(tn_value_at(&j->drive[TN_AXIS_TURN].target, 0.0) == 0.0);
    assert_true(find_body(scene, "l-h-finger") && find_body(scene, "r-h-finger") && find_body(scene, "r-other"));
    assert_null(find_body(scene, "l-other"));
    assert_int_equal(scene->n_joints, 6);
    assert_int_equal(scene->n_sensors, 6); // own; q and f of both, s of the one with its actuator
    tn_scene_destroy(scene);
}

// A frame with what is in it; attributes of newer versions, and skins, are known.
static void frames_are_attached(void **state)
{
    static const char main[] =
        "<mujoco><compiler conflict='warning'/><asset><model name='arm' file='sub/arm.xml'/></asset><deformable><skin "
        "name='s' file='s.skn'/></deformable><worldbody><frame pos='0 1 0'><attach model='arm' frame='aside' "
        "prefix='f-'/></frame><geom name='belt' type='plane' surfacevel='1 0 0'/></worldbody></mujoco>";
    tn_error error = {0};
    char line[600] = "";
    tn_scene *scene = load(main, ARM, &error);
    assert_non_null(scene);
    assert_int_equal(scene->n_bodies, 2);
    assert_vector(find_body(scene, "f-other")->pose.position, 3, 1, 0, 1e-15);
    for (int i = 0; tn_scene_remark(scene, i, line, sizeof line) && !strstr(line, "'surfacevel' of <geom>"); i++) {
    }
    assert_non_null(strstr(line, "'surfacevel' of <geom> is left out"));
    tn_scene_destroy(scene);
}

static void what_cannot_be_attached_is_refused(void **state)
{
    static const char global[] = "<mujoco>\n<compiler coordinate='global'/></mujoco>";
    tn_error error = {0};
    assert_null(load(MAIN, global, &error));
    assert_non_null(strstr(error.message, "model 'arm' has no body 'base'"));
    static const char all[] = "<mujoco><asset><model name='arm' file='sub/arm.xml'/></asset><worldbody>"
                              "<attach model='arm' prefix=''/></worldbody></mujoco>";
    assert_null(load(all, global, &error));
    assert_non_null(strstr(error.message, "coordinate=\"global\" is not attached"));
    assert_true(error.line == 2 && strstr(error.file, "sub/arm.xml"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_keep_the_rules_of_their_files),
        cmocka_unit_test(frames_are_attached),
        cmocka_unit_test(what_cannot_be_attached_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
