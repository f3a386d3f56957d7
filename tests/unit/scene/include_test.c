// Includes: what is merged, what wins, and where the paths lead.
#include <math.h>

#include "parse.h"
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void write_file(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static tn_scene *load(const char *name, tn_error *error)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return tn_scene_load(path, 0, NULL, error);
}

static int setup(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/tenon_include_XXXXXX");
    char sub[200];
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(sub, sizeof sub, "%s/sub", folder);
    return mkdir(sub, 0700);
}

static int teardown(void **state)
{
    static const char *const names[] = {"main.yaml", "other.yaml", "sub/a.yaml", "sub/b.yaml", "sub", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    return 0;
}

static void contents_are_merged(void **state)
{
    // sub/a includes sub/b by a path relative to itself; main includes both, b is read once.
    write_file("sub/b.yaml", "materials: {stone: {density: 3}}\n"
                             "step: 1 ms\nduration: 3 s\nsolver: {max_iterations: 3, name: pgs}\n");
    write_file("sub/a.yaml", "include: b.yaml\n"
                             "materials: {wood: {density: 2}}\n"
                             "step: 2 ms\n"
                             "pairs: [{materials: [wood, stone], friction: 0.7}]\n"
                             "defaults: {body: {material: wood}}\n"
                             "bodies: {table: {shape: {box: [1, 1, 1]}}}\n");
    write_file("main.yaml", "include: [sub/a.yaml, sub/b.yaml]\n"
                            "solver: {max_iterations: 9}\n"
                            "pairs: [{materials: [wood, wood], friction: 0.8}]\n"
                            "bodies: {ball: {shape: {sphere: 1}}}\n");
    tn_error error = {0};
    tn_scene *scene = load("main.yaml", &error);
    if (!scene) {
        printf("%s:%d:%d: %s\n", error.file, error.line, error.column, error.message);
    }
    assert_non_null(scene);
    assert_true(scene->settings.duration == 3.0);
    assert_int_equal(scene->settings.solve.max_iterations, 9); // the including file wins
    assert_string_equal(scene->settings.solver, "pgs");        // groups merge key by key
    assert_int_equal(scene->n_bodies, 2);
    assert_int_equal(scene->n_pairs, 2);
    assert_int_equal(scene->n_materials, 3);
    assert_true(find_body(scene, "ball")->shapes[0].density == 2.0); // defaults of an included file hold here too
    assert_non_null(strstr(find_body(scene, "table")->place.file, "sub/a.yaml"));
    assert_int_equal(find_body(scene, "table")->place.line, 6);
    // What a recording keeps needs no other file.
    assert_null(strstr(scene->text, "include"));
    tn_scene *again = parse(scene->text);
    assert_int_equal(again->n_bodies, 2);
    assert_true(again->settings.step == scene->settings.step);
    tn_scene_destroy(again);
    tn_scene_destroy(scene);
}

static void later_files_go_before_earlier_ones(void **state)
{
    write_file("sub/a.yaml", "step: 1 ms\nduration: 5 s\n");
    write_file("sub/b.yaml", "step: 2 ms\n");
    write_file("main.yaml", "include: [sub/a.yaml, sub/b.yaml]\n");
    tn_error error = {0};
    tn_scene *scene = load("main.yaml", &error);
    assert_non_null(scene);
    assert_true(scene->settings.step == 2e-3 && scene->settings.duration == 5.0);
    tn_scene_destroy(scene);
}

static void errors_name_the_included_file(void **state)
{
    write_file("sub/a.yaml", "materials:\n  wood: {densty: 2}\n");
    write_file("main.yaml", "include: sub/a.yaml\n");
    tn_error error = {0};
    assert_null(load("main.yaml", &error));
    assert_non_null(strstr(error.file, "/sub/a.yaml"));
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 10);
    // A pipe is no file: opening it must not wait for a writer.
    char path[200];
    snprintf(path, sizeof path, "%s/sub/b.yaml", folder);
    remove(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    write_file("main.yaml", "include: sub/b.yaml\n");
    assert_null(load("main.yaml", &error));
    assert_non_null(strstr(error.message, "not a regular file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_are_merged),
        cmocka_unit_test(later_files_go_before_earlier_ones),
        cmocka_unit_test(errors_name_the_included_file),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
