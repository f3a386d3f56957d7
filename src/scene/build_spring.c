// Springs between bodies; they name bodies, or copies as name[0].
#include "math/vec3.h"
#include "scene/build.h"

static bool read_spring(tn_build *build, const tn_node *key, const tn_node *node, void *to)
{
    tn_scene_spring *out = to;
    node = tn_build_with_defaults(build, node, build->raw.default_spring);
    tn_raw_spring raw = {0};
    if (!node || !tn_section_read(&build->reader, &tn_section_spring, node, &raw) ||
        !tn_build_find_body(build, raw.a, &out->body_a) || !tn_build_find_body(build, raw.b, &out->body_b)) {
        return false;
    }
    if (out->body_a == out->body_b) {
        return tn_read_error(&build->reader, node->place, "a spring ties two different bodies, or one and the world");
    }
    out->name = tn_build_keep_name(build, key->text);
    if (!out->name) {
        return false;
    }
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
    tn_scene *scene = build->scene;
    scene->springs =
        tn_build_named(build, build->raw.springs, "a spring", sizeof *scene->springs, read_spring, &scene->n_springs);
    return scene->springs != NULL;
}
