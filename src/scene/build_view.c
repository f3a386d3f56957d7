// Named cameras. They name bodies and soft bodies, which are there.
#include "scene/build.h"

#include <math.h>
#include <string.h>

// Number in the model, where the world is 0 and soft bodies come after the others.
static bool find_followed(tn_build *build, const tn_node *name, int *follow)
{
    const tn_scene *scene = build->scene;
    *follow = 0;
    for (int s = 0; name && s < scene->n_softs; s++) {
        if (strcmp(scene->softs[s].name, name->text) == 0) {
            *follow = scene->n_bodies + 1 + s;
            return true;
        }
    }
    if (name && strcmp(name->text, "world") != 0) {
        *follow = 1 + tn_build_lookup(build, &build->bodies, name, "body");
        return *follow > 0;
    }
    return true;
}

static bool read_view(tn_build *build, const tn_node *key, const tn_node *node, void *to)
{
    tn_scene_view *out = to;
    tn_raw_view raw = {0};
    if (!tn_section_read(&build->reader, &tn_section_view, node, &raw)) {
        return false;
    }
    *out = (tn_scene_view){.name = tn_build_keep_name(build, key->text), .place = key->place};
    memcpy(out->eye, raw.eye, sizeof out->eye);
    memcpy(out->target, raw.target, sizeof out->target);
    if (memcmp(raw.eye, raw.target, sizeof raw.eye) == 0 && !isnan(raw.eye[0])) {
        return tn_read_error(&build->reader, tn_node_place_of(node, "target"), "'target' is where the eye is");
    }
    return out->name && find_followed(build, raw.follow, &out->follow);
}

bool tn_build_views(tn_build *build)
{
    tn_scene *scene = build->scene;
    scene->views = tn_build_named(build, build->raw.views, "a view", sizeof *scene->views, read_view, &scene->n_views);
    return scene->views != NULL;
}
