// The geometry of shapes: sizes, hulls and meshes from files.
#include "math/quat.h"
#include "math/vec3.h"
#include "mesh/trimesh.h"
#include "scene/build.h"
#include "scene/rebase.h"
#include "shape/hull.h"
#include "shape/triangles.h"

#include <math.h>
#include <stdio.h>

// The shape's origin moves to a point of its frame.
static void shift_pose(tn_pose *pose, const double point[3])
{
    double shift[3];
    tn_quat_rotate(shift, pose->quaternion, point);
    tn_vec3_add(pose->position, pose->position, shift);
}

// A plane's frame has z along the normal, its origin on the surface: pose = pose of the shape, then that.
static bool build_plane(tn_build *build, const tn_raw_solid *solid, const tn_node *node, tn_scene_shape *out)
{
    static const double up[3] = {0.0, 0.0, 1.0};
    tn_pose *pose = &out->pose;
    double n[3], axis[3], shift[3], turn[4];
    tn_vec3_scale(n, 1.0 / tn_vec3_norm(solid->normal), solid->normal);
    tn_vec3_cross(axis, up, n);
    if (tn_vec3_norm(axis) < 1e-15) {
        tn_vec3_set(axis, 1.0, 0.0, 0.0); // up or straight down
    }
    tn_quat_from_axis_angle(turn, axis, atan2(sqrt(n[0] * n[0] + n[1] * n[1]), n[2]));
    tn_vec3_scale(shift, solid->offset, n);
    shift_pose(pose, shift);
    tn_quat_mul(pose->quaternion, pose->quaternion, turn);
    tn_quat_normalize(pose->quaternion);
    return true;
}

// Sizes of the file (full edges, lengths from end to end) to sizes of tn_shape.
static bool build_round(tn_build *build, const tn_raw_solid *solid, const tn_node *node, tn_scene_shape *out)
{
    out->shape.size[0] = solid->radius;
    return true;
}

static bool build_long(tn_build *build, const tn_raw_solid *solid, const tn_node *node, tn_scene_shape *out)
{
    out->shape.size[0] = solid->radius;
    out->shape.size[1] = 0.5 * solid->length;
    return true;
}

// The pose is that of the middle of the axis, until the origin moves to the centroid.
static bool build_cone(tn_build *build, const tn_raw_solid *solid, const tn_node *node, tn_scene_shape *out)
{
    tn_vec3_set(out->shape.size, solid->radius, 0.5 * solid->length, solid->top_radius);
    shift_pose(&out->pose, (double[]){0.0, 0.0, tn_cone_centroid(out->shape.size)});
    return true;
}

static bool build_box(tn_build *build, const tn_raw_solid *solid, const tn_node *node, tn_scene_shape *out)
{
    tn_vec3_scale(out->shape.size, 0.5, solid->size);
    return true;
}

static bool build_ellipsoid(tn_build *build, const tn_raw_solid *solid, const tn_node *node, tn_scene_shape *out)
{
    tn_vec3_copy(out->shape.size, solid->size);
    return true;
}

static bool build_ellipse(tn_build *build, const tn_raw_solid *solid, const tn_node *node, tn_scene_shape *out)
{
    out->shape.size[0] = solid->extent.value[0];
    out->shape.size[1] = solid->extent.value[1];
    return true;
}

const char *tn_build_path(tn_build *build, const tn_raw_solid *raw, const tn_node *node)
{
    const tn_node file = {.place = tn_node_place_of(node, "file"), .text = raw->file};
    const char *path = tn_scene_path_beside(build->reader.scratch, &file, build->scene->path);
    if (!path) {
        tn_read_no_memory(&build->reader);
    }
    return path;
}

bool tn_build_file_error(tn_build *build, const tn_error *error, tn_place place, const char *what)
{
    if (error->status == TN_NO_MEMORY) {
        return tn_read_no_memory(&build->reader);
    }
    if (error->file[0] && error->status == TN_BAD_INPUT) { // the place in the file; say also who asked for it
        tn_error_at(build->reader.error, error->file, error->line, error->column, "%.700s (the %s of %s:%d:%d)",
                    error->message, what, place.file, place.line, place.column);
        return false;
    }
    return tn_read_error(&build->reader, place, "%s", error->message);
}

static bool make_hull(tn_build *build, int n, const double *points, tn_place place, const char *part,
                      tn_scene_shape *out)
{
    tn_error error = {0};
    double centroid[3];
    tn_hull *hull = TN_PUSH(build->reader.storage, tn_hull, 1);
    if (!hull) {
        return tn_read_no_memory(&build->reader);
    }
    if (tn_hull_create(n, points, build->reader.storage, hull, centroid, &error) != TN_OK) {
        return error.status == TN_NO_MEMORY ? tn_read_no_memory(&build->reader)
                                            : tn_read_error(&build->reader, place, "%s%s%s%s", part[0] ? "part '" : "",
                                                            part, part[0] ? "': " : "", error.message);
    }
    out->shape.hull = hull;
    shift_pose(&out->pose, centroid);
    return true;
}

static bool read_file(tn_build *build, const tn_raw_solid *raw, const tn_node *node, bool by_part, const char *what,
                      tn_trimesh *mesh)
{
    tn_error error = {0};
    const char *path = tn_build_path(build, raw, node);
    if (!path) {
        return false;
    }
    return tn_trimesh_read(path, raw->scale, by_part, build->reader.scratch, mesh, &error) == TN_OK ||
           tn_build_file_error(build, &error, tn_node_place_of(node, "file"), what);
}

static bool build_hull(tn_build *build, const tn_raw_solid *raw, const tn_node *node, tn_scene_shape *out)
{
    tn_trimesh mesh;
    tn_place place = tn_node_place_of(node, raw->file ? "file" : "points");
    if ((raw->points.n > 0) == (raw->file != NULL)) {
        return tn_read_error(&build->reader, node->place, "a hull is given by either 'points' or 'file'");
    }
    if (!raw->file) {
        return make_hull(build, raw->points.n, raw->points.value, place, "", out);
    }
    return read_file(build, raw, node, false, "hull", &mesh) &&
           make_hull(build, mesh.n_vertices, mesh.vertices, place, "", out);
}

static bool build_hulls(tn_build *build, const tn_raw_solid *raw, const tn_node *node, const tn_scene_shape *common,
                        tn_scene_shape **out, int *n)
{
    tn_trimesh mesh;
    if (!read_file(build, raw, node, true, "hulls", &mesh)) {
        return false;
    }
    *out = TN_PUSH(build->reader.storage, tn_scene_shape, mesh.n_parts);
    if (!*out) {
        return tn_read_no_memory(&build->reader);
    }
    *n = mesh.n_parts;
    for (int p = 0; p < mesh.n_parts; p++) {
        const tn_trimesh_part *part = &mesh.parts[p];
        (*out)[p] = *common;
        (*out)[p].shape.kind = TN_SHAPE_HULL;
        if (!make_hull(build, part->n_vertices, mesh.vertices + 3 * (size_t)part->first_vertex,
                       tn_node_place_of(node, "file"), part->name, &(*out)[p])) {
            return false;
        }
    }
    return true;
}

static bool build_mesh(tn_build *build, const tn_raw_solid *raw, const tn_node *node, tn_scene_shape *out)
{
    tn_trimesh mesh;
    tn_error error = {0};
    double centroid[3];
    if (!read_file(build, raw, node, false, "mesh", &mesh)) {
        return false;
    }
    tn_triangles *triangles = TN_PUSH(build->reader.storage, tn_triangles, 1);
    if (!triangles) {
        return tn_read_no_memory(&build->reader);
    }
    if (tn_triangles_create(mesh.n_vertices, mesh.vertices, mesh.n_faces, mesh.faces, build->reader.storage, triangles,
                            centroid, &error) != TN_OK) {
        return tn_build_file_error(build, &error, tn_node_place_of(node, "file"), "mesh");
    }
    out->shape.triangles = triangles;
    shift_pose(&out->pose, centroid);
    return true;
}

// How a solid's keys become a shape, whose kind and pose are there.
typedef bool (*builder)(tn_build *build, const tn_raw_solid *raw, const tn_node *node, tn_scene_shape *out);

static const builder builders[TN_SHAPE_COUNT] = {
    [TN_SHAPE_PLANE] = build_plane,  [TN_SHAPE_SPHERE] = build_round,    [TN_SHAPE_BOX] = build_box,
    [TN_SHAPE_CAPSULE] = build_long, [TN_SHAPE_CYLINDER] = build_long,   [TN_SHAPE_ELLIPSOID] = build_ellipsoid,
    [TN_SHAPE_HULL] = build_hull,    [TN_SHAPE_TRIANGLES] = build_mesh,  [TN_SHAPE_HEIGHTS] = tn_build_heights,
    [TN_SHAPE_DISK] = build_round,   [TN_SHAPE_ELLIPSE] = build_ellipse, [TN_SHAPE_POLYGON] = tn_build_polygon,
    [TN_SHAPE_CONE] = build_cone,
};

// The keys that say a shape, which come first.
static void list_kinds(char *out, size_t size)
{
    const tn_section *section = &tn_section_shape;
    size_t length = 0;
    for (int k = 0; k < section->n_keys && section->keys[k].type == TN_KEY_SECTION; k++) {
        length += (size_t)snprintf(out + length, size - length, k > 0 ? ", %s" : "%s", section->keys[k].name);
    }
}

// Which of the first keys is said; -1: `hulls`.
static bool find_solid(tn_build *build, const tn_raw_shape *raw, const tn_node *node, int *kind)
{
    char kinds[256];
    int found = raw->hulls != NULL;
    *kind = -1;
    for (int k = 0; k < TN_SHAPE_COUNT; k++) {
        if (raw->solid[k]) {
            *kind = k;
            found++;
        }
    }
    list_kinds(kinds, sizeof kinds);
    return found == 1 ||
           tn_read_error(&build->reader, node->place,
                         found ? "a shape is one of %s; list two under 'shapes'" : "a shape needs one of %s", kinds);
}

// The map of the solid's keys; the shape's own where it was given in short.
static const tn_node *solid_node(const tn_node *node, const char *key)
{
    const tn_node *solid = tn_node_find(node, key);
    return solid ? solid : node;
}

bool tn_build_solid(tn_build *build, const tn_raw_shape *raw, const tn_node *node, const tn_scene_shape *common,
                    tn_scene_shape **out, int *n)
{
    int kind = -1;
    if (!find_solid(build, raw, node, &kind)) {
        return false;
    }
    if (kind < 0) {
        return build_hulls(build, raw->hulls, solid_node(node, "hulls"), common, out, n);
    }
    *n = 1;
    *out = TN_PUSH(build->reader.storage, tn_scene_shape, 1);
    if (!*out) {
        return tn_read_no_memory(&build->reader);
    }
    **out = *common;
    (*out)->shape.kind = (tn_shape_kind)kind;
    return builders[kind](build, raw->solid[kind], solid_node(node, tn_shape_name((*out)->shape.kind)), *out);
}
