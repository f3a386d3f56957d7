// Every file of tests/scenes_broken fails with the message and place that its first line names:
//     # expect: LINE:COLUMN: message          or      # expect: FILE:LINE:COLUMN: message (of an included file)
#include "tenon/scene.h"
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int read_expectation(const char *path, char *line, size_t size)
{
    static const char prefix[] = "# expect: ";
    char text[1024];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *got = fgets(text, sizeof text, file);
    fclose(file);
    if (!got || strncmp(text, prefix, strlen(prefix)) != 0) {
        return 0;
    }
    text[strcspn(text, "\n")] = 0;
    snprintf(line, size, "%s", text + strlen(prefix));
    return 1;
}

static int check_file(const char *name)
{
    char expected[1024], found[1400], place[300] = "";
    if (!read_expectation(name, expected, sizeof expected)) {
        printf("%s: no '# expect:' line\n", name);
        return 1;
    }
    tn_error error = {0};
    tn_scene *scene = tn_scene_load(name, 0, NULL, &error);
    if (scene) {
        tn_scene_destroy(scene);
        printf("%s: was read without an error\n", name);
        return 1;
    }
    if (strcmp(error.file, name) != 0) {
        snprintf(place, sizeof place, "%s:", error.file);
    }
    snprintf(found, sizeof found, "%s%d:%d: %s", place, error.line, error.column, error.message);
    int wrong = error.status != TN_BAD_INPUT || strcmp(found, expected) != 0;
    if (wrong) {
        printf("%s: status %d\n  expected %s\n  found    %s\n", name, error.status, expected, found);
    }
    return wrong;
}

static void every_broken_scene_says_what_and_where(void **state)
{
    char folder[4096];
    assert_non_null(getcwd(folder, sizeof folder));
    assert_int_equal(chdir(TENON_SOURCE_DIR "/tests/scenes_broken"), 0);
    DIR *dir = opendir(".");
    assert_non_null(dir);
    int files = 0, wrong = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0) {
            files++;
            wrong += check_file(entry->d_name);
        }
    }
    closedir(dir);
    assert_int_equal(chdir(folder), 0);
    printf("%d broken scenes, %d with another message or place (limit 0)\n", files, wrong);
    assert_int_equal(wrong, 0);
    assert_true(files >= 95);
}

static void missing_file_is_no_bad_input(void **state)
{
    tn_error error = {0};
    assert_null(tn_scene_load("/nowhere/at/all.yaml", 0, NULL, &error));
    assert_int_equal(error.status, TN_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all.yaml"));
    assert_null(tn_scene_load("/", 0, NULL, NULL)); // a folder; the error may be NULL
}

static void empty_text(void **state)
{
    tn_error error = {0};
    assert_null(tn_scene_parse("", "empty", 0, NULL, &error));
    assert_int_equal(error.status, TN_BAD_INPUT);
    assert_string_equal(error.message, "the file is empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_broken_scene_says_what_and_where),
        cmocka_unit_test(missing_file_is_no_bad_input),
        cmocka_unit_test(empty_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
