// Overrides (--set) and the text that recordings keep.
#include <math.h>

#include "parse.h"
#include "test.h"

static const char scene_text[] = "solver: cond\n"
                                 "materials: {wood: {friction: 0.4}}\n"
                                 "pairs:\n"
                                 "  - {materials: [wood, wood], friction: 0.1}\n"
                                 "bodies:\n"
                                 "  box: {position: [0, 0, 1], shape: {box: [1, 1, 1], material: wood}}\n";

static void values_are_replaced_and_added(void **state)
{
    const char *const set[] = {
        "solver.max_iterations=50",      "bodies.box.position=[1, 2, 3 cm]", "step=5 ms",
        "bodies.box.velocity=[0, 0, 9]", "materials.wood.friction.mu=2",     "pairs.0.restitution=1",
        "solver.tolerance.natural=0",    "bodies.box.position.2=7",          "record={every: 4}"};
    tn_scene *scene = parse_with(scene_text, 9, set);
    assert_string_equal(scene->settings.solver, "cond"); // the shorthand was spelt out, not lost
    assert_int_equal(scene->settings.solve.max_iterations, 50);
    assert_true(scene->settings.demanded.natural == 0.0 && scene->settings.step == 5 * 1e-3);
    assert_vector(scene->bodies[0].pose.position, 1.0, 2.0, 7.0, 0.0); // in the order of the overrides
    assert_true(scene->bodies[0].velocity->linear[2] == 9.0);
    assert_true(scene->materials[0].mu1 == 2.0 && scene->pairs[0].restitution == 1.0 && scene->pairs[0].mu1 == 0.1);
    assert_int_equal(scene->settings.record_every, 4);
    tn_scene_destroy(scene);
}

// Null takes away: what is left is as if it had not been said, and nothing where nothing was.
static void null_takes_away(void **state)
{
    const char *const set[] = {"bodies.box.position=null",
                               "pairs.0.friction=~",
                               "materials.wood.friction=null",
                               "duration=null",
                               "solver=null",
                               "bodies.ball=null"};
    const char *const whole[] = {"pairs=null", "bodies.box.shape.material=null", "materials=null"};
    const char text[] = "duration: 3\nsolver: cond\nmaterials: {wood: {friction: 0.4}}\n"
                        "pairs: [{materials: [wood, wood], friction: 0.1, restitution: 0.5}]\n"
                        "bodies: {ball: {shape: {sphere: 1}}, box: {position: [0, 0, 1], "
                        "shape: {box: [1, 1, 1], material: wood}}}\n";
    tn_scene *scene = parse_with(text, 6, set), *plain = parse("bodies: {box: {shape: {box: [1, 1, 1]}}}");
    assert_true(scene->n_bodies == 1 && scene->n_pairs == 1);
    assert_vector(scene->bodies[0].pose.position, 0.0, 0.0, 0.0, 0.0);
    assert_true(scene->materials[0].mu1 == plain->materials[0].mu1 && scene->pairs[0].restitution == 0.5);
    assert_true(scene->settings.duration == plain->settings.duration);
    assert_string_equal(scene->settings.solver, plain->settings.solver);
    tn_scene_destroy(scene);
    scene = parse_with(text, 3, whole);
    assert_true(scene->n_pairs == 0 && scene->n_bodies == 2);
    tn_scene_destroy(scene);
    tn_scene_destroy(plain);
}

static void wrong_overrides(void **state)
{
    const struct {
        const char *set;
        int column;
        const char *message;
    } bad[] = {
        {"step", 1, "an override is path=value, e.g. solver.max_iterations=50"},
        {"=3", 1, "an override is path=value, e.g. solver.max_iterations=50"},
        {"step=", 6, "a value must follow '='"},
        {"step=fast", 6, "'step' must be a number in s, not 'fast'"},
        {"stpe=1", 1, "unknown key 'stpe'; did you mean 'step'?"},
        {"solver.k=1", 8,
         "unknown key 'k'; 'solver' takes name, accuracy, max_iterations, facets, facets_align, k_v, "
         "penalty_stiffness, penalty_damping, threads, tolerance"},
        {"bodies.bux.mass=1", 8, "no 'bux' in the scene; did you mean 'box'?"},
        {"bodies.bux=null", 8, "no 'bux' in the scene; did you mean 'box'?"},
        {"bodies.box.mas=null", 12, "unknown key 'mas'; did you mean 'mass'?"},
        {"bodies.box.mas=1", 12, "unknown key 'mas'; did you mean 'mass'?"},
        {"bodies.box.position=[0, x, 1]", 25, "'position' must be a number in m, not 'x'"},
        {"bodies.box.position.3=1", 21, "a number from 0 to 2 must stand here"},
        {"bodies.box.position.z=1", 21, "a number from 0 to 2 must stand here"},
        {"step.x=1", 6, "'step' must be a number in s, not a map"},
        {"duration.x=1", 10, "what stands before this is no map"},
        {"bodies..mass=1", 8, "no '' in the scene"},
        {"pairs.1.friction=1", 7, "a number from 0 to 0 must stand here"},
        {"include=other.yaml", 1, "a file cannot be included by an override"},
        {"robots=[other.urdf]", 1,
         "robots' files are read before overrides: change what became of them (bodies.NAME, joints.NAME), or the "
         "scene's file"},
        {"robots.0.prefix=a", 1,
         "robots' files are read before overrides: change what became of them (bodies.NAME, joints.NAME), or the "
         "scene's file"},
        {"title='a", 8, "not YAML: single-quoted scalar without closing quote"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const set[] = {"duration=2", bad[i].set};
        tn_error error = {0};
        assert_null(tn_scene_parse(scene_text, "test.yaml", 2, set, &error));
        assert_string_equal(error.message, bad[i].message);
        assert_int_equal(error.status, TN_BAD_INPUT);
        assert_string_equal(error.file, "--set");
        assert_int_equal(error.line, 2); // the second override
        assert_int_equal(error.column, bad[i].column);
    }
}

static void untouched_text_is_kept(void **state)
{
    tn_scene *scene = parse(scene_text);
    assert_string_equal(scene->text, scene_text);
    tn_scene_destroy(scene);
}

// Texts that must come through the writer as they are.
static void kept_text_reads_the_same(void **state)
{
    static const char *const titles[] = {
        "a \\\"b\\\" \\\\ c",
        "# no comment",
        "- item",
        "a: b",
        "[1",
        "{",
        "*x",
        "&x",
        "!x",
        "%x",
        "@x",
        "`x",
        "'x",
        "null",
        "~",
        "true",
        "1e5",
        "",
        " a ",
        "a ",
        "\\n",
        "\\t",
        "\\x01",
        "ä ö",
        "\\u2028",
        "\\u0085",
        "...",
        "---",
        "a,b",
        "?",
        "|",
        ">",
    };
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        char text[200];
        snprintf(text, sizeof text, "title: \"%s\"\n", titles[i]);
        const char *const set[] = {"step=1 ms"};
        tn_scene *scene = parse_with(text, 1, set);
        tn_scene *again = parse(scene->text);
        assert_string_equal(again->title, scene->title);
        assert_true(again->settings.step == 1e-3);
        tn_scene_destroy(scene);
        tn_scene_destroy(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_replaced_and_added),
        cmocka_unit_test(null_takes_away),
        cmocka_unit_test(wrong_overrides),
        cmocka_unit_test(untouched_text_is_kept),
        cmocka_unit_test(kept_text_reads_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
