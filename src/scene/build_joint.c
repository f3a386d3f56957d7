// Joints between bodies, and gears between joints.
#include "math/mat3.h"
#include "scene/build.h"
#include "scene/joint_class.h"

#include <math.h>
#include <string.h>

// What the scene says of a joint, with the defaults and without.
typedef struct sayings {
    const tn_raw_joint *raw;
    const tn_node *node, *own;
} sayings;

// A key that the kind has no use for; defaults may have it.
static bool reject(tn_build *build, const sayings *said, const char *key, const char *why)
{
    return tn_node_index(said->own, key) < 0 ||
           tn_read_error(&build->reader, tn_node_place_of(said->own, key), "'%s' %s", key, why);
}

// node: of the motor.
static bool read_motor(tn_build *build, const tn_raw_motor *raw, const tn_node *node, tn_scene_drive *out)
{
    bool position = raw->position.program || !isnan(raw->position.constant);
    bool velocity = raw->velocity.program || !isnan(raw->velocity.constant);
    if (position == velocity) {
        return tn_read_error(&build->reader, node->place, "a motor takes either position or velocity");
    }
    out->motor = position ? TN_MOTOR_POSITION : TN_MOTOR_VELOCITY;
    out->target = position ? raw->position : raw->velocity;
    out->strength = raw->strength;
    return tn_build_motor_softness(build, raw, node, out);
}

// turns: of a rotation, whose friction has a radius.
static bool read_drive(tn_build *build, const tn_raw_drive *raw, bool turns, const tn_node *node, tn_scene_drive *out)
{
    *out = (tn_scene_drive){.low = -INFINITY, .high = INFINITY, .strength = INFINITY};
    if (!raw) {
        return true;
    }
    out->said = true;
    out->called = raw->called ? tn_build_keep_name(build, raw->called->text) : NULL;
    if (raw->called && !out->called) {
        return false;
    }
    out->stiffness = raw->stiffness;
    out->rest = raw->rest;
    out->damping = raw->damping;
    out->armature = raw->armature;
    if (out->armature > 0.0 && build->scene->settings.scheme == TN_SCHEME_MIDPOINT) { // its second solve knows none
        return tn_read_error(&build->reader, node->place, "'armature' needs 'scheme: euler' or 'scheme: implicit'");
    }
    if (raw->friction && turns && raw->friction->coefficient > 0.0 && raw->friction->radius == 0.0) {
        return tn_read_error(&build->reader, node->place,
                             "the friction of a rotation needs a 'radius' with its coefficient");
    }
    if (raw->friction) {
        out->friction = raw->friction->least;
        out->friction_arm = raw->friction->coefficient * (turns ? raw->friction->radius : 1.0);
    }
    if (raw->limits.n == 2) {
        out->low = raw->limits.value[0];
        out->high = raw->limits.value[1];
        if (!(out->low <= out->high) || out->low == INFINITY || out->high == -INFINITY) {
            return tn_read_error(&build->reader, node->place, "'limits' must ascend: %g is above %g", out->low,
                                 out->high);
        }
    }
    return tn_build_limit_softness(build, raw, node, out) &&
           (!raw->motor || read_motor(build, raw->motor, tn_node_find(node, "motor"), out));
}

static bool read_drives(tn_build *build, const sayings *said, tn_scene_joint *out)
{
    for (int i = 0; i < TN_AXIS_COUNT; i++) {
        bool free = tn_joint_has_axis(out->kind, (tn_joint_axis)i);
        if (!free && tn_node_index(said->own, tn_joint_axis_names[i]) >= 0) {
            return tn_read_error(&build->reader, tn_node_place_of(said->own, tn_joint_axis_names[i]),
                                 "this kind of joint has no free coordinate '%s'", tn_joint_axis_names[i]);
        }
        if (!read_drive(build, free ? said->raw->drive[i] : NULL, i >= TN_AXIS_TURN,
                        tn_node_find(said->node, tn_joint_axis_names[i]), &out->drive[i])) {
            return false;
        }
    }
    return true;
}

// Dry friction of a sphere or a plane (sets BALL, ELLIPSE), with the keys of its kind.
static bool read_ball(tn_build *build, const tn_raw_ball *raw, const tn_node *node, bool sphere, tn_scene_joint *out)
{
    bool other = sphere ? raw->force.n > 0 || raw->coefficient.n > 1 : !isnan(raw->torque) || !isnan(raw->radius);
    if (other) {
        return tn_read_error(&build->reader, node->place,
                             sphere ? "the friction of a spherical joint takes 'torque', one 'coefficient' and 'radius'"
                                    : "the friction of a plane takes 'force' and 'coefficient'");
    }
    double arm = sphere && !isnan(raw->radius) ? raw->radius : sphere ? 0.0 : 1.0;
    double torque = isnan(raw->torque) ? 0.0 : raw->torque;
    for (int i = 0; i < 2; i++) {
        const tn_numbers *force = &raw->force, *coefficient = &raw->coefficient;
        out->friction[i] = force->n ? force->value[i % force->n] : torque;
        out->friction_arm[i] = coefficient->n ? coefficient->value[i % coefficient->n] * arm : 0.0;
    }
    if (sphere && arm == 0.0 && raw->coefficient.n && raw->coefficient.value[0] > 0.0) {
        return tn_read_error(&build->reader, node->place,
                             "the friction of a rotation needs a 'radius' with its coefficient");
    }
    return !tn_joint_rubs(out) || build->scene->settings.scheme != TN_SCHEME_MIDPOINT ||
           tn_read_error(&build->reader, node->place, // its second solve knows none
                         "friction of spherical and planar joints needs 'scheme: euler' or 'scheme: implicit'");
}

// Kinds without it may have it as a default of all joints.
static bool read_friction(tn_build *build, const sayings *said, tn_scene_joint *out)
{
    const tn_joint_class *c = &tn_joint_classes[out->kind];
    bool sphere = out->kind == TN_JOINT_SPHERICAL;
    if (sphere || tn_joint_has_axis(out->kind, TN_AXIS_SLIDE2)) {
        return !said->raw->friction ||
               read_ball(build, said->raw->friction, tn_node_find(said->node, "friction"), sphere, out);
    }
    if (tn_node_index(said->own, "friction") < 0) {
        return true;
    }
    if (c->n_coordinates == 0) {
        return reject(build, said, "friction", "is for joints in which something slides");
    }
    return tn_read_error(&build->reader, tn_node_place_of(said->own, "friction"),
                         "'friction' of this kind of joint goes with its free coordinate: %s: {friction: ...}",
                         tn_joint_axis_names[c->axis[0]]);
}

// Unit axes at right angles.
static bool read_axes(tn_build *build, const sayings *said, tn_scene_joint *out)
{
    const char *kind = "takes no part in this kind of joint: leave it out";
    double frame[9];
    if (!tn_joint_classes[out->kind].has_axis) {
        tn_vec3_set(out->axis, 1.0, 0.0, 0.0);
        tn_vec3_set(out->axis2, 0.0, 1.0, 0.0);
        return reject(build, said, "axis", kind) && reject(build, said, "axis2", kind);
    }
    const double along_x[3] = {1.0, 0.0, 0.0}, *given = said->raw->axis;
    bool world = out->kind == TN_JOINT_BUSHING && isnan(given[0]);
    given = world ? along_x : given;
    if (isnan(given[0])) {
        return tn_read_error(&build->reader, said->node->place, "this kind of joint needs an 'axis'");
    }
    double length = tn_vec3_norm(given);
    if (!(length > 1e-12)) {
        return tn_read_error(&build->reader, tn_node_place_of(said->node, "axis"),
                             "'axis' is too short to be a direction");
    }
    tn_vec3_scale(out->axis, 1.0 / length, given);
    tn_mat3_frame(frame, out->axis);
    tn_vec3_copy(out->axis2, frame + 3);
    if (world) {
        tn_vec3_set(out->axis2, 0.0, 1.0, 0.0);
    }
    if (isnan(said->raw->axis2[0])) {
        return true;
    }
    double unit[3], across[3], along;
    tn_vec3_scale(unit, 1.0 / tn_vec3_norm(said->raw->axis2), said->raw->axis2);
    along = tn_vec3_dot(unit, out->axis);
    tn_vec3_madd(across, unit, -along, out->axis);
    length = tn_vec3_norm(across);
    if (!(length > 1e-6) || !isfinite(length)) {
        return tn_read_error(&build->reader, tn_node_place_of(said->node, "axis2"), "'axis2' must not be along 'axis'");
    }
    if (out->kind == TN_JOINT_UNIVERSAL && fabs(along) > 1e-6) {
        return tn_read_error(&build->reader, tn_node_place_of(said->node, "axis2"),
                             "'axis2' of a universal joint must be at right angles to 'axis': it is %.3g rad off",
                             asin(fmin(1.0, fabs(along))));
    }
    tn_vec3_scale(out->axis2, 1.0 / length, across);
    return true;
}

static bool read_pitch(tn_build *build, const sayings *said, tn_scene_joint *out)
{
    if (out->kind != TN_JOINT_SCREW) {
        return reject(build, said, "pitch", "is for screws only");
    }
    out->pitch = said->raw->pitch;
    return (!isnan(out->pitch) && out->pitch != 0.0) ||
           tn_read_error(&build->reader, said->node->place,
                         "a screw needs a 'pitch' that is not 0: the way along its axis in a turn");
}

// What it holds of velocities is no rate of a place: along a step, as midpoint takes rows, it means nothing.
static bool read_radius(tn_build *build, const sayings *said, tn_scene_joint *out)
{
    if (out->kind != TN_JOINT_ROLLING) {
        return reject(build, said, "radius", "is for rolling joints only");
    }
    out->radius = said->raw->radius;
    if (build->scene->settings.scheme == TN_SCHEME_MIDPOINT) {
        return tn_read_error(&build->reader, said->node->place,
                             "rolling joints need 'scheme: euler', 'implicit' or 'pbd'");
    }
    return !isnan(out->radius) ||
           tn_read_error(&build->reader, said->node->place, "a rolling joint needs the 'radius' of its ball");
}

static bool read_round(tn_build *build, const sayings *said, tn_scene_joint *out)
{
    const tn_raw_round *raw = said->raw->round;
    if (!raw) {
        return true;
    }
    tn_drum *drum = TN_PUSH(build->reader.storage, tn_drum, 1);
    const tn_place place = tn_node_place_of(said->node, "round");
    if (!drum) {
        return tn_read_no_memory(&build->reader);
    }
    tn_vec3_copy(drum->center, raw->center);
    tn_vec3_copy(drum->side, raw->side);
    drum->radius = raw->radius;
    if (!isnan(raw->axis[0])) {
        tn_vec3_scale(drum->axis, 1.0 / tn_vec3_norm(raw->axis), raw->axis);
    }
    out->drum = drum;
    if (out->nodes_a.n > 0 || out->nodes_b.n > 0) {
        return tn_read_error(&build->reader, place, "'round' is between bodies, not nodes of soft ones");
    }
    return !tn_drum_contains(drum, drum->side) ||
           tn_read_error(&build->reader, place, "the 'side' of 'round' is inside of it");
}

static bool read_pair_joint(tn_build *build, const sayings *said, tn_scene_joint *out)
{
    const char *gear = "is for gears only", *distance = "is for distances only";
    out->length = said->raw->length;
    out->slack = said->raw->slack;
    out->collide = said->raw->collide;
    return reject(build, said, "joints", gear) && reject(build, said, "coordinates", gear) &&
           reject(build, said, "ratio", gear) &&
           (out->kind == TN_JOINT_DISTANCE ||
            (reject(build, said, "length", distance) && reject(build, said, "round", distance))) &&
           read_pitch(build, said, out) && read_radius(build, said, out) && read_axes(build, said, out) &&
           read_friction(build, said, out) && tn_build_joint_ends(build, said->raw, said->own, said->node, out) &&
           read_round(build, said, out) && read_drives(build, said, out) &&
           tn_build_joint_softness(build, said->raw, said->own, said->node, out);
}

int tn_build_find_joint(const tn_build *build, const char *name)
{
    for (int i = 0; i < build->scene->n_joints; i++) {
        if (strcmp(build->scene->joints[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

bool tn_build_joint_axis(tn_build *build, int joint, const tn_node *name, const tn_node *chosen, tn_joint_axis *out)
{
    const tn_scene_joint *of = &build->scene->joints[joint];
    const tn_joint_axis gear = of->kind == TN_JOINT_GEAR ? tn_gear_axis(of) : TN_AXIS_COUNT;
    if (tn_joint_classes[of->kind].n_coordinates == 0 && gear == TN_AXIS_COUNT) {
        return tn_read_error(&build->reader, name->place, "joint '%.100s' has no free coordinate of its own",
                             name->text);
    }
    int axis = chosen ? 0 : (int)(gear < TN_AXIS_COUNT ? gear : tn_joint_classes[of->kind].axis[0]);
    while (chosen && axis < TN_AXIS_COUNT && strcmp(tn_joint_axis_names[axis], chosen->text) != 0) {
        axis++;
    }
    if (chosen && (axis == TN_AXIS_COUNT || (axis != (int)gear && !tn_joint_has_axis(of->kind, (tn_joint_axis)axis)))) {
        return tn_read_error(&build->reader, chosen->place, "joint '%.100s' has no free coordinate '%.40s'", name->text,
                             chosen->text);
    }
    *out = (tn_joint_axis)axis;
    return true;
}

// Number i of what a gear couples: which joint, by which coordinate.
static bool read_gear_joint(tn_build *build, const sayings *said, int i, tn_scene_joint *out)
{
    const tn_node *name = said->raw->joints->item[i];
    out->gear_joint[i] = tn_build_find_joint(build, name->text);
    if (out->gear_joint[i] < 0) {
        return tn_read_error(&build->reader, name->place, "no joint '%.100s' is said before this gear", name->text);
    }
    if (build->scene->joints[out->gear_joint[i]].kind == TN_JOINT_GEAR) {
        return tn_read_error(&build->reader, name->place, "'%.100s' is a gear: gears couple other joints", name->text);
    }
    const tn_node *chosen = said->raw->coordinates ? said->raw->coordinates->item[i] : NULL;
    if (!tn_build_joint_axis(build, out->gear_joint[i], name, chosen, &out->gear_axis[i])) {
        return false;
    }
    for (int k = 0; k < i; k++) {
        if (out->gear_joint[k] == out->gear_joint[i] && out->gear_axis[k] == out->gear_axis[i]) {
            return tn_read_error(&build->reader, said->raw->joints->place, "a gear couples different coordinates");
        }
    }
    return true;
}

// d is the last coordinate less ratio times each other one.
static bool read_gear_joints(tn_build *build, const sayings *said, tn_scene_joint *out)
{
    const tn_numbers *ratio = &said->raw->ratio;
    int n = out->n_gear = said->raw->joints ? said->raw->joints->n : 0;
    if (n == 0 || ratio->n != n - 1 || (said->raw->coordinates && said->raw->coordinates->n != n)) {
        return tn_read_error(&build->reader, said->node->place,
                             "a gear needs 'joints', for each but the last one a 'ratio' that is not 0, and if it says "
                             "'coordinates' one of each");
    }
    for (int i = 0; i < n; i++) {
        out->gear_factor[i] = i < n - 1 ? -ratio->value[i] : 1.0;
        if (out->gear_factor[i] == 0.0) {
            return tn_read_error(&build->reader, said->node->place, "the 'ratio' of a gear is not 0");
        }
        if (!read_gear_joint(build, said, i, out)) {
            return false;
        }
    }
    return true;
}

// With `slide` or `turn`, whichever the last coordinate is, a gear holds nothing: they act along the difference.
static bool read_gear_drive(tn_build *build, const sayings *said, tn_scene_joint *out)
{
    static const char *const holds[] = {"compliance", "turn_compliance", "stiffness",
                                        "damping",    "turn_stiffness",  "turn_damping"};
    bool turns = out->gear_axis[out->n_gear - 1] >= TN_AXIS_TURN;
    const tn_joint_axis own = turns ? TN_AXIS_TURN : TN_AXIS_SLIDE;
    const char *key = tn_joint_axis_names[own];
    bool driven = tn_node_index(said->own, key) >= 0;
    if (!reject(build, said, tn_joint_axis_names[turns ? TN_AXIS_SLIDE : TN_AXIS_TURN],
                turns ? "is of a length, but the last coordinate is an angle: say 'turn'"
                      : "is of an angle, but the last coordinate is a length: say 'slide'")) {
        return false;
    }
    for (size_t k = 0; driven && k < sizeof holds / sizeof *holds; k++) {
        if (!reject(build, said, holds[k], "is of a gear that holds: this one leaves the difference free")) {
            return false;
        }
    }
    for (int i = 0; i < TN_AXIS_COUNT; i++) {
        const tn_raw_drive *raw = driven && i == (int)own ? said->raw->drive[i] : NULL;
        if (!read_drive(build, raw, false, tn_node_find(said->node, key), &out->drive[i])) {
            return false;
        }
    }
    return out->drive[own].friction_arm == 0.0 ||
           tn_read_error(&build->reader, tn_node_place_of(said->own, key),
                         "the friction of a gear has no 'coefficient': nothing bears on it");
}

static bool read_gear(tn_build *build, const sayings *said, tn_scene_joint *out)
{
    const char *own[] = {"a",      "b",     "where_a", "where_b", "anchor", "point_a", "point_b",  "axis",  "axis2",
                         "length", "round", "pitch",   "radius",  "slide2", "turn2",   "friction", "turned"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (!reject(build, said, own[i], "is not for a gear: it couples joints")) {
            return false;
        }
    }
    out->body_a = out->body_b = -1;
    out->collide = true;
    return read_gear_joints(build, said, out) && read_gear_drive(build, said, out) &&
           (tn_gear_axis(out) < TN_AXIS_COUNT || tn_build_joint_softness(build, said->raw, said->own, said->node, out));
}

static bool read_joint(tn_build *build, const tn_node *key, const tn_node *own, tn_scene_joint *out)
{
    const tn_node *node = tn_build_with_defaults(build, own, build->raw.default_joint);
    tn_raw_joint raw = {0};
    const sayings said = {.raw = &raw, .node = node, .own = own};
    if (!node || !tn_section_read(&build->reader, &tn_section_joint, node, &raw)) {
        return false;
    }
    out->kind = (tn_joint_kind)raw.type;
    out->place = key->place;
    out->name = tn_build_keep_name(build, key->text);
    if (!out->name) {
        return false;
    }
    return out->kind == TN_JOINT_GEAR ? read_gear(build, &said, out) : read_pair_joint(build, &said, out);
}

bool tn_build_joints(tn_build *build)
{
    const tn_node *map = build->raw.joints;
    if (!map || !map->n) {
        return true;
    }
    tn_scene *scene = build->scene;
    const tn_scene_joint *of_rods = scene->joints;
    scene->joints = TN_PUSH(build->reader.storage, tn_scene_joint, (size_t)scene->n_joints + (size_t)map->n);
    if (!scene->joints) {
        return tn_read_no_memory(&build->reader);
    }
    if (scene->n_joints) {
        memcpy(scene->joints, of_rods, (size_t)scene->n_joints * sizeof *of_rods);
    }
    for (int i = 0; i < map->n; i++) {
        if (!tn_build_check_name(build, map->key[i], "a joint") ||
            !read_joint(build, map->key[i], map->item[i], &scene->joints[scene->n_joints])) {
            return false;
        }
        scene->n_joints++;
    }
    return true;
}
