// URDF: the tree in any order, inertias turned and added up, kinds of joints, mimics, packages; and the scene file that
// a robot becomes.
#include <math.h>

#include "parse.h"

#include "base/memory.h"
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAVY "<inertial><mass value='2'/><inertia ixx='0.3' iyy='0.2' izz='0.1'/></inertial>"

static const tn_scene_joint *find_joint(const tn_scene *scene, const char *name)
{
    for (int i = 0; i < scene->n_joints; i++) {
        if (strcmp(scene->joints[i].name, name) == 0) {
            return &scene->joints[i];
        }
    }
    return NULL;
}

// A child is said before its parent; the root is free and has mass; a quarter turn about z by the joint's origin.
static const char arm[] =
    "<robot name='arm'>\n"
    "<joint name='wrist' type='prismatic'><parent link='lower'/><child link='hand'/>"
    "<origin xyz='0 0 3'/><axis xyz='0 0 -2'/><limit lower='-0.1' upper='0.2'/>"
    "<dynamics damping='4' friction='5'/></joint>\n"
    "<link name='hand'>" HEAVY "</link>\n"
    "<link name='lower'>" HEAVY "<collision><origin xyz='0 0 1'/><geometry><box size='1 2 3'/></geometry></collision>"
    "</link>\n"
    "<joint name='elbow' type='revolute'><parent link='base'/><child link='lower'/>"
    "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/><axis xyz='1 0 0'/><limit lower='-1' upper='2' effort='3'/>"
    "<mimic joint='wrist' multiplier='-2' offset='0.5'/></joint>\n"
    "<link name='base'>" HEAVY "</link>\n"
    "</robot>\n";

static void joints_and_links_are_placed(void **state)
{
    tn_scene *scene = parse(arm);
    assert_string_equal(scene->title, "arm");
    assert_int_equal(scene->n_bodies, 3);
    assert_int_equal(scene->n_joints, 3);
    const tn_scene_body *base = find_body(scene, "base"), *lower = find_body(scene, "lower");
    const tn_scene_joint *elbow = find_joint(scene, "elbow"), *wrist = find_joint(scene, "wrist");
    assert_int_equal(base->kind, TN_BODY_FREE);
    assert_vector(base->pose.position, 0, 0, 0, 0.0);
    // The elbow turns about the link's x, which is the world's y, and starts where the mimic puts it: at 0.5 rad.
    assert_int_equal(elbow->kind, TN_JOINT_REVOLUTE);
    assert_vector(elbow->axis, 0, 1, 0, 1e-15);
    assert_vector(lower->pose.position, 1, 0, 0, 1e-15);
    assert_true(fabs(elbow->drive[TN_AXIS_TURN].low + 1.5) < 1e-15 &&
                fabs(elbow->drive[TN_AXIS_TURN].high - 1.5) < 1e-15);
    // z of the link is turned by 0.5 rad about the world's y.
    double z[3] = {sin(0.5), 0.0, cos(0.5)};
    assert_int_equal(wrist->kind, TN_JOINT_PRISMATIC);
    assert_vector(wrist->axis, -z[0], -z[1], -z[2], 1e-15);
    assert_vector(find_body(scene, "hand")->pose.position, 1 + 3 * z[0], 0, 3 * z[2], 1e-14);
    const tn_scene_drive *slide = &wrist->drive[TN_AXIS_SLIDE];
    assert_true(slide->low == -0.1 && slide->high == 0.2 && slide->damping == 4.0 && slide->friction == 5.0);
    const tn_scene_joint *mimic = find_joint(scene, "elbow-mimic");
    assert_int_equal(mimic->kind, TN_JOINT_GEAR);
    assert_true(mimic->gear_factor[0] == 2.0);
    assert_string_equal(scene->joints[mimic->gear_joint[0]].name, "wrist");
    const tn_scene_shape *box = &lower->shapes[0];
    assert_vector(box->shape.size, 0.5, 1.0, 1.5, 0.0);
    assert_vector(box->pose.position, 0, 0, 1, 0.0);
    tn_scene_destroy(scene);
}

// Two rods of one body at right angles: mass, center and inertia by the parallel axis theorem, by hand.
static void fixed_links_are_one_body(void **state)
{
    tn_scene *scene = parse("<robot name='L'>"
                            "<link name='a'><inertial><origin xyz='1 0 0'/><mass value='3'/>"
                            "<inertia ixx='0.5' iyy='2' izz='2'/></inertial></link>"
                            "<link name='empty'/>"
                            "<link name='b'><inertial><origin xyz='2 0 0' rpy='0 0 0'/><mass value='1'/>"
                            "<inertia ixx='0.25' iyy='1' izz='1' ixy='0.125'/></inertial>"
                            "<visual><geometry><sphere radius='0.1'/></geometry></visual></link>"
                            "<joint name='j' type='fixed'><parent link='a'/><child link='empty'/>"
                            "<origin xyz='0 0 1'/></joint>"
                            "<joint name='k' type='fixed'><parent link='empty'/><child link='b'/>"
                            "<origin rpy='0 0 1.5707963267948966'/></joint></robot>");
    assert_int_equal(scene->n_bodies, 1);
    const tn_scene_inertia *inertia = scene->bodies[0].inertia;
    // b's center is (0, 2, 1); the mean (0.75, 0.5, 0.25). In a's axes b has moments 1, 0.25, 1 and product -0.125.
    assert_true(inertia->mass == 4.0);
    assert_vector(inertia->center, 0.75, 0.5, 0.25, 1e-15);
    const double *t = inertia->tensor; // reduced mass 3/4 times d = (-1, 2, 1)
    assert_vector((double[]){t[0], t[4], t[8]}, 1.5 + 0.75 * 5, 2.25 + 0.75 * 2, 3.0 + 0.75 * 5, 1e-14);
    assert_vector((double[]){t[1], t[2], t[5]}, -0.125 + 0.75 * 2, 0.75, -0.75 * 2, 1e-14);
    assert_int_equal(scene->bodies[0].n_shapes, 0);
    assert_int_equal(scene->bodies[0].n_visuals, 1);
    assert_vector(scene->bodies[0].visuals[0].pose.position, 0, 0, 1, 1e-15);
    tn_scene_destroy(scene);
}

static void roots_without_mass_are_fixed(void **state)
{
    tn_scene *scene = parse("<robot name='r'><link name='stand'><collision><geometry><sphere radius='1'/></geometry>"
                            "</collision></link><link name='tool'>" HEAVY "</link>"
                            "<joint name='j' type='planar'><parent link='stand'/><child link='tool'/>"
                            "<axis xyz='0 1 0'/></joint></robot>");
    assert_int_equal(find_body(scene, "stand")->kind, TN_BODY_FIXED);
    const tn_scene_joint *joint = find_joint(scene, "j");
    assert_int_equal(joint->kind, TN_JOINT_PLANAR);
    assert_vector(joint->axis, 0, 1, 0, 0.0);
    assert_int_equal(joint->body_a, 0);
    tn_scene_destroy(scene);
}

static void robots_stand_in_scenes(void **state)
{
    char path[] = "/tmp/tenon_robot_XXXXXX", text[600];
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, arm, strlen(arm)) == (ssize_t)strlen(arm));
    close(file);
    snprintf(text, sizeof text,
             "robots:\n  - %s\n  - {file: %s, prefix: r-, position: [0, 0, 5], fixed: true,"
             " rotation: {axis: [0, 0, 1], angle: 90 deg}}\n"
             "bodies: {floor: {fixed: true, shape: {plane: {}}}}\n",
             path, path);
    tn_scene *scene = parse(text);
    assert_int_equal(scene->n_bodies, 6); // a fixed base without shapes is none
    assert_null(find_body(scene, "r-base"));
    assert_vector(find_body(scene, "r-lower")->pose.position, 0, 1, 5, 1e-15);
    assert_vector(find_joint(scene, "r-elbow")->axis, -1, 0, 0, 1e-15);
    assert_int_equal(find_joint(scene, "r-elbow")->body_a, -1);
    tn_scene *again = parse(tn_scene_text(scene));
    assert_int_equal(again->n_joints, scene->n_joints);
    tn_scene_destroy(again);
    tn_scene_destroy(scene);
    unlink(path);
}

static bool keeps_apart(const tn_scene *scene, const char *a, const char *b)
{
    const int one = find_body(scene, a)->shapes[0].material, two = find_body(scene, b)->shapes[0].material;
    for (int i = 0; i < scene->n_pairs; i++) {
        const tn_pair *pair = &scene->pairs[i];
        if ((pair->material_a == one && pair->material_b == two) ||
            (pair->material_a == two && pair->material_b == one)) {
            return !pair->collide;
        }
    }
    return false;
}

static void write_cube(char *path, double half, double x)
{
    FILE *out = fdopen(mkstemps(path, 4), "w");
    assert_non_null(out);
    for (int i = 0; i < 8; i++) {
        fprintf(out, "v %g %g %g\n", x + (i & 1 ? half : -half), i & 2 ? half : -half, i & 4 ? half : -half);
    }
    fprintf(out, "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    fclose(out);
}

// A chain of balls of 0.2 m: what overlaps two joints away, as meshes of hips do, does not touch, and a remark says so;
// what touches by half a millimeter does. A cube whose file has it far off its origin.
static void links_that_overlap_do_not_touch(void **state)
{
    static const char ball[] = "<collision><geometry><sphere radius='0.2'/></geometry></collision>";
    static const double ways[] = {0.1, 0.19975, 0.3, 0.1};
    char path[] = "/tmp/tenon_urdf_XXXXXX.obj", cube[200];
    write_cube(path, 0.15, 5.0);
    snprintf(cube, sizeof cube,
             "<collision><origin xyz='-5 0 0'/><geometry><mesh filename='%s'/></geometry></collision>", path);
    for (int i = 0; i < 4; i++) {
        char text[1500], remark[600];
        snprintf(text, sizeof text,
                 "<robot name='r'><link name='a'>" HEAVY "%s</link><link name='b'>" HEAVY "%s</link>"
                 "<link name='c'>" HEAVY "%s</link>"
                 "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><origin xyz='%g 0 0'/></joint>"
                 "<joint name='k' type='continuous'><parent link='b'/><child link='c'/><origin xyz='%g 0 0'/></joint>"
                 "</robot>",
                 ball, ball, i == 3 ? cube : ball, ways[i], ways[i]);
        tn_scene *scene = parse(text);
        const bool apart = i == 0 || i == 3, remarks = tn_scene_remark(scene, 0, remark, sizeof remark);
        assert_true(keeps_apart(scene, "a", "c") == apart && remarks == apart);
        assert_false(keeps_apart(scene, "a", "b")); // their joint does
        assert_true(!apart || strstr(remark, i ? "'a' and 'c' overlap by 0.15 m" : "'a' and 'c' overlap by 0.2 m"));
        tn_scene_destroy(scene);
    }
    remove(path);
}

// What is written reads back as the same scene from another folder, and leads to the same mesh.
static void a_scene_is_written(void **state)
{
    char folder[] = "/tmp/tenon_write_XXXXXX", path[100], text[700];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out.yaml", folder);
    tn_error error = {0};
    snprintf(text, sizeof text,
             "<robot name='x'><link name='rock'>" HEAVY "<collision><geometry><mesh filename='%s' scale='2 2 2'/>"
             "</geometry></collision></link></robot>",
             "tests/scenes_broken/parts/points.obj");
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(TENON_SOURCE_DIR), 0);
    tn_scene *scene = tn_scene_parse(text, "robot.urdf", 0, NULL, &error);
    assert_non_null(scene);
    assert_int_equal(tn_scene_write(scene, path, &error), TN_OK);
    assert_int_equal(chdir(here), 0);
    tn_scene *again = tn_scene_load(path, 0, NULL, &error);
    assert_non_null(again);
    assert_true(tn_shape_volume(&again->bodies[0].shapes[0].shape) ==
                tn_shape_volume(&scene->bodies[0].shapes[0].shape));
    assert_int_equal(tn_scene_write(again, path, &error), TN_OK); // it replaces its own kind
    FILE *other = fopen(path, "w");
    fputs("title: mine\n", other);
    fclose(other);
    assert_int_equal(tn_scene_write(again, path, &error), TN_IO); // and nothing else
    tn_scene_destroy(scene);
    tn_scene_destroy(again);
    unlink(path);
    rmdir(folder);
}

static void packages_are_found(void **state)
{
    char folder[] = "/tmp/tenon_package_XXXXXX", path[200];
    assert_non_null(mkdtemp(folder));
    static const char *const folders[] = {"robot", "robot/urdf", "robot/meshes", "other"};
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    static const char *const meshes[] = {"robot/meshes/a.obj", "other/b.obj"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, meshes[i]);
        FILE *mesh = fopen(path, "w");
        fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", mesh);
        fclose(mesh);
    }
    // `robot` by its folder's name, `other` beside it, `renamed` by what it holds, `nowhere` where MuJoCo looks.
    static const char *const names[] = {"package://robot/meshes/a.obj", "package://other/b.obj",
                                        "package://renamed/meshes/a.obj", "package://nowhere/a.obj"};
    for (int i = 0; i < 4; i++) {
        char text[700];
        snprintf(path, sizeof path, "%s/robot/urdf/x.urdf", folder);
        snprintf(text, sizeof text,
                 "<robot name='x'>%s<link name='rock'>" HEAVY
                 "<collision><geometry><mesh filename='%s' scale='-1 1 2'/>"
                 "</geometry></collision></link></robot>",
                 i == 3 ? "<mujoco><compiler meshdir='../meshes'/></mujoco>" : "", names[i]);
        FILE *file = fopen(path, "w");
        fputs(text, file);
        fclose(file);
        tn_error error = {0};
        tn_scene *scene = tn_scene_load(path, 0, NULL, &error);
        if (!scene) {
            printf("%s\n", error.message);
        }
        assert_non_null(scene);
        const tn_scene_shape *rock = &scene->bodies[0].shapes[0];
        assert_true(fabs(tn_shape_volume(&rock->shape) - 2.0 / 6.0) < 1e-15);
        assert_vector(rock->pose.position, -0.25, 0.25, 0.5, 1e-15); // mirrored
        tn_scene_destroy(scene);
        unlink(path);
    }
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, meshes[i]);
        unlink(path);
    }
    static const char *const back[] = {"other", "robot/meshes", "robot/urdf", "robot", ""};
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, back[i]);
        rmdir(path);
    }
}

// A file of two objects is two hulls where one number scales it.
// Moments that no body has become their mean where the file tells MuJoCo so.
static void inertias_are_balanced(void **state)
{
    tn_scene *scene =
        parse("<robot name='x'><mujoco><compiler balanceinertia='true'/></mujoco><link name='a'><inertial>"
              "<mass value='1'/><inertia ixx='1' iyy='1' izz='4'/></inertial></link></robot>");
    const double *tensor = find_body(scene, "a")->inertia->tensor;
    assert_true(fabs(tensor[0] - 2.0) < 1e-15 && fabs(tensor[4] - 2.0) < 1e-15 && fabs(tensor[8] - 2.0) < 1e-15);
    tn_scene_destroy(scene);
}

static void objects_of_a_mesh_are_hulls(void **state)
{
    char path[] = "/tmp/tenon_objects_XXXXXX.obj", text[500];
    int number = mkstemps(path, 4);
    static const char objects[] = "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
                                  "o b\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\nf 5 7 6\nf 5 6 8\nf 6 7 8\nf 7 5 8\n";
    assert_true(number >= 0 && write(number, objects, strlen(objects)) == (ssize_t)strlen(objects));
    close(number);
    for (int one = 0; one < 2; one++) {
        snprintf(text, sizeof text,
                 "<robot name='x'><link name='rock'>" HEAVY "<collision><geometry><mesh filename='%s' scale='2 2 %d'/>"
                 "</geometry></collision></link></robot>",
                 path, one ? 3 : 2);
        tn_scene *scene = parse(text);
        char remark[400];
        assert_int_equal(scene->bodies[0].n_shapes, one ? 1 : 2);
        assert_true(one || fabs(tn_shape_volume(&scene->bodies[0].shapes[0].shape) - 8.0 / 6.0) < 1e-14);
        assert_true((tn_scene_remark(scene, 0, remark, sizeof remark) != NULL) == one);
        tn_scene_destroy(scene);
    }
    unlink(path);
}

static void every_request_may_fail(void **state)
{
    long before = tn_memory_count();
    tn_scene_destroy(parse(arm));
    long requests = tn_memory_count() - before;
    int failed = 0;
    for (long i = 0; i < requests; i++) {
        tn_error error = {0};
        tn_memory_fail_after(i);
        tn_scene *scene = tn_scene_parse(arm, "arm.urdf", 0, NULL, &error);
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
        cmocka_unit_test(joints_and_links_are_placed),  cmocka_unit_test(fixed_links_are_one_body),
        cmocka_unit_test(roots_without_mass_are_fixed), cmocka_unit_test(robots_stand_in_scenes),
        cmocka_unit_test(a_scene_is_written),           cmocka_unit_test(packages_are_found),
        cmocka_unit_test(inertias_are_balanced),        cmocka_unit_test(links_that_overlap_do_not_touch),
        cmocka_unit_test(objects_of_a_mesh_are_hulls),  cmocka_unit_test(every_request_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
