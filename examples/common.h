// What the examples share: a scene of a text, and what to do where something fails.
#pragma once

#include <tenon/tenon.h>

#include <stdio.h>
#include <stdlib.h>

static tn_error error;

static inline void must(tn_status status)
{
    char text[1200];
    if (status != TN_OK) {
        fprintf(stderr, "%s\n", tn_error_text(&error, text, sizeof text));
        exit(2);
    }
}

static inline void *made(void *handle)
{
    must(handle ? TN_OK : error.status);
    return handle;
}

static inline tn_model *model_of(const char *scene)
{
    return made(tn_model_create(made(tn_scene_parse(scene, "scene", 0, NULL, &error)), &error));
}
