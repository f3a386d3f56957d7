// Shapes of a body.
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/build.h"

#include <math.h>

// Sizes of the file (full edges, length between centers) to sizes of tn_shape.
static void convert_solid(tn_shape_kind kind, const tn_raw_solid *solid, tn_shape *shape)
{
    shape->kind = kind;
    switch (kind) {
    case TN_SHAPE_BOX:
        tn_vec3_scale(shape->size, 0.5, solid->size);
        break;
    case TN_SHAPE_ELLIPSOID:
        tn_vec3_copy(shape->size, solid->size);
        break;
    case TN_SHAPE_CAPSULE:
    case TN_SHAPE_CYLINDER:
        shape->size[0] = solid->radius;
        shape->size[1] = 0.5 * solid->length;
        break;
    default:
        shape->size[0] = kind == TN_SHAPE_SPHERE ? solid->radius : 0.0;
        break;
    }
}

// A plane's frame has z along the normal, its origin on the surface: pose = pose of the shape, then that.
static void place_plane(const tn_raw_solid *solid, tn_pose *pose)
{
    static const double up[3] = {0.0, 0.0, 1.0};
    double n[3], axis[3], shift[3], turn[4];
    tn_vec3_scale(n, 1.0 / tn_vec3_norm(solid->normal), solid->normal);
    tn_vec3_cross(axis, up, n);
    if (tn_vec3_norm(axis) < 1e-15) {
        tn_vec3_set(axis, 1.0, 0.0, 0.0); // up or straight down
    }
    tn_quat_from_axis_angle(turn, axis, atan2(sqrt(n[0] * n[0] + n[1] * n[1]), n[2]));
    tn_vec3_scale(shift, solid->offset, n);
    tn_quat_rotate(shift, pose->quaternion, shift);
    tn_vec3_add(pose->position, pose->position, shift);
    tn_quat_mul(pose->quaternion, pose->quaternion, turn);
    tn_quat_normalize(pose->quaternion);
}

static bool find_solid(tn_build *build, const tn_raw_shape *raw, const tn_node *node, tn_shape_kind *kind)
{
    int found = 0;
    for (int k = 0; k < TN_SHAPE_COUNT; k++) {
        if (raw->solid[k]) {
            *kind = (tn_shape_kind)k;
            found++;
        }
    }
    static const char kinds[] = "plane, sphere, box, capsule, cylinder, ellipsoid";
    return found == 1 ||
           tn_read_error(&build->reader, node->place,
                         found ? "a shape is one of %s; list two under 'shapes'" : "a shape needs one of %s", kinds);
}

static bool find_density(tn_build *build, const tn_raw_shape *raw, const tn_raw_body *body, const tn_node *node,
                         tn_scene_shape *out)
{
    double volume = tn_shape_volume(&out->shape);
    out->density = build->scene->materials[out->material].density;
    if (!isnan(body->density)) {
        out->density = body->density;
    }
    if (!isnan(raw->density)) {
        out->density = raw->density;
    }
    if (!isnan(raw->mass)) {
        if (!isnan(raw->density) || !(volume > 0.0)) {
            return tn_read_error(&build->reader, node->place,
                                 !isnan(raw->density) ? "give either mass or density of a shape, not both"
                                                      : "this shape has no volume and can have no mass");
        }
        out->density = raw->mass / volume;
    }
    out->density = volume > 0.0 ? out->density : 0.0;
    return true;
}

static bool read_shape(tn_build *build, const tn_raw_body *body, const tn_node *node, tn_scene_shape *out)
{
    node = tn_build_with_defaults(build, node, build->raw.default_shape);
    tn_raw_shape raw = {0};
    tn_shape_kind kind = TN_SHAPE_PLANE;
    if (!node || !tn_section_read(&build->reader, &tn_section_shape, node, &raw) ||
        !find_solid(build, &raw, node, &kind) ||
        !tn_build_rotation(build, raw.rotation, tn_node_place_of(node, "rotation"), out->pose.quaternion)) {
        return false;
    }
    tn_vec3_copy(out->pose.position, raw.position);
    convert_solid(kind, raw.solid[kind], &out->shape);
    if (kind == TN_SHAPE_PLANE) {
        place_plane(raw.solid[kind], &out->pose);
        if (!body->fixed && !body->motion) {
            return tn_read_error(&build->reader, node->place,
                                 "a plane belongs to a body that is fixed or has a motion");
        }
    }
    const tn_node *material = raw.material ? raw.material : body->material;
    tn_node plain = {.text = "default"};
    out->material = tn_build_lookup(build, &build->materials, material ? material : &plain, "material");
    out->collides = raw.collides && body->contact_points.n == 0;
    out->place = node->place;
    return out->material >= 0 && find_density(build, &raw, body, node, out);
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

bool tn_build_shapes(tn_build *build, const tn_raw_body *raw, const tn_node *node, tn_scene_body *body)
{
    const tn_node *list = raw->shapes ? raw->shapes : raw->shape;
    if (raw->shapes && raw->shape) {
        return tn_read_error(&build->reader, raw->shape->place, "give either 'shape' or 'shapes', not both");
    }
    int n = !list ? 0 : raw->shapes ? list->n : 1;
    body->shapes = TN_PUSH(build->reader.storage, tn_scene_shape, n + 1);
    if (!body->shapes) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < n; i++) {
        if (!read_shape(build, raw, raw->shapes ? list->item[i] : list, &body->shapes[body->n_shapes++])) {
            return false;
        }
    }
    return raw->contact_points.n == 0 || add_points(build, raw, node, &body->shapes[body->n_shapes++]);
}
