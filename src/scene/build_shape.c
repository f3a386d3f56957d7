// Shapes of a body.
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/build.h"

#include <math.h>
#include <string.h>

// Of n shapes that are one in the scene; the materials and volumes are there.
static bool find_density(tn_build *build, const tn_raw_shape *raw, const tn_raw_body *body, const tn_node *node, int n,
                         tn_scene_shape *out)
{
    double volume = 0.0, density = build->scene->materials[out->material].density;
    for (int i = 0; i < n; i++) {
        volume += tn_shape_volume(&out[i].shape);
    }
    if (!isnan(body->density)) {
        density = body->density;
    }
    if (!isnan(raw->density)) {
        density = raw->density;
    }
    if (!isnan(raw->mass)) {
        if (!isnan(raw->density) || !(volume > 0.0)) {
            return tn_read_error(&build->reader, node->place,
                                 !isnan(raw->density) ? "give either mass or density of a shape, not both"
                                                      : "this shape has no volume and can have no mass");
        }
        density = raw->mass / volume;
    }
    for (int i = 0; i < n; i++) {
        out[i].density = tn_shape_volume(&out[i].shape) > 0.0 ? density : 0.0;
    }
    return true;
}

// What cannot move freely: nothing bounds its mass, or its contact is one-sided.
static bool check_static(tn_build *build, const tn_raw_body *body, const tn_node *node, const tn_scene_shape *shape)
{
    if (body->fixed || body->motion) {
        return true;
    }
    const tn_shape_class *class = tn_class_of(&shape->shape);
    bool in_question = class->fixed_only && (shape->collides || !class->volume);
    return !in_question || tn_read_error(&build->reader, node->place, "%s", class->fixed_only);
}

// What is said of a visual shape's touch would do nothing.
static bool check_visual(tn_build *build, const tn_node *node)
{
    static const char *const keys[] = {"density", "mass", "collides", "surface_velocity"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (tn_node_find(node, keys[i])) {
            return tn_read_error(&build->reader, tn_node_place_of(node, keys[i]),
                                 "a visual shape is only shown: it takes no '%s'", keys[i]);
        }
    }
    return true;
}

// One entry of the file becomes *n shapes in storage.
static bool read_shape(tn_build *build, const tn_raw_body *body, const tn_node *node, bool visual, tn_scene_shape **out,
                       int *n)
{
    node = visual ? node : tn_build_with_defaults(build, node, build->raw.default_shape);
    tn_raw_shape raw = {0};
    tn_scene_shape common = {0};
    if (!node || !tn_section_read(&build->reader, &tn_section_shape, node, &raw) ||
        !tn_build_rotation(build, raw.rotation, tn_node_place_of(node, "rotation"), common.pose.quaternion)) {
        return false;
    }
    const tn_node *material = raw.material ? raw.material : body->material;
    tn_node plain = {.text = "default"};
    tn_vec3_copy(common.pose.position, raw.position);
    tn_vec3_copy(common.surface_velocity, raw.surface_velocity);
    common.collides = !visual && raw.collides && body->contact_points.n == 0;
    common.place = node->place;
    common.material = tn_build_lookup(build, &build->materials, material ? material : &plain, "material");
    if (common.material < 0) {
        return false;
    }
    tn_color of_material = body->color.said ? (tn_color){0} : build->scene->materials[common.material].color;
    common.color = raw.color.said ? raw.color : of_material;
    if (!tn_build_solid(build, &raw, node, &common, out, n)) {
        return false;
    }
    return visual ? check_visual(build, node)
                  : check_static(build, body, node, *out) && find_density(build, &raw, body, node, *n, *out);
}

static bool add_points(tn_build *build, const tn_raw_body *raw, const tn_node *node, tn_scene_shape *out)
{
    tn_node plain = {.text = "default"};
    out->shape = (tn_shape){.kind = TN_SHAPE_POINTS,
                            .size = {raw->contact_radius, 0.0, 0.0},
                            .n_points = raw->contact_points.n,
                            .points = raw->contact_points.value};
    tn_quat_identity(out->pose.quaternion);
    out->material = tn_build_lookup(build, &build->materials, raw->material ? raw->material : &plain, "material");
    out->collides = true;
    out->place = node->place;
    return out->material >= 0;
}

// The entries, one after the other; list: false: the node is the only one. room: for so many shapes more.
static bool read_shapes(tn_build *build, const tn_raw_body *raw, const tn_node *node, bool list, bool visual, int room,
                        tn_scene_shape **shapes, int *n_shapes)
{
    int n = !node ? 0 : list ? node->n : 1, total = 0;
    tn_scene_shape **part = TN_PUSH(build->reader.scratch, tn_scene_shape *, n);
    int *count = TN_PUSH(build->reader.scratch, int, n);
    if (!part || !count) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < n; i++) {
        if (!read_shape(build, raw, list ? node->item[i] : node, visual, &part[i], &count[i])) {
            return false;
        }
        total += count[i];
    }
    *shapes = TN_PUSH(build->reader.storage, tn_scene_shape, total + room);
    if (!*shapes) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < n; i++) {
        memcpy(*shapes + *n_shapes, part[i], (size_t)count[i] * sizeof **part);
        *n_shapes += count[i];
    }
    return true;
}

bool tn_build_shapes(tn_build *build, const tn_raw_body *raw, const tn_node *node, tn_scene_body *body)
{
    if (raw->shapes && raw->shape) {
        return tn_read_error(&build->reader, raw->shape->place, "give either 'shape' or 'shapes', not both");
    }
    const tn_node *said = raw->shapes ? raw->shapes : raw->shape;
    return read_shapes(build, raw, said, raw->shapes != NULL, false, 1, &body->shapes, &body->n_shapes) &&
           (raw->contact_points.n == 0 || add_points(build, raw, node, &body->shapes[body->n_shapes++]));
}

bool tn_build_visuals(tn_build *build, const tn_raw_body *raw, tn_scene_body *body)
{
    return read_shapes(build, raw, raw->visual, true, true, 0, &body->visuals, &body->n_visuals);
}
