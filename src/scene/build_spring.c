// Springs between bodies; they name bodies, or copies as name[0].
#include "math/vec3.h"
#include "scene/build.h"

#include <math.h>
#include <string.h>

// -1 in *id is the world.
static bool find_end(tn_build *build, const tn_names *bodies, const tn_node *name, int *id)
{
    *id = -1;
    if (!name || strcmp(name->text, "world") == 0) {
        return true;
    }
    *id = tn_build_lookup(build, bodies, name, "body");
    return *id >= 0;
}

static bool read_spring(tn_build *build, const tn_names *bodies, const tn_node *key, const tn_node *node,
                        tn_scene_spring *out)
{
    node = tn_build_with_defaults(build, node, build->raw.default_spring);
    tn_raw_spring raw = {0};
    if (!node || !tn_section_read(&build->reader, &tn_section_spring, node, &raw) ||
        !find_end(build, bodies, raw.a, &out->body_a) || !find_end(build, bodies, raw.b, &out->body_b)) {
        return false;
    }
    if (out->body_a == out->body_b) {
        return tn_read_error(&build->reader, node->place, "a spring ties two different bodies, or one and the world");
    }
    size_t size = strlen(key->text) + 1;
    out->name = tn_arena_push(build->reader.storage, size, 1, "name");
    if (!out->name) {
        return tn_read_no_memory(&build->reader);
    }
    memcpy(out->name, key->text, size);
    tn_vec3_copy(out->point_a, raw.point_a);
    tn_vec3_copy(out->point_b, raw.point_b);
    out->stiffness = raw.stiffness;
    out->damping = raw.damping;
    out->rest_length = raw.rest_length;
    out->place = key->place;
    return true;
}

bool tn_build_springs(tn_build *build)
{
    const tn_node *map = build->raw.springs;
    if (!map || !map->n) {
        return true;
    }
    tn_scene *scene = build->scene;
    const char **name = TN_PUSH(build->reader.scratch, const char *, scene->n_bodies);
    scene->springs = TN_PUSH(build->reader.storage, tn_scene_spring, map->n);
    if (!name || !scene->springs) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < scene->n_bodies; i++) {
        name[i] = scene->bodies[i].name;
    }
    tn_names bodies;
    if (!tn_names_create(&bodies, scene->n_bodies, name, build->reader.scratch)) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < map->n; i++) {
        if (!tn_build_check_name(build, map->key[i], "a spring") ||
            !read_spring(build, &bodies, map->key[i], map->item[i], &scene->springs[i])) {
            return false;
        }
        scene->n_springs++;
    }
    return true;
}
