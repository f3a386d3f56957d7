// Open a scene of scenes/ with overrides. On top of scenario.h.
#pragma once

#include "scenario.h"
#include "test.h"

static inline scenario gallery_open(const char *scene, int n_set, const char *const *set)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/scenes/%s", TENON_SOURCE_DIR, scene);
    tn_error error = {0};
    tn_scene *loaded = tn_scene_load(path, n_set, set, &error);
    if (!loaded) {
        scenario_fail(scene, &error);
    }
    return scenario_start(loaded, scene);
}
