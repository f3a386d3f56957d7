// Helpers of the model tests: a model of a text, or the error that it must give.
#pragma once

#include "model/model.h"
#include "tenon/sim.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

// NULL with the error.
static inline tn_model *compile(const char *text, tn_error *error)
{
    tn_scene *scene = tn_scene_parse(text, "test.yaml", 0, NULL, error);
    return scene ? tn_model_create(scene, error) : NULL;
}

static inline tn_model *must_compile(const char *text)
{
    char line[1200];
    tn_error error = {0};
    tn_model *model = compile(text, &error);
    if (!model) {
        fail_msg("%s", tn_error_text(&error, line, sizeof line));
    }
    return model;
}

// Bad input in that line, with `part` in the message.
static inline void must_fail(const char *text, int line, const char *part)
{
    tn_error error = {0};
    tn_model *model = compile(text, &error);
    printf("%d:%d: %s\n", error.line, error.column, error.message);
    assert_null(model);
    assert_int_equal(error.status, TN_BAD_INPUT);
    assert_int_equal(error.line, line);
    assert_non_null(strstr(error.message, part));
}
