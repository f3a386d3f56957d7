// Bodies: pose, kind, inertia, loads; copies are in copies.c.
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/build.h"

#include <math.h>
#include <string.h>

static bool fail(tn_build *build, const tn_node *node, const char *key, const char *message)
{
    return tn_read_error(&build->reader, tn_node_place_of(node, key), "%s", message);
}

static void or_zero(double out[3], const double said[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = isnan(said[0]) ? 0.0 : said[i];
    }
}

// Positive definite by Sylvester's minors, relative to the trace.
static bool is_positive(const double a[9])
{
    double scale = fabs(a[0]) + fabs(a[4]) + fabs(a[8]);
    double minor = a[0] * a[4] - a[1] * a[3];
    double det =
        a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
    return a[0] > 0.0 && minor > 1e-14 * scale * scale && det > 1e-14 * scale * scale * scale;
}

static bool read_inertia(tn_build *build, const tn_raw_body *raw, const tn_node *node, tn_scene_body *body)
{
    const double *I = raw->inertia.value;
    if (raw->inertia.n != 3 && raw->inertia.n != 6) {
        return fail(build, node, "inertia",
                    "'inertia' is a list of 3 numbers [Ixx, Iyy, Izz], or 6 with Ixy, Ixz, Iyz");
    }
    if (isnan(raw->mass)) {
        return fail(build, node, "inertia", "'inertia' needs 'mass' beside it");
    }
    double xy = raw->inertia.n == 6 ? I[3] : 0.0;
    double xz = raw->inertia.n == 6 ? I[4] : 0.0;
    double yz = raw->inertia.n == 6 ? I[5] : 0.0;
    const double full[9] = {I[0], xy, xz, xy, I[1], yz, xz, yz, I[2]};
    if (!is_positive(full)) {
        return fail(build, node, "inertia", "'inertia' must be positive definite");
    }
    tn_scene_inertia *inertia = TN_PUSH(build->reader.storage, tn_scene_inertia, 1);
    if (!inertia) {
        return tn_read_no_memory(&build->reader);
    }
    inertia->mass = raw->mass;
    or_zero(inertia->center, raw->center);
    memcpy(inertia->tensor, full, sizeof full);
    body->inertia = inertia;
    return true;
}

// Shapes' densities so that their masses add up to the one given.
static bool scale_mass(tn_build *build, const tn_raw_body *raw, const tn_node *node, tn_scene_body *body)
{
    double mass = 0.0;
    for (int i = 0; i < body->n_shapes; i++) {
        mass += body->shapes[i].density * tn_shape_volume(&body->shapes[i].shape);
    }
    if (!(mass > 0.0)) {
        return fail(build, node, "mass", "'mass' without 'inertia' needs shapes with volume and density");
    }
    for (int i = 0; i < body->n_shapes; i++) {
        body->shapes[i].density *= raw->mass / mass;
    }
    return true;
}

static bool read_mass(tn_build *build, const tn_raw_body *raw, const tn_node *node, tn_scene_body *body)
{
    if (!isnan(raw->mass) && !isnan(raw->density)) {
        return fail(build, node, "mass", "give either 'mass' or 'density' of a body, not both");
    }
    if (raw->inertia.n) {
        return read_inertia(build, raw, node, body);
    }
    if (!isnan(raw->center[0])) {
        return fail(build, node, "center", "'center' needs 'inertia' beside it");
    }
    if (!isnan(raw->mass) && !scale_mass(build, raw, node, body)) {
        return false;
    }
    double mass = 0.0;
    for (int i = 0; i < body->n_shapes; i++) {
        mass += body->shapes[i].density * tn_shape_volume(&body->shapes[i].shape);
    }
    if (body->kind == TN_BODY_FREE && !(mass > 0.0)) {
        return fail(build, node, "", "a free body needs mass: a shape with volume and density, or mass and inertia");
    }
    return true;
}

static bool read_motion(tn_build *build, const tn_raw_body *raw, const tn_node *node, tn_scene_body *body)
{
    const tn_raw_motion *said = raw->motion;
    tn_scene_motion *motion = said ? TN_PUSH(build->reader.storage, tn_scene_motion, 1) : NULL;
    if (!motion) {
        return !said || tn_read_no_memory(&build->reader);
    }
    body->motion = motion;
    motion->angle = said->angle;
    motion->teleport = said->teleport;
    tn_vec3_scale(motion->axis, 1.0 / tn_vec3_norm(said->axis), said->axis);
    if (isnan(said->position[0].constant)) {
        for (int i = 0; i < 3; i++) {
            motion->position[i] = (tn_value){.constant = body->pose.position[i]};
        }
        return true;
    }
    if (!isnan(raw->position[0]) || raw->array || raw->scatter) {
        return fail(build, node, "motion", "the position is given by 'motion': drop 'position', 'array' and 'scatter'");
    }
    memcpy(motion->position, said->position, sizeof motion->position);
    for (int i = 0; i < 3; i++) {
        body->pose.position[i] = tn_value_at(&said->position[i], 0.0);
    }
    return true;
}

static bool is_zero(const tn_value value[3])
{
    bool zero = true;
    for (int i = 0; i < 3; i++) {
        zero = zero && !value[i].program && value[i].constant == 0.0;
    }
    return zero;
}

static bool read_push(tn_build *build, const tn_raw_body *raw, tn_scene_body *body)
{
    if (is_zero(raw->force) && is_zero(raw->force_body) && is_zero(raw->torque)) {
        return true;
    }
    tn_scene_push *push = TN_PUSH(build->reader.storage, tn_scene_push, 1);
    if (!push) {
        return tn_read_no_memory(&build->reader);
    }
    memcpy(push->force, raw->force, sizeof push->force);
    memcpy(push->force_body, raw->force_body, sizeof push->force_body);
    memcpy(push->torque, raw->torque, sizeof push->torque);
    body->push = push;
    return true;
}

static bool read_velocity(tn_build *build, const tn_raw_body *raw, tn_scene_body *body)
{
    if (isnan(raw->velocity[0]) && isnan(raw->angular_velocity[0])) {
        return true;
    }
    tn_scene_velocity *velocity = TN_PUSH(build->reader.storage, tn_scene_velocity, 1);
    if (!velocity) {
        return tn_read_no_memory(&build->reader);
    }
    or_zero(velocity->linear, raw->velocity);
    or_zero(velocity->angular, raw->angular_velocity);
    body->velocity = velocity;
    return true;
}

static bool read_confine(tn_build *build, const tn_raw_body *raw, tn_scene_body *body)
{
    if (!raw->confine || body->kind != TN_BODY_FREE) {
        return true;
    }
    double *normal = TN_PUSH(build->reader.storage, double, 3);
    if (!normal) {
        return tn_read_no_memory(&build->reader);
    }
    tn_vec3_scale(normal, 1.0 / tn_vec3_norm(raw->confine->normal), raw->confine->normal);
    body->plane_normal = normal;
    return true;
}

// Keys that would be silently without effect are errors.
static bool check_kind(tn_build *build, const tn_raw_body *raw, const tn_node *node)
{
    if (raw->fixed && raw->motion) {
        return fail(build, node, "motion", "a body is either 'fixed' or has a 'motion'");
    }
    if (!raw->fixed && !raw->motion) {
        return true;
    }
    const char *kind = raw->fixed ? "fixed" : "kinematic";
    if (!isnan(raw->velocity[0]) || !isnan(raw->angular_velocity[0])) {
        const char *key = isnan(raw->velocity[0]) ? "angular_velocity" : "velocity";
        return tn_read_error(&build->reader, tn_node_place_of(node, key), "a %s body takes no velocity", kind);
    }
    if (!is_zero(raw->force) || !is_zero(raw->force_body) || !is_zero(raw->torque)) {
        return tn_read_error(&build->reader, tn_node_place_of(node, "force"), "a %s body takes no force", kind);
    }
    if (tn_node_find(node, "confine")) { // what the defaults say is meant for bodies that move
        return tn_read_error(&build->reader, tn_node_place_of(node, "confine"), "a %s body needs no 'confine'", kind);
    }
    return true;
}

static bool read_body(tn_build *build, const tn_raw_body *raw, const tn_node *node, tn_scene_body *body)
{
    body->kind = raw->fixed ? TN_BODY_FIXED : raw->motion ? TN_BODY_KINEMATIC : TN_BODY_FREE;
    body->color = raw->color;
    body->checker = raw->texture == 1;
    or_zero(body->pose.position, raw->position);
    return check_kind(build, raw, node) && read_velocity(build, raw, body) && read_confine(build, raw, body) &&
           read_push(build, raw, body) &&
           tn_build_rotation(build, raw->rotation, tn_node_place_of(node, "rotation"), body->pose.quaternion) &&
           read_motion(build, raw, node, body) && tn_build_shapes(build, raw, node, body) &&
           tn_build_visuals(build, raw, body) && tn_build_confine(build, body) && read_mass(build, raw, node, body);
}

// The map's entries read once: what they say, and how many bodies each becomes.
static bool read_raw(tn_build *build, const tn_node *map, tn_raw_body *raw, int *total)
{
    for (int i = 0; i < map->n; i++) {
        if (!tn_build_check_name(build, map->key[i], "a body")) {
            return false;
        }
        if (strcmp(map->key[i]->text, "world") == 0) {
            return fail(build, map->key[i], "", "'world' is the name of what everything stands in; take another one");
        }
        const tn_node *node = tn_build_with_defaults(build, map->item[i], build->raw.default_body);
        if (!node || !tn_section_read(&build->reader, &tn_section_body, node, &raw[i])) {
            return false;
        }
        int count = tn_build_copy_count(raw[i].array, raw[i].scatter);
        if (count < 0 || count > TN_SCENE_BODIES_MAX - *total) {
            return tn_read_error(&build->reader, map->key[i]->place, "more than %d bodies", TN_SCENE_BODIES_MAX);
        }
        if (raw[i].array && raw[i].scatter) {
            return fail(build, map->item[i], "scatter", "give either 'array' or 'scatter', not both");
        }
        *total += count;
    }
    return true;
}

static bool add_bodies(tn_build *build, const tn_node *key, const tn_node *node, const tn_raw_body *raw)
{
    tn_scene *scene = build->scene;
    tn_scene_body body = {.place = key->place, .name = tn_build_keep_name(build, key->text)};
    if (!body.name || !read_body(build, raw, node, &body)) {
        return false;
    }
    if (!raw->array && !raw->scatter) {
        scene->bodies[scene->n_bodies++] = body;
        return true;
    }
    if (!tn_build_copies(build, raw, &body, &scene->bodies[scene->n_bodies])) {
        return false;
    }
    scene->n_bodies += tn_build_copy_count(raw->array, raw->scatter);
    return true;
}

bool tn_build_index_bodies(tn_build *build)
{
    const tn_scene *scene = build->scene;
    const char **name = TN_PUSH(build->reader.scratch, const char *, scene->n_bodies);
    for (int i = 0; name && i < scene->n_bodies; i++) {
        name[i] = scene->bodies[i].name;
    }
    if (!name || !tn_names_create(&build->bodies, scene->n_bodies, name, build->reader.scratch)) {
        return tn_read_no_memory(&build->reader);
    }
    return true;
}

bool tn_build_bodies(tn_build *build)
{
    const tn_node *map = build->raw.bodies;
    int n = map ? map->n : 0;
    tn_raw_body *raw = TN_PUSH(build->reader.scratch, tn_raw_body, n);
    int total = 0;
    if (!raw) {
        return tn_read_no_memory(&build->reader);
    }
    if (n && !read_raw(build, map, raw, &total)) {
        return false;
    }
    build->scene->bodies = TN_PUSH(build->reader.storage, tn_scene_body, total);
    if (!build->scene->bodies) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < n; i++) {
        if (!add_bodies(build, map->key[i], map->item[i], &raw[i])) {
            return false;
        }
    }
    return tn_build_index_bodies(build);
}
