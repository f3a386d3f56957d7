// Scenes made in code: the same bits as a file's, errors with their place, there and back again.
#include "scenario.h"

#include "model/model.h"

#include <glob.h>
#include <string.h>

static tn_builder *builder_new(void)
{
    tn_error error = {0};
    tn_builder *builder = tn_builder_create(&error);
    assert_non_null(builder);
    return builder;
}

static void add(tn_builder *builder, const char *section, const char *name, const char *value)
{
    tn_error error = {0};
    if (tn_builder_add(builder, section, name, value, &error) != TN_OK) {
        scenario_fail(section, &error);
    }
}

static void say(tn_builder *builder, const char *key, const char *value)
{
    tn_error error = {0};
    if (tn_builder_set(builder, key, value, &error) != TN_OK) {
        scenario_fail(key, &error);
    }
}

static tn_scene *scene_of(const tn_builder *builder)
{
    tn_error error = {0};
    tn_scene *scene = tn_builder_scene(builder, &error);
    if (!scene) {
        scenario_fail("builder", &error);
    }
    return scene;
}

// The tower of the README, with fewer layers: by arrays as in the file, and plank by plank.
static void test_tower(void **unused)
{
    static const char file[] =
        "title: A tower of planks\nstep: 10 ms\nduration: 1 s\nsolver: {tolerance: {natural: 1e-7}}\n"
        "materials:\n  pine: {density: 500, friction: 0.5}\n"
        "defaults:\n  body: {material: pine}\n  shape: {box: {size: [120 mm, 24 mm, 8 mm]}}\n"
        "bodies:\n"
        "  floor: {fixed: true, position: [0, 0, -0.5], shape: {box: [1, 1, 1]}}\n"
        "  along: {position: [0, -48 mm, 4 mm], shape: {}, array: {count: [1, 3, 4], spacing: [0, 48 mm, 16 mm]}}\n"
        "  across:\n    position: [-48 mm, 0, 12 mm]\n    rotation: {axis: [0, 0, 1], angle: 90 deg}\n    shape: {}\n"
        "    array: {count: [3, 1, 4], spacing: [48 mm, 0, 16 mm]}\n";
    tn_builder *builder = builder_new();
    say(builder, "title", "A tower of planks");
    say(builder, "step", "0.01");
    say(builder, "solver", "{tolerance: {natural: 1e-7}}");
    add(builder, "materials", "pine", "{density: 500, friction: 0.5}");
    say(builder, "defaults",
        "{\"body\": {\"material\": \"pine\"}, \"shape\": {\"box\": {\"size\": [0.12, 0.024, 0.008]}}}");
    add(builder, "bodies", "floor", "{fixed: true, position: [0, 0, -0.5], shape: {box: [1, 1, 1]}}");
    add(builder, "bodies", "along",
        "position: [0, -48 mm, 4 mm]\nshape: {}\narray: {count: [1, 3, 4], spacing: [0, 48 mm, 16 mm]}");
    add(builder, "bodies", "across",
        "{position: [-0.048, 0, 0.012], rotation: {axis: [0, 0, 1], angle: 90 deg}, shape: {}, "
        "array: {count: [3, 1, 4], spacing: [0.048, 0, 0.016]}}");
    scenario a = scenario_open("%s", file), b = scenario_start(scene_of(builder), "model");
    assert_true(a.model->hash == b.model->hash);
    scenario_run(&a, 0.2), scenario_run(&b, 0.2);
    assert_true(tn_state_hash(a.state) == tn_state_hash(b.state));
    assert_string_equal(tn_model_body_name(b.model, 2), "along[0]");

    // One more plank: the builder goes on, the scene that was made does not change.
    add(builder, "bodies", "last", "{position: [0, 0, 1], shape: {}}");
    scenario c = scenario_start(scene_of(builder), "model");
    assert_int_equal(tn_model_body_count(c.model), tn_model_body_count(a.model) + 1);
    tn_builder_destroy(builder);
    scenario_step(&c);
    scenario_close(&a), scenario_close(&b), scenario_close(&c);
}

// Parts of all sections, many of them.
static void test_sections(void **unused)
{
    enum { MANY = 300 };
    tn_builder *builder = builder_new();
    for (int i = 0; i < MANY; i++) {
        char name[20], value[80];
        snprintf(name, sizeof name, "ball_%d", i);
        snprintf(value, sizeof value, "{position: [%d, 0, 0], mass: 2, shape: {sphere: 0.1}}", i);
        add(builder, "bodies", name, value);
    }
    add(builder, "materials", "a", "{friction: 0.1}"), add(builder, "materials", "b", "{}");
    add(builder, "pairs", NULL, "{materials: [a, b], friction: 0.9}");
    add(builder, "pairs", NULL, "{materials: [a, a], friction: 0.8}");
    add(builder, "joints", "j", "{type: spherical, a: ball_1, b: ball_2, anchor: [1.5, 0, 0]}");
    add(builder, "springs", "s", "{a: ball_3, b: ball_4, stiffness: 10}");
    add(builder, "soft", "mat", "{grid: {size: [1, 1, 1], divisions: [1, 1, 1]}, young: 1 kPa, position: [0, 5, 0]}");
    say(builder, "gravity", "[0, 0, -1]"), say(builder, "gravity", "[0, 0, -2]");
    tn_scene *scene = scene_of(builder);
    assert_int_equal(scene->n_bodies, MANY);
    assert_string_equal(scene->bodies[MANY - 1].name, "ball_299");
    assert_true(scene->n_pairs == 2 && scene->pairs[1].mu1 == 0.8 && scene->n_joints == 1 && scene->n_springs == 1 &&
                scene->n_softs == 1 && scene->settings.gravity[2] == -2.0);
    tn_scene_destroy(scene);
    tn_builder_destroy(builder);
}

static void test_errors(void **unused)
{
    static const struct {
        const char *section, *name, *value, *file, *message;
        int line, column;
    } cases[] = {
        {"bodies", "box", "{shape: {sphere: 0.1}, masss: 2}", "bodies.box", "masss", 1, 24},
        {"bodies", "box", "shape: {sphere: 1\n", "bodies.box", "", 0, 0},
        {"bodies", "old", "{}", "bodies.old", "there already", 1, 1},
        {"bodys", "box", "{}", "bodys.box", "bodies", 1, 1},
        {"gravity", "x", "1", "gravity.x", "no section", 1, 1},
        {"bodies", NULL, "{}", "bodies", "no list", 1, 1},
        {"pairs", "a", "{}", "pairs.a", "no section", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tn_builder *builder = builder_new();
        tn_error error = {0};
        add(builder, "bodies", "old", "{shape: {sphere: 1}}");
        assert_int_equal(tn_builder_add(builder, cases[i].section, cases[i].name, cases[i].value, &error),
                         TN_BAD_INPUT);
        char text[1200];
        print_message("%s\n", tn_error_text(&error, text, sizeof text));
        assert_string_equal(error.file, cases[i].file);
        assert_non_null(strstr(error.message, cases[i].message));
        assert_true(cases[i].line == 0 || (error.line == cases[i].line && error.column == cases[i].column));
        tn_scene *scene = scene_of(builder); // as it was before
        assert_int_equal(scene->n_bodies, 1);
        tn_scene_destroy(scene);
        tn_builder_destroy(builder);
    }
    // What only the whole scene shows still has its place.
    tn_builder *builder = builder_new();
    tn_error error = {0};
    add(builder, "bodies", "box", "shape: {sphere: 1}\nmaterial: wod\n");
    assert_null(tn_builder_scene(builder, &error));
    assert_string_equal(error.file, "bodies.box");
    assert_int_equal(error.line, 2);
    // Of the model too, when the builder is gone.
    tn_builder *heavy = builder_new();
    add(heavy, "bodies", "box", "{shape: {sphere: 1}}");
    add(heavy, "bodies", "tiny", "mass: 1e-310\nshape: {sphere: 1}\n");
    error = (tn_error){0};
    tn_scene *scene = tn_builder_scene(heavy, &error);
    tn_builder_destroy(heavy);
    assert_true(!scene || !tn_model_create(scene, &error));
    assert_string_equal(error.file, "bodies.tiny");
    assert_int_equal(tn_builder_set(builder, "include", "x.yaml", &error), TN_BAD_INPUT);
    assert_int_equal(tn_builder_set(builder, "include.0", "x.yaml", &error), TN_BAD_INPUT);
    assert_int_equal(tn_builder_set(builder, "gravty", "[0, 0, 0]", &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "gravity"));
    tn_builder_destroy(builder);
}

static void test_merge(void **unused)
{
    tn_builder *builder = builder_new();
    tn_error error = {0};
    say(builder, "title", "mine");
    add(builder, "bodies", "a", "{shape: {sphere: 1}}");
    assert_int_equal(
        tn_builder_merge(builder, "title: theirs\nstep: 2 ms\nbodies: {b: {shape: {sphere: 2}}}\n", NULL, &error),
        TN_OK);
    assert_int_equal(tn_builder_merge(builder, "bodies: {b: {shape: {sphere: 2}}}\n", "more.yaml", &error),
                     TN_BAD_INPUT);
    add(builder, "bodies", "c", "{shape: {sphere: 3}}");
    tn_scene *scene = scene_of(builder);
    assert_true(scene->n_bodies == 3 && scene->settings.step == 0.002);
    assert_string_equal(scene->title, "mine");
    tn_scene_destroy(scene);
    tn_builder_destroy(builder);
}

// File to scene to text to scene, and through a builder: models that are equal to the last bit.
static void test_there_and_back(void **unused)
{
    static const char *const folders[] = {"scenes/rigid", "scenes/joints", "scenes/planar", "scenes/soft",
                                          "scenes/compliant"};
    int n = 0;
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        char pattern[600];
        glob_t found = {0};
        snprintf(pattern, sizeof pattern, TENON_SOURCE_DIR "/%s/*.yaml", folders[f]);
        glob(pattern, 0, NULL, &found);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *path = found.gl_pathv[i];
            if (strstr(path, "soft/slab.yaml")) {
                continue; // a million degrees of freedom: seconds to compile
            }
            n++;
            tn_error error = {0};
            tn_scene *a = tn_scene_load(path, 0, NULL, &error), *b, *c;
            assert_non_null(a);
            b = tn_scene_parse(tn_scene_text(a), path, 0, NULL, &error);
            tn_builder *builder = builder_new();
            assert_int_equal(tn_builder_merge(builder, tn_scene_text(a), path, &error), TN_OK);
            c = scene_of(builder);
            tn_builder_destroy(builder);
            tn_scene *d = tn_scene_parse(tn_scene_text(c), "scene", 0, NULL, &error);
            assert_true(b && d);
            assert_string_equal(tn_scene_text(d), tn_scene_text(c));
            tn_scene_destroy(c);
            assert_string_equal(tn_scene_text(b), tn_scene_text(a));
            tn_scene_destroy(b);
            tn_model *all[2] = {tn_model_create(a, &error), tn_model_create(d, &error)};
            for (int k = 0; k < 2; k++) {
                assert_true(all[k] && all[k]->hash == all[0]->hash);
                assert_string_equal(all[k]->scene->title, all[0]->scene->title);
            }
            for (int k = 0; k < 2; k++) {
                tn_model_destroy(all[k]);
            }
        }
        globfree(&found);
    }
    print_message("%d scenes\n", n);
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tower), cmocka_unit_test(test_sections),       cmocka_unit_test(test_errors),
        cmocka_unit_test(test_merge), cmocka_unit_test(test_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
