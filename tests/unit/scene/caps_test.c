// Limits that keep a hostile file from taking the machine: each ends in an error with a place.
#include <math.h>
#include <stdlib.h>

#include "parse.h"
#include "scene/node.h"
#include "test.h"

// head, n times a piece with its number in it, tail; to be freed.
static char *repeat(const char *head, int n, const char *format, const char *tail)
{
    size_t size = strlen(head) + strlen(tail) + (size_t)n * (strlen(format) + 12) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    size_t used = (size_t)snprintf(text, size, "%s", head);
    for (int i = 0; i < n; i++) {
        // The format is one of the literals below.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        used += (size_t)snprintf(text + used, size - used, format, i);
#pragma GCC diagnostic pop
    }
    snprintf(text + used, size - used, "%s", tail);
    return text;
}

static void expect_message(char *text, const char *message)
{
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "test.yaml", 0, NULL, &error);
    free(text);
    assert_null(scene);
    assert_int_equal(error.status, TN_BAD_INPUT);
    assert_string_equal(error.message, message);
    assert_true(error.line >= 1 && error.column >= 1);
}

static void too_many_of_each(void **state)
{
    expect_message(repeat("materials:\n", TN_SCENE_MATERIALS_MAX + 1, "  m%d: {}\n", ""), "more than 1000 materials");
    expect_message(repeat("pairs:\n", TN_SCENE_PAIRS_MAX + 1, "  - {x: %d}\n", ""), "more than 10000 pairs");
    expect_message(repeat("title: a\nx: [", TN_SCENE_ANCHORS_MAX + 1, "&a%d 1, ", "]\n"), "more than 1000 anchors");
    expect_message(repeat("include: [", 101, "f%d, ", "]\n"), "cannot read 'f100': No such file or directory");
    expect_message(
        repeat("bodies:\n", 3, "  b%d: {shape: {sphere: 1}, array: {count: [700, 700, 1], spacing: [1, 1, 1]}}\n", ""),
        "more than 1000000 bodies");
}

static void at_the_limit_it_still_works(void **state)
{
    char *text = repeat("materials:\n", TN_SCENE_MATERIALS_MAX, "  m%d: {}\n", "");
    tn_scene *scene = parse(text);
    assert_int_equal(scene->n_materials, TN_SCENE_MATERIALS_MAX + 1); // and `default`
    tn_scene_destroy(scene);
    free(text);
}

static void too_long(void **state)
{
    size_t size = (size_t)TN_SCENE_BYTES_MAX + 2;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, '#', size - 1);
    text[size - 1] = 0;
    expect_message(text, "the file is larger than 64 MiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_of_each),
        cmocka_unit_test(at_the_limit_it_still_works),
        cmocka_unit_test(too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
