// Helpers of the scene tests: parse a text or fail the test with the error.
#pragma once

#include "scene/scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static inline tn_scene *parse_with(const char *text, int n_set, const char *const *set)
{
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "test.yaml", n_set, set, &error);
    if (!scene) {
        char message[1200];
        printf("%s\n", tn_error_text(&error, message, sizeof message));
    }
    assert_non_null(scene);
    return scene;
}

static inline tn_scene *parse(const char *text)
{
    return parse_with(text, 0, NULL);
}

static inline const tn_scene_body *find_body(const tn_scene *scene, const char *name)
{
    for (int i = 0; i < scene->n_bodies; i++) {
        if (strcmp(scene->bodies[i].name, name) == 0) {
            return &scene->bodies[i];
        }
    }
    return NULL;
}

static inline void assert_vector(const double a[3], double x, double y, double z, double limit)
{
    double error = fmax(fabs(a[0] - x), fmax(fabs(a[1] - y), fabs(a[2] - z)));
    if (!(error <= limit)) {
        printf("(%.17g, %.17g, %.17g) instead of (%g, %g, %g), limit %g\n", a[0], a[1], a[2], x, y, z, limit);
    }
    assert_true(error <= limit);
}

static inline void expect_error(const char *text, int line, int column, const char *message)
{
    tn_error error = {0};
    assert_null(tn_scene_parse(text, "test.yaml", 0, NULL, &error));
    assert_int_equal(error.status, TN_BAD_INPUT);
    assert_string_equal(error.message, message);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
}
