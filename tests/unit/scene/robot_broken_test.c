// Every file of tests/robots_broken fails with the message and place that the list `expected` has for it: a line a
// file,
//     NAME: LINE:COLUMN: message       or, of another file that it names,       NAME: FILE:LINE:COLUMN: message
// The XML library tells lines of elements, no columns: 0.
#include "broken_files.h"

#include "tenon/scene.h"

static int check_line(char *line)
{
    char found[1400], place[300] = "";
    char *colon = strstr(line, ": ");
    if (!colon) {
        printf("no name: %s\n", line);
        return 1;
    }
    *colon = 0;
    tn_error error = {0};
    tn_scene *scene = tn_scene_load(line, 0, NULL, &error);
    if (scene) {
        tn_scene_destroy(scene);
        printf("%s: was read without an error\n", line);
        return 1;
    }
    if (strcmp(error.file, line) != 0) {
        snprintf(place, sizeof place, "%s:", error.file);
    }
    snprintf(found, sizeof found, "%s%d:%d: %s", place, error.line, error.column, error.message);
    int wrong = error.status != TN_BAD_INPUT || strcmp(found, colon + 2) != 0;
    if (wrong) {
        printf("%s: status %d\n  expected %s\n  found    %s\n", line, error.status, colon + 2, found);
    }
    return wrong;
}

static void every_broken_robot_says_what_and_where(void **state)
{
    broken_files_check(TENON_SOURCE_DIR "/tests/robots_broken", check_line, 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_broken_robot_says_what_and_where)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
