// Programs that do not look at what a call returned: the next call says so, and does not crash.
#include <stdio.h>
#include <string.h>

#include "tenon/tenon.h"
#include "test.h"

static void refused(const void *made, const tn_error *error, const char *says)
{
    printf("%s\n", error->message);
    assert_null(made);
    assert_int_equal(error->status, TN_BAD_INPUT);
    assert_non_null(strstr(error->message, says));
}

static void nothing_given(void **state)
{
    tn_error error = {0};
    refused(tn_scene_load(NULL, 0, NULL, &error), &error, "path");
    refused(tn_scene_parse(NULL, "text", 0, NULL, &error), &error, "text");
    refused(tn_model_create(NULL, &error), &error, "scene");
    refused(tn_state_create(NULL, &error), &error, "model");
    refused(tn_sim_create(NULL, &error), &error, "model");
    refused(tn_recorder_create("x.h5", NULL, &error), &error, "model");
    assert_int_equal(tn_sim_step(NULL, NULL, NULL, NULL, &error), TN_BAD_INPUT);
    assert_null(tn_model_create(NULL, NULL));
}

static void nameless_text(void **state)
{
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse("bodies: {ball: {shape: {sphere: 1}, densty: 1}}\n", NULL, 0, NULL, &error);
    assert_null(scene);
    assert_string_equal(error.file, "scene");
    assert_true(error.line == 1 && error.column > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_given), cmocka_unit_test(nameless_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
