// Any text as a scene: it is read or refused with a place, and what was read can be read again from the text that a
// recording keeps. A first line "#set PATH=VALUE" is an override.
#include "fuzz.h"

#include "scene/expression.h"
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 16 };

// A million copies of a body or a mesh of a million tetrahedra are allowed but slow: 32 MiB is enough here, and what
// happens without memory is tested besides.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=32";
}

static void check_error(const tn_error *error, const char *text)
{
    demand_of(error->status == TN_BAD_INPUT || error->status == TN_NO_MEMORY, "neither bad input nor memory", text);
    demand_of(error->message[0] != 0, "an error without message", text);
    demand_of(error->status == TN_NO_MEMORY || (error->line >= 0 && error->column >= 0 && error->file[0]),
              "an error without place", text);
}

static void use(const tn_scene *scene)
{
    double rate = 0.0;
    for (int i = 0; i < scene->n_bodies && i < 100; i++) {
        const tn_scene_push *push = scene->bodies[i].push;
        const tn_scene_motion *motion = scene->bodies[i].motion;
        for (int k = 0; k < 3; k++) {
            rate += push ? tn_value_at(&push->force[k], 0.5) + tn_value_rate(&push->force[k], 0.5) : 0.0;
            rate += motion ? tn_value_at(&motion->position[k], 0.5) : 0.0;
        }
    }
    for (int i = 0; i < scene->n_softs && i < 100; i++) {
        const tn_scene_soft *soft = &scene->softs[i];
        tn_error error = {0};
        demand_of(tn_mesh_check(&soft->mesh, &error) != TN_BAD_INPUT, error.message, soft->name);
        demand_of(soft->density > 0.0 && soft->young > 0.0 && soft->poisson < 0.5, "a soft body without mass",
                  soft->name);
        for (int k = 0; k < soft->n_pulls; k++) {
            rate += tn_value_rate(&soft->pulls[k].force[0], 0.5) + soft->pulls[k].nodes[0];
        }
    }
    volatile double keep = rate;
    (void)keep;
}

static void check_again(const tn_scene *scene, const char *text)
{
    tn_error error = {0};
    tn_scene *again = tn_scene_parse(scene->text, "again", 0, NULL, &error);
    if (!again) {
        demand_of(error.status == TN_NO_MEMORY, error.message, scene->text);
        return;
    }
    demand_of(again->n_bodies == scene->n_bodies && again->n_materials == scene->n_materials &&
                  again->n_pairs == scene->n_pairs && again->n_springs == scene->n_springs &&
                  again->n_softs == scene->n_softs &&
                  memcmp(&again->settings.step, &scene->settings.step, sizeof(double)) == 0 &&
                  strcmp(again->title, scene->title) == 0,
              "the kept text reads as another scene", text);
    for (int i = 0; i < scene->n_bodies; i++) {
        demand_of(strcmp(again->bodies[i].name, scene->bodies[i].name) == 0 &&
                      memcmp(&again->bodies[i].pose, &scene->bodies[i].pose, sizeof(tn_pose)) == 0,
                  "a body differs in the kept text", text);
    }
    for (int i = 0; i < scene->n_softs; i++) {
        const tn_scene_soft *a = &scene->softs[i];
        const tn_scene_soft *b = &again->softs[i];
        demand_of(strcmp(a->name, b->name) == 0 && memcmp(&a->pose, &b->pose, sizeof(tn_pose)) == 0 &&
                      a->mesh.n_tets == b->mesh.n_tets && a->n_attachments == b->n_attachments,
                  "a soft body differs in the kept text", text);
    }
    tn_scene_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > TEXT_MAX) {
        return 0;
    }
    char *text = malloc(size + 1);
    char set[256] = "";
    memcpy(text, data, size);
    text[size] = 0;
    if (strncmp(text, "#set ", 5) == 0) {
        snprintf(set, sizeof set, "%.*s", (int)strcspn(text + 5, "\n"), text + 5);
    }
    const char *overrides[1] = {set};
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "fuzz", set[0] != 0, overrides, &error);
    if (scene) {
        use(scene);
        check_again(scene, text);
    } else {
        check_error(&error, text);
    }
    tn_scene_destroy(scene);
    free(text);
    return 0;
}
