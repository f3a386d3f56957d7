// Bodies with their shapes: each link that moves on its own, with all that is rigidly part of it.
#include "scene/robot/emit.h"

#include "math/quat.h"
#include "math/vec3.h"
#include "shape/hull.h"
#include "shape/pose.h"

#include <math.h>
#include <string.h>

static bool is_zero(const double x[3])
{
    return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
}

void tn_emit_pose(tn_robot_emitter *emit, tn_node *map, const tn_pose *pose)
{
    const double *q = pose->quaternion;
    if (!is_zero(pose->position)) {
        tn_emit_numbers(emit, map, "position", 3, pose->position);
    }
    if (!is_zero(q + 1)) {
        tn_node *rotation = tn_emit_map(emit);
        tn_emit_numbers(emit, rotation, "quaternion", 4, q);
        tn_emit_put(emit, map, "rotation", rotation);
    }
}

static void put_round(tn_robot_emitter *emit, tn_node *shape, const char *key, const double size[3])
{
    tn_node *map = tn_emit_map(emit);
    tn_emit_number(emit, map, "radius", size[0]);
    tn_emit_number(emit, map, "length", 2.0 * size[1]);
    tn_emit_put(emit, shape, key, map);
}

static void put_file(tn_robot_emitter *emit, tn_node *map, const tn_robot_geom *geom)
{
    tn_place place = emit->place;
    if (place.file != emit->robot->file) { // of a geom in an included file; meshes are beside the main one
        emit->place = (tn_place){.file = emit->robot->file};
    }
    tn_emit_text(emit, map, "file", geom->file);
    emit->place = place;
    if (geom->scale[0] != 1.0) {
        tn_emit_number(emit, map, "scale", geom->scale[0]);
    }
}

// The file itself where one number scales it, else the corners of its hull.
static void put_hull(tn_robot_emitter *emit, tn_node *shape, const tn_robot_geom *geom)
{
    const tn_hull *hull = geom->shape.hull;
    tn_node *map = tn_emit_map(emit);
    tn_emit_put(emit, shape, geom->by_object ? "hulls" : "hull", map);
    if (geom->file && tn_robot_scale_is_one(geom)) {
        put_file(emit, map, geom);
        return;
    }
    tn_node *points = tn_emit_list(emit);
    for (int i = 0; i < hull->n_vertices; i++) {
        double point[3];
        tn_vec3_add(point, hull->vertices + 3 * (size_t)i, geom->centroid);
        tn_emit_add(emit, points, tn_emit_list_of(emit, 3, point));
    }
    tn_emit_put(emit, map, "points", points);
}

static void put_heights(tn_robot_emitter *emit, tn_node *shape, const tn_robot_geom *geom)
{
    const double grid[2] = {geom->grid[0], geom->grid[1]};
    tn_node *map = tn_emit_map(emit);
    tn_emit_put(emit, shape, "heights", map);
    tn_emit_numbers(emit, map, "size", 2, geom->extent);
    if (geom->file) {
        put_file(emit, map, geom);
        return;
    }
    tn_emit_numbers(emit, map, "points", 2, grid);
    tn_emit_numbers(emit, map, "values", geom->n_points, geom->points);
    tn_emit_number(emit, map, "scale", geom->extent[2]);
}

static void put_solid(tn_robot_emitter *emit, tn_node *shape, const tn_robot_geom *geom)
{
    const double *size = geom->shape.size;
    double edges[3];
    tn_vec3_scale(edges, 2.0, size);
    switch (geom->shape.kind) {
    case TN_SHAPE_PLANE:
        tn_emit_put(emit, shape, "plane", tn_emit_map(emit));
        break;
    case TN_SHAPE_SPHERE:
        tn_emit_number(emit, shape, "sphere", size[0]);
        break;
    case TN_SHAPE_BOX:
        tn_emit_numbers(emit, shape, "box", 3, edges);
        break;
    case TN_SHAPE_CAPSULE:
        put_round(emit, shape, "capsule", size);
        break;
    case TN_SHAPE_CYLINDER:
        put_round(emit, shape, "cylinder", size);
        break;
    case TN_SHAPE_ELLIPSOID:
        tn_emit_numbers(emit, shape, "ellipsoid", 3, size);
        break;
    case TN_SHAPE_HEIGHTS:
        put_heights(emit, shape, geom);
        break;
    default:
        put_hull(emit, shape, geom);
        break;
    }
}

static void put_mesh(tn_robot_emitter *emit, tn_node *shape, const tn_robot_geom *geom)
{
    tn_node *map = tn_emit_map(emit);
    tn_emit_put(emit, shape, "mesh", map);
    put_file(emit, map, geom);
}

// material: NULL of what is only shown.
static tn_node *shape_of(tn_robot_emitter *emit, const tn_robot_geom *geom, int body, const char *material)
{
    const tn_robot_link *links = emit->robot->links;
    tn_pose pose = geom->pose;
    if (geom->link != body) {
        tn_robot_relative(&pose, &links[body].world, &links[geom->link].world);
        tn_pose_join(&pose, &pose, &geom->pose);
    }
    emit->place = geom->place;
    tn_node *shape = tn_emit_map(emit);
    if (geom->as_mesh && !material) {
        put_mesh(emit, shape, geom);
    } else {
        put_solid(emit, shape, geom);
    }
    tn_emit_pose(emit, shape, &pose);
    if (material) {
        tn_emit_word(emit, shape, "material", material);
    }
    if (geom->color.said) {
        tn_emit_numbers(emit, shape, "color", 3, geom->color.rgb);
    }
    return shape;
}

static void put_inertia(tn_robot_emitter *emit, tn_node *map, const tn_robot_inertia *inertia, double part)
{
    const double *t = inertia->tensor;
    double six[6] = {part * t[0], part * t[4], part * t[8], part * t[1], part * t[2], part * t[5]};
    tn_emit_number(emit, map, "mass", part * inertia->mass);
    if (!is_zero(inertia->center)) {
        tn_emit_numbers(emit, map, "center", 3, inertia->center);
    }
    tn_emit_numbers(emit, map, "inertia", is_zero(six + 3) ? 3 : 6, six);
}

// What takes the weight, or a part of it, off links.
static void put_lift(tn_robot_emitter *emit, tn_node *map, double lifted)
{
    double force[3];
    tn_vec3_scale(force, -lifted, emit->gravity);
    if (lifted != 0.0) {
        tn_emit_numbers(emit, map, "force", 3, force);
    }
}

tn_node *tn_emit_body(tn_robot_emitter *emit, const tn_robot_link *link, const tn_robot_inertia *inertia, double part,
                      double lifted)
{
    emit->place = link->place;
    tn_node *map = tn_emit_map(emit);
    if (link->mocap) {
        tn_emit_put(emit, map, "motion", tn_emit_map(emit));
    } else if (link->fixed) {
        tn_emit_word(emit, map, "fixed", "true");
    }
    tn_emit_pose(emit, map, &link->world);
    if (!is_zero(link->velocity)) {
        tn_emit_numbers(emit, map, "velocity", 3, link->velocity);
    }
    if (!is_zero(link->spin)) {
        tn_emit_numbers(emit, map, "angular_velocity", 3, link->spin);
    }
    if (!link->fixed) {
        emit->place = link->inertia_place;
        put_inertia(emit, map, inertia, part);
        emit->place = link->place;
        put_lift(emit, map, part * lifted);
    }
    return map;
}

// Geoms of each body in the order of the file: first[b] to first[b + 1] of list.
static void sort_geoms(tn_robot *robot, int *first, int *list)
{
    for (int i = 0; i < robot->n_geoms; i++) {
        const tn_robot_geom *geom = &robot->geoms[i];
        first[robot->links[geom->link].body + 2] += geom->collides || geom->shown;
    }
    for (int b = 0; b < robot->n_links; b++) {
        first[b + 2] += first[b + 1];
    }
    for (int i = 0; i < robot->n_geoms; i++) {
        const tn_robot_geom *geom = &robot->geoms[i];
        if (geom->collides || geom->shown) {
            list[first[robot->links[geom->link].body + 1]++] = i;
        }
    }
}

// What touches, and where the link shows anything else, what is shown in its place.
static void put_shapes(tn_robot_emitter *emit, tn_node *map, int body, int n, const int *list, const char **material)
{
    const tn_robot *robot = emit->robot;
    tn_node *shapes = tn_emit_list(emit), *visual = tn_emit_list(emit);
    bool dressed = false;
    for (int k = 0; k < n; k++) {
        const tn_robot_geom *geom = &robot->geoms[list[k]];
        dressed = dressed || !geom->collides;
        if (geom->collides) {
            tn_emit_add(emit, shapes, shape_of(emit, geom, body, material[list[k]]));
        }
    }
    for (int k = 0; k < n && dressed; k++) {
        const tn_robot_geom *geom = &robot->geoms[list[k]];
        if (geom->shown) {
            tn_emit_add(emit, visual, shape_of(emit, geom, body, NULL));
        }
    }
    emit->place = robot->links[body].place;
    if (shapes && shapes->n) {
        tn_emit_put(emit, map, "shapes", shapes);
    }
    if (visual && visual->n) {
        tn_emit_put(emit, map, "visual", visual);
    }
}

double tn_robot_share(const tn_robot *robot)
{
    const char *coordinates = robot->reader->coordinates;
    bool loops = robot->n_ties > 0;
    if (coordinates && strcmp(coordinates, "reduced") == 0) {
        return loops ? 1e-7 : 1e-9;
    }
    bool open = !coordinates || strcmp(coordinates, "auto") == 0;
    return open && !loops ? 1e-6 : 1e-4;
}

void tn_emit_bodies(tn_robot_emitter *emit, tn_node *bodies, const tn_robot_inertia *inertia, const char **material,
                    const char **body)
{
    tn_robot *robot = emit->robot;
    int *first = TN_PUSH(robot->reader->scratch, int, robot->n_links + 3);
    int *list = TN_PUSH(robot->reader->scratch, int, robot->n_geoms);
    double *lifted = TN_PUSH(robot->reader->scratch, double, robot->n_links);
    if (!first || !list || !lifted) {
        emit->failed = true;
        return;
    }
    sort_geoms(robot, first, list);
    for (int i = 0; i < robot->n_links; i++) {
        lifted[robot->links[i].body] += robot->links[i].lift * robot->links[i].inertia.mass;
    }
    for (int i = 0; i < robot->n_links; i++) {
        const tn_robot_link *link = &robot->links[i];
        int n = first[i + 1] - first[i];
        if (link->body != i || (link->fixed && !link->mocap && n == 0)) {
            continue;
        }
        tn_robot_group group[TN_ROBOT_CHAIN_MAX];
        double left = 1.0 - tn_robot_share(robot) * (tn_robot_groups(robot, link, group) - 1);
        tn_node *map = tn_emit_body(emit, link, &inertia[i], link->n_joints > 1 ? left : 1.0, lifted[i]);
        put_shapes(emit, map, i, n, list + first[i], material);
        body[i] = tn_emit_name(emit, link->name, "", 0);
        tn_emit_put(emit, bodies, body[i], map);
    }
}
