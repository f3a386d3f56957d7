// Every file of tests/meshes_broken fails with the message and line that the file `expected` names there.
#include "broken_files.h"

#include "mesh/mesh.h"

// line: "NAME: [FILE:]LINE: MESSAGE"
static int check_line(char *line)
{
    char *colon = strstr(line, ": ");
    assert_non_null(colon);
    *colon = 0;
    const char *expected = colon + 2;
    tn_error error = {0};
    tn_mesh mesh;
    tn_arena *arena = tn_arena_create(0);
    tn_status status = tn_mesh_read(line, 1.0, arena, &mesh, &error);
    tn_arena_destroy(arena);
    char found[1400], place[300] = "";
    if (strcmp(error.file, line) != 0) {
        snprintf(place, sizeof place, "%s:", error.file);
    }
    snprintf(found, sizeof found, "%s%d: %s", place, error.line, error.message);
    int wrong = status != TN_BAD_INPUT || strcmp(found, expected) != 0;
    if (wrong) {
        printf("%s: status %d\n  expected %s\n  found    %s\n", line, status, expected, found);
    }
    return wrong;
}

static void every_broken_mesh_says_what_and_where(void **state)
{
    broken_files_check(TENON_SOURCE_DIR "/tests/meshes_broken", check_line, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_broken_mesh_says_what_and_where)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
