// How things look: colours by name, digits and numbers, whose colour counts, visual shapes that weigh nothing, views;
// and what robots' files say of it.
#include <stdlib.h>

#include <math.h>

#include "parse.h"
#include "test.h"

#include <unistd.h>

static void assert_color(const tn_color *color, double r, double g, double b)
{
    assert_true(color->said);
    assert_vector(color->rgb, r, g, b, 1e-15);
}

static void the_nearest_colour_counts(void **state)
{
    tn_scene *scene = parse("materials:\n"
                            "  wood: {color: '#336699'}\n"
                            "bodies:\n"
                            "  plain: {shape: {sphere: 1}}\n"
                            "  made: {material: wood, shape: {sphere: 1}}\n"
                            "  painted: {material: wood, color: [0.25, 1, 0], texture: checker, shapes: [{sphere: 1},\n"
                            "            {sphere: 2, color: orange}]}\n"
                            "soft:\n"
                            "  cube: {grid: {size: [1, 1, 1], divisions: [1, 1, 1]}, young: 1e5, material: wood}\n"
                            "  red: {grid: {size: [1, 1, 1], divisions: [1, 1, 1]}, young: 1e5, color: [1, 0, 0]}\n"
                            "rods:\n"
                            "  rope: {points: [[0, 0, 5], [1, 0, 5]], segments: 2, radius: 0.01, young: 1e6,"
                            " color: [0, 0, 1]}\n");
    assert_false(find_body(scene, "plain")->color.said);
    assert_false(find_body(scene, "plain")->shapes[0].color.said);
    assert_color(&find_body(scene, "made")->shapes[0].color, 0x33 / 255.0, 0x66 / 255.0, 0x99 / 255.0);
    const tn_scene_body *painted = find_body(scene, "painted");
    assert_color(&painted->color, 0.25, 1, 0);
    assert_true(painted->checker);
    assert_false(find_body(scene, "made")->checker);
    assert_false(painted->shapes[0].color.said); // the body's, not the material's
    assert_color(&painted->shapes[1].color, 0xe8 / 255.0, 0x87 / 255.0, 0x3a / 255.0);
    assert_color(&scene->softs[0].color, 0x33 / 255.0, 0x66 / 255.0, 0x99 / 255.0);
    assert_color(&scene->softs[1].color, 1, 0, 0);
    assert_color(&find_body(scene, "rope[1]")->shapes[0].color, 0, 0, 1);
    tn_scene_destroy(scene);
}

static void visual_shapes_only_show(void **state)
{
    tn_scene *scene =
        parse("defaults: {shape: {density: 7}}\n"
              "bodies:\n"
              "  ball: {shape: {sphere: 1}, visual: [{box: [1, 2, 3], position: [0, 0, 4], color: red}]}\n");
    const tn_scene_body *ball = &scene->bodies[0];
    assert_int_equal(ball->n_shapes, 1);
    assert_int_equal(ball->n_visuals, 1);
    assert_true(ball->visuals[0].density == 0.0);
    assert_false(ball->visuals[0].collides);
    assert_vector(ball->visuals[0].pose.position, 0, 0, 4, 0.0);
    assert_vector(ball->visuals[0].shape.size, 0.5, 1, 1.5, 0.0);
    tn_scene_destroy(scene);
    expect_error("bodies:\n  a: {shape: {sphere: 1}, visual: [{box: [1, 1, 1], density: 5}]}\n", 2, 62,
                 "a visual shape is only shown: it takes no 'density'");
    expect_error("bodies:\n  a: {visual: [{box: [1, 1, 1]}]}\n", 2, 6,
                 "a free body needs mass: a shape with volume and density, or mass and inertia");
}

static void colours_that_are_none_are_refused(void **state)
{
    expect_error("bodies:\n  a: {shape: {sphere: 1}, color: orrange}\n", 2, 34,
                 "'color' is a name, \"#rrggbb\" or [red, green, blue] from 0 to 1, not 'orrange'; did you mean "
                 "'orange'?");
    expect_error("bodies:\n  a: {shape: {sphere: 1}, color: [1, 2, 0]}\n", 2, 34,
                 "'color' is a name, \"#rrggbb\" or [red, green, blue] from 0 to 1, not a list of 3");
    expect_error("bodies:\n  a: {shape: {sphere: 1}, color: '#12345g'}\n", 2, 34,
                 "'color' is a name, \"#rrggbb\" or [red, green, blue] from 0 to 1, not '#12345g'");
}

static void views_name_what_they_follow(void **state)
{
    tn_scene *scene = parse("bodies:\n"
                            "  a: {fixed: true}\n"
                            "  b: {shape: {sphere: 1}, array: {count: [2, 1, 1], spacing: [3, 0, 0]}}\n"
                            "soft: {c: {grid: {size: [1, 1, 1], divisions: [1, 1, 1]}, young: 1e5}}\n"
                            "views:\n"
                            "  still: {eye: [1, 2, 300 cm], target: [0, 0, 1]}\n"
                            "  chase: {follow: 'b[1]', eye: [-4, 0, 1]}\n"
                            "  cube: c\n");
    assert_int_equal(scene->n_views, 3);
    assert_string_equal(scene->views[0].name, "still");
    assert_vector(scene->views[0].eye, 1, 2, 3, 0.0);
    assert_vector(scene->views[0].target, 0, 0, 1, 0.0);
    assert_int_equal(scene->views[0].follow, 0);
    assert_int_equal(scene->views[1].follow, 3); // the world, a, b[0], b[1], c
    assert_true(isnan(scene->views[1].target[0]));
    assert_int_equal(scene->views[2].follow, 4);
    assert_true(isnan(scene->views[2].eye[2]));
    tn_scene_destroy(scene);
    expect_error("views:\n  chase: {follow: nobody}\n", 2, 19, "no body 'nobody'");
    expect_error("views:\n  flat: {eye: [1, 0, 0], target: [1, 0, 0]}\n", 2, 34, "'target' is where the eye is");
}

static void an_urdf_file_shows_its_visuals(void **state)
{
    tn_scene *scene = parse(
        "<robot name='r'><material name='sand'><color rgba='0.8 0.7 0.6 1'/></material>"
        "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
        "<collision><geometry><box size='1 1 1'/></geometry></collision>"
        "<visual><origin xyz='0 0 2'/><geometry><sphere radius='0.5'/></geometry><material name='sand'/></visual>"
        "<visual><geometry><box size='1 2 1'/></geometry><material name='own'><color rgba='0 0.5 2 1'/></material>"
        "</visual><visual><geometry><mesh filename='package://nowhere/a.dae'/></geometry></visual>"
        "<visual><geometry><mesh filename='missing.obj'/></geometry></visual></link></robot>");
    const tn_scene_body *a = &scene->bodies[0];
    char remark[400];
    assert_int_equal(a->n_shapes, 1);
    assert_int_equal(a->n_visuals, 2);
    assert_color(&a->visuals[0].color, 0.8, 0.7, 0.6);
    assert_vector(a->visuals[0].pose.position, 0, 0, 2, 0.0);
    assert_color(&a->visuals[1].color, 0, 0.5, 1);
    assert_non_null(tn_scene_remark(scene, 1, remark, sizeof remark)); // one for each mesh that is not there
    assert_null(tn_scene_remark(scene, 2, remark, sizeof remark));
    tn_scene_destroy(scene);
}

// Geoms that touch nothing dress their body; groups above 2 and what is transparent are not shown.
static void a_mjcf_file_shows_its_groups(void **state)
{
    tn_scene *scene = parse(
        "<mujoco><asset><material name='skin' rgba='0.5 0.25 0 1'/></asset>"
        "<default><default class='seen'><geom contype='0' conaffinity='0' material='skin'/></default></default>"
        "<worldbody>"
        "<body name='plain'><freejoint/><geom size='1' rgba='0 1 0 1'/><geom size='2' rgba='1 0 0 1' group='4'/></body>"
        "<body name='dressed' pos='9 0 0'><freejoint/><geom size='1' group='3'/>"
        "<geom type='box' size='1 1 1' class='seen'/><geom size='0.5' rgba='0 0 1 1'/>"
        "<geom size='4' class='seen' rgba='1 1 1 0'/></body></worldbody></mujoco>");
    const tn_scene_body *plain = find_body(scene, "plain"), *dressed = find_body(scene, "dressed");
    assert_int_equal(plain->n_shapes, 2);
    assert_int_equal(plain->n_visuals, 0);
    assert_color(&plain->shapes[0].color, 0, 1, 0);
    assert_int_equal(dressed->n_shapes, 2);
    assert_int_equal(dressed->n_visuals, 2);
    assert_color(&dressed->visuals[0].color, 0.5, 0.25, 0);
    assert_color(&dressed->visuals[1].color, 0, 0, 1);
    tn_scene_destroy(scene);
}

// A visual mesh's path leads to its file from wherever the scene is written.
static void visuals_are_written(void **state)
{
    char folder[] = "/tmp/tenon_look_XXXXXX", mesh[100], path[100], robot[900];
    assert_non_null(mkdtemp(folder));
    snprintf(mesh, sizeof mesh, "%s/tri.obj", folder);
    snprintf(path, sizeof path, "%s/out.yaml", folder);
    FILE *out = fopen(mesh, "w");
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\n", out); // open: no solid
    fclose(out);
    snprintf(robot, sizeof robot,
             "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
             "<visual><geometry><mesh filename='%s' scale='2 2 2'/></geometry><material name='m'>"
             "<color rgba='1 0 0 1'/></material></visual></link></robot>",
             mesh);
    tn_error error = {0};
    tn_scene *scene = parse(robot);
    assert_int_equal(scene->bodies[0].n_visuals, 1);
    assert_int_equal(tn_scene_write(scene, path, &error), TN_OK);
    tn_scene *again = tn_scene_load(path, 0, NULL, &error);
    if (!again) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(again->bodies[0].n_visuals, 1);
    assert_int_equal(again->bodies[0].visuals[0].shape.kind, TN_SHAPE_TRIANGLES);
    assert_color(&again->bodies[0].visuals[0].color, 1, 0, 0);
    tn_scene_destroy(again);
    tn_scene_destroy(scene);
    unlink(path);
    unlink(mesh);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_colour_counts),
        cmocka_unit_test(visual_shapes_only_show),
        cmocka_unit_test(colours_that_are_none_are_refused),
        cmocka_unit_test(views_name_what_they_follow),
        cmocka_unit_test(an_urdf_file_shows_its_visuals),
        cmocka_unit_test(a_mjcf_file_shows_its_groups),
        cmocka_unit_test(visuals_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
