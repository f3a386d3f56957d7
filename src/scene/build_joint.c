// Joints between bodies, and gears between joints.
#include "math/mat3.h"
#include "math/quat.h"
#include "scene/build.h"

#include <math.h>
#include <string.h>

static const char *const axis_names[TN_AXIS_COUNT] = {"slide", "slide2", "turn", "turn2"};

// Coordinates that each kind leaves free, as bits of tn_joint_axis.
static unsigned free_axes(tn_joint_kind kind)
{
    enum { S = 1 << TN_AXIS_SLIDE, S2 = 1 << TN_AXIS_SLIDE2, T = 1 << TN_AXIS_TURN, T2 = 1 << TN_AXIS_TURN2 };
    static const unsigned axes[TN_JOINT_KINDS] = {
        [TN_JOINT_REVOLUTE] = T,
        [TN_JOINT_PRISMATIC] = S,
        [TN_JOINT_CYLINDRICAL] = S | T,
        [TN_JOINT_UNIVERSAL] = T | T2,
        [TN_JOINT_PLANAR] = S | S2 | T,
        [TN_JOINT_POINT_ON_LINE] = S,
        [TN_JOINT_POINT_ON_PLANE] = S | S2,
        [TN_JOINT_DISTANCE] = S,
    };
    return axes[kind];
}

static bool has_axis(tn_joint_kind kind)
{
    return kind != TN_JOINT_SPHERICAL && kind != TN_JOINT_WELD && kind != TN_JOINT_DISTANCE && kind != TN_JOINT_GEAR;
}

// A key that the kind has no use for.
static bool reject(tn_build *build, const tn_node *node, const char *key, bool said, const char *why)
{
    return !said || tn_read_error(&build->reader, tn_node_place_of(node, key), "'%s' %s", key, why);
}

static bool read_motor(tn_build *build, const tn_raw_motor *raw, tn_place place, tn_scene_drive *out)
{
    bool position = raw->position.program || !isnan(raw->position.constant);
    bool velocity = raw->velocity.program || !isnan(raw->velocity.constant);
    if (position == velocity) {
        return tn_read_error(&build->reader, place, "a motor takes either position or velocity");
    }
    out->motor = position ? TN_MOTOR_POSITION : TN_MOTOR_VELOCITY;
    out->target = position ? raw->position : raw->velocity;
    out->strength = raw->strength;
    return true;
}

static bool read_drive(tn_build *build, const tn_raw_drive *raw, tn_place place, tn_scene_drive *out)
{
    *out = (tn_scene_drive){.low = -INFINITY, .high = INFINITY, .strength = INFINITY};
    if (!raw) {
        return true;
    }
    out->said = true;
    out->stiffness = raw->stiffness;
    out->rest = raw->rest;
    out->damping = raw->damping;
    out->friction = raw->friction;
    if (raw->limits.n == 2) {
        out->low = raw->limits.value[0];
        out->high = raw->limits.value[1];
        if (!(out->low <= out->high) || out->low == INFINITY || out->high == -INFINITY) {
            return tn_read_error(&build->reader, place, "'limits' must ascend: %g is above %g", out->low, out->high);
        }
    }
    return !raw->motor || read_motor(build, raw->motor, place, out);
}

static bool read_drives(tn_build *build, const tn_raw_joint *raw, const tn_node *node, tn_scene_joint *out)
{
    for (int i = 0; i < TN_AXIS_COUNT; i++) {
        tn_place place = tn_node_place_of(node, axis_names[i]);
        if (raw->drive[i] && !(free_axes(out->kind) & 1u << i)) {
            return tn_read_error(&build->reader, place, "this kind of joint has no free coordinate '%s'",
                                 axis_names[i]);
        }
        if (!read_drive(build, raw->drive[i], place, &out->drive[i])) {
            return false;
        }
    }
    return true;
}

// Unit axes at right angles.
static bool read_axes(tn_build *build, const tn_raw_joint *raw, const tn_node *node, tn_scene_joint *out)
{
    const char *kind = "takes no part in this kind of joint: leave it out";
    double frame[9];
    if (!has_axis(out->kind)) {
        tn_vec3_set(out->axis, 1.0, 0.0, 0.0);
        tn_vec3_set(out->axis2, 0.0, 1.0, 0.0);
        return reject(build, node, "axis", !isnan(raw->axis[0]), kind) &&
               reject(build, node, "axis2", !isnan(raw->axis2[0]), kind);
    }
    if (isnan(raw->axis[0])) {
        return tn_read_error(&build->reader, node->place, "this kind of joint needs an 'axis'");
    }
    double length = tn_vec3_norm(raw->axis);
    if (!(length > 1e-12)) {
        return tn_read_error(&build->reader, tn_node_place_of(node, "axis"), "'axis' is too short to be a direction");
    }
    tn_vec3_scale(out->axis, 1.0 / length, raw->axis);
    tn_mat3_frame(frame, out->axis);
    tn_vec3_copy(out->axis2, frame + 3);
    if (isnan(raw->axis2[0])) {
        return true;
    }
    double unit[3], across[3], along;
    tn_vec3_scale(unit, 1.0 / tn_vec3_norm(raw->axis2), raw->axis2);
    along = tn_vec3_dot(unit, out->axis);
    tn_vec3_madd(across, unit, -along, out->axis);
    length = tn_vec3_norm(across);
    if (!(length > 1e-6) || !isfinite(length)) {
        return tn_read_error(&build->reader, tn_node_place_of(node, "axis2"), "'axis2' must not be along 'axis'");
    }
    if (out->kind == TN_JOINT_UNIVERSAL && fabs(along) > 1e-6) {
        return tn_read_error(&build->reader, tn_node_place_of(node, "axis2"),
                             "'axis2' of a universal joint must be at right angles to 'axis': it is %.3g rad off",
                             asin(fmin(1.0, fabs(along))));
    }
    tn_vec3_scale(out->axis2, 1.0 / length, across);
    return true;
}

static const tn_scene_body *body_of(const tn_build *build, int id)
{
    return id < 0 ? NULL : &build->scene->bodies[id];
}

static void to_world(const tn_scene_body *body, const double own[3], double out[3])
{
    tn_vec3_copy(out, own);
    if (body) {
        tn_quat_rotate(out, body->pose.quaternion, own);
        tn_vec3_add(out, out, body->pose.position);
    }
}

static void to_body(const tn_scene_body *body, const double world[3], double out[3])
{
    tn_vec3_copy(out, world);
    if (body) {
        tn_vec3_sub(out, world, body->pose.position);
        tn_quat_rotate_inverse(out, body->pose.quaternion, out);
    }
}

static bool read_points(tn_build *build, const tn_raw_joint *raw, const tn_node *node, tn_scene_joint *out)
{
    const tn_scene_body *a = body_of(build, out->body_a), *b = body_of(build, out->body_b);
    const double zero[3] = {0.0, 0.0, 0.0};
    bool said_a = !isnan(raw->point_a[0]), said_b = !isnan(raw->point_b[0]), anchored = !isnan(raw->anchor[0]);
    double anchor[3];
    if (out->kind == TN_JOINT_DISTANCE) {
        tn_vec3_copy(out->point_a, said_a ? raw->point_a : zero);
        tn_vec3_copy(out->point_b, said_b ? raw->point_b : zero);
        return reject(build, node, "anchor", anchored, "is not for a distance: give point_a and point_b");
    }
    if (anchored && said_a && said_b) {
        return tn_read_error(&build->reader, tn_node_place_of(node, "anchor"),
                             "'anchor' says what point_a and point_b say already: leave one out");
    }
    if (anchored) {
        tn_vec3_copy(anchor, raw->anchor);
    } else if (said_b || said_a) {
        to_world(said_b ? b : a, said_b ? raw->point_b : raw->point_a, anchor);
    } else {
        to_world(b ? b : a, zero, anchor);
    }
    to_body(a, anchor, out->point_a);
    to_body(b, anchor, out->point_b);
    tn_vec3_copy(out->point_a, said_a ? raw->point_a : out->point_a);
    tn_vec3_copy(out->point_b, said_b ? raw->point_b : out->point_b);
    return true;
}

static bool moves(const tn_scene_body *body)
{
    return body && body->kind == TN_BODY_FREE;
}

static bool read_bodies(tn_build *build, const tn_raw_joint *raw, const tn_node *node, tn_scene_joint *out)
{
    if (!raw->b) {
        return tn_read_error(&build->reader, node->place, "a joint needs its body 'b'");
    }
    if (!tn_build_find_body(build, raw->a, &out->body_a) || !tn_build_find_body(build, raw->b, &out->body_b)) {
        return false;
    }
    if (out->body_a == out->body_b) {
        return tn_read_error(&build->reader, raw->b->place, "a joint needs two different bodies, or one and the world");
    }
    if (!moves(body_of(build, out->body_a)) && !moves(body_of(build, out->body_b))) {
        return tn_read_error(&build->reader, node->place,
                             "neither of the joint's bodies can move freely: it has nothing to hold");
    }
    return true;
}

static bool read_pair_joint(tn_build *build, const tn_raw_joint *raw, const tn_node *node, tn_scene_joint *out)
{
    const char *gear = "is for gears only", *distance = "is for distances only";
    out->length = raw->length;
    out->compliance = raw->compliance;
    out->turn_compliance = raw->turn_compliance;
    out->slack = raw->slack;
    out->collide = raw->collide;
    return reject(build, node, "joints", raw->joints != NULL, gear) &&
           reject(build, node, "coordinates", raw->coordinates != NULL, gear) &&
           reject(build, node, "ratio", !isnan(raw->ratio), gear) &&
           reject(build, node, "length", out->kind != TN_JOINT_DISTANCE && !isnan(raw->length), distance) &&
           read_bodies(build, raw, node, out) && read_axes(build, raw, node, out) &&
           read_points(build, raw, node, out) && read_drives(build, raw, node, out);
}

static int find_joint(const tn_build *build, const char *name)
{
    for (int i = 0; i < build->scene->n_joints; i++) {
        if (strcmp(build->scene->joints[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// One side of a gear: which joint, by which coordinate.
static bool read_gear_side(tn_build *build, const tn_raw_joint *raw, int side, tn_scene_joint *out)
{
    const tn_node *name = raw->joints->item[side];
    int id = find_joint(build, name->text);
    if (id < 0) {
        return tn_read_error(&build->reader, name->place, "no joint '%.100s' is said before this gear", name->text);
    }
    const tn_scene_joint *joint = &build->scene->joints[id];
    unsigned axes = free_axes(joint->kind);
    if (!axes) {
        return tn_read_error(&build->reader, name->place, "joint '%.100s' has no coordinate that a gear could couple",
                             name->text);
    }
    int axis = 0;
    if (raw->coordinates) {
        const tn_node *said = raw->coordinates->item[side];
        while (axis < TN_AXIS_COUNT && strcmp(axis_names[axis], said->text) != 0) {
            axis++;
        }
        if (axis == TN_AXIS_COUNT || !(axes & 1u << axis)) {
            return tn_read_error(&build->reader, said->place, "joint '%.100s' has no free coordinate '%.40s'",
                                 name->text, said->text);
        }
    } else {
        while (!(axes & 1u << axis)) {
            axis++;
        }
    }
    out->gear_joint[side] = id;
    out->gear_axis[side] = (tn_joint_axis)axis;
    return true;
}

static bool read_gear(tn_build *build, const tn_raw_joint *raw, const tn_node *node, tn_scene_joint *out)
{
    const char *own[] = {"a",     "b",      "anchor", "point_a", "point_b", "axis",
                         "axis2", "length", "slide",  "slide2",  "turn",    "turn2"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (tn_node_index(node, own[i]) >= 0) {
            return reject(build, node, own[i], true, "is not for a gear: it couples two joints");
        }
    }
    if (!raw->joints || isnan(raw->ratio) || raw->ratio == 0.0) {
        return tn_read_error(&build->reader, node->place, "a gear needs 'joints' and a 'ratio' that is not 0");
    }
    out->ratio = raw->ratio;
    out->compliance = raw->compliance;
    out->body_a = out->body_b = -1;
    out->collide = true;
    if (!read_gear_side(build, raw, 0, out) || !read_gear_side(build, raw, 1, out)) {
        return false;
    }
    if (out->gear_joint[0] == out->gear_joint[1] && out->gear_axis[0] == out->gear_axis[1]) {
        return tn_read_error(&build->reader, raw->joints->place, "a gear couples two different coordinates");
    }
    return read_drives(build, raw, node, out);
}

static bool read_joint(tn_build *build, const tn_node *key, const tn_node *node, tn_scene_joint *out)
{
    node = tn_build_with_defaults(build, node, build->raw.default_joint);
    tn_raw_joint raw = {0};
    if (!node || !tn_section_read(&build->reader, &tn_section_joint, node, &raw)) {
        return false;
    }
    out->kind = (tn_joint_kind)raw.type;
    out->place = key->place;
    out->name = tn_build_keep_name(build, key->text);
    if (!out->name) {
        return false;
    }
    return out->kind == TN_JOINT_GEAR ? read_gear(build, &raw, node, out) : read_pair_joint(build, &raw, node, out);
}

bool tn_build_joints(tn_build *build)
{
    const tn_node *map = build->raw.joints;
    if (!map || !map->n) {
        return true;
    }
    tn_scene *scene = build->scene;
    scene->joints = TN_PUSH(build->reader.storage, tn_scene_joint, map->n);
    if (!scene->joints) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < map->n; i++) {
        if (!tn_build_check_name(build, map->key[i], "a joint") ||
            !read_joint(build, map->key[i], map->item[i], &scene->joints[i])) {
            return false;
        }
        scene->n_joints++;
    }
    return true;
}
