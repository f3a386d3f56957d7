// Named frames of bodies; sensors: of a joint, or of a mount on a body.
#include "base/most.h"
#include "math/vec3.h"
#include "scene/build.h"
#include "scene/read_value.h"

#include <math.h>

// Which keys a kind has a use for.
typedef struct uses {
    bool joint, coordinate, body, pad, reach, seen, bodies;
} uses;

static uses uses_of(tn_sensor_kind kind)
{
    bool wrench = kind == TN_SENSOR_FORCE || kind == TN_SENSOR_TORQUE, contact = kind == TN_SENSOR_CONTACT_FORCE;
    bool coordinate = kind <= TN_SENSOR_EFFORT, bodies = kind >= TN_SENSOR_CENTER;
    return (uses){.joint = coordinate || wrench,
                  .coordinate = coordinate,
                  .body = !coordinate && !bodies,
                  .pad = contact || kind == TN_SENSOR_TOUCH,
                  .reach = kind == TN_SENSOR_RANGE,
                  .seen = kind >= TN_SENSOR_POSITION && kind <= TN_SENSOR_ANGULAR_VELOCITY,
                  .bodies = bodies};
}

static bool reject(tn_build *build, const tn_node *node, const char *key, tn_sensor_kind kind)
{
    return tn_node_index(node, key) < 0 ||
           tn_read_error(&build->reader, tn_node_place_of(node, key), "'%s' takes no part in a sensor of type '%s'",
                         key, tn_sensor_type(kind));
}

static bool check_keys(tn_build *build, const tn_node *node, tn_sensor_kind kind)
{
    uses use = uses_of(kind);
    return (use.joint || reject(build, node, "joint", kind)) &&
           (use.coordinate || (reject(build, node, "coordinate", kind) && reject(build, node, "scale", kind) &&
                               reject(build, node, "offset", kind))) &&
           (use.body || (reject(build, node, "body", kind) && reject(build, node, "position", kind) &&
                         reject(build, node, "rotation", kind))) &&
           (use.pad || reject(build, node, "pad", kind)) && (use.reach || reject(build, node, "reach", kind)) &&
           (use.seen || reject(build, node, "seen_from", kind)) &&
           (use.bodies || reject(build, node, "bodies", kind)) &&
           (kind != TN_SENSOR_ORIENTATION || reject(build, node, "noise", kind));
}

static bool find_joint(tn_build *build, const tn_raw_sensor *raw, const tn_node *node, tn_scene_sensor *out)
{
    if (!raw->joint) {
        return tn_read_error(&build->reader, node->place, "a sensor of type '%s' needs a 'joint'",
                             tn_sensor_type(out->kind));
    }
    out->joint = tn_build_find_joint(build, raw->joint->text);
    if (out->joint < 0) {
        return tn_read_error(&build->reader, raw->joint->place, "no joint '%.100s'", raw->joint->text);
    }
    if (uses_of(out->kind).coordinate) {
        return tn_build_joint_axis(build, out->joint, raw->joint, raw->coordinate, &out->axis);
    }
    return build->scene->joints[out->joint].kind != TN_JOINT_GEAR ||
           tn_read_error(&build->reader, raw->joint->place, "a gear bears no force at a point");
}

static bool find_mount(tn_build *build, const tn_raw_sensor *raw, const tn_node *node, tn_scene_sensor *out)
{
    tn_vec3_copy(out->mount.position, raw->position);
    out->mounted = raw->body != NULL;
    if (!raw->body && !uses_of(out->kind).joint) {
        return tn_read_error(&build->reader, node->place, "a sensor of type '%s' needs a 'body'",
                             tn_sensor_type(out->kind));
    }
    if (!raw->body && (tn_node_index(node, "position") >= 0 || tn_node_index(node, "rotation") >= 0)) {
        return tn_read_error(&build->reader, node->place, "'position' and 'rotation' need a 'body'");
    }
    return tn_build_find_body(build, raw->body, &out->body) &&
           tn_build_rotation(build, raw->rotation, tn_node_place_of(node, "rotation"), out->mount.quaternion);
}

static bool read_frame(tn_build *build, const tn_node *key, const tn_node *node, void *to)
{
    tn_scene_frame *out = to;
    tn_raw_mount raw = {0};
    if (!tn_section_read(&build->reader, &tn_section_frame, node, &raw)) {
        return false;
    }
    *out = (tn_scene_frame){.name = tn_build_keep_name(build, key->text)};
    tn_vec3_copy(out->pose.position, raw.position);
    return out->name && tn_build_find_body(build, raw.body, &out->body) &&
           tn_build_rotation(build, raw.rotation, tn_node_place_of(node, "rotation"), out->pose.quaternion);
}

bool tn_build_frames(tn_build *build)
{
    tn_scene *scene = build->scene;
    scene->frames =
        tn_build_named(build, build->raw.frames, "a frame", sizeof *scene->frames, read_frame, &scene->n_frames);
    return scene->frames != NULL;
}

// From where its mount is seen.
static bool find_seer(tn_build *build, const tn_raw_mount *raw, const tn_node *node, tn_scene_sensor *out)
{
    out->seen = raw != NULL;
    if (!raw) {
        return true;
    }
    tn_vec3_copy(out->seen_mount.position, raw->position);
    return tn_build_find_body(build, raw->body, &out->seen_body) &&
           tn_build_rotation(build, raw->rotation, tn_node_place_of(node, "seen_from"), out->seen_mount.quaternion);
}

static bool find_bodies(tn_build *build, const tn_node *list, const tn_node *node, tn_scene_sensor *out)
{
    if (!list) {
        return tn_read_error(&build->reader, node->place, "a sensor of type '%s' needs 'bodies'",
                             tn_sensor_type(out->kind));
    }
    out->bodies = TN_PUSH(build->reader.storage, int, list->n);
    if (!out->bodies) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < list->n; i++) {
        const tn_node *name = list->item[i];
        int id = -1;
        if (!tn_build_find_body(build, name, &id)) {
            return false;
        }
        if (id < 0 || build->scene->bodies[id].kind != TN_BODY_FREE) {
            return tn_read_error(&build->reader, name->place, "'%.100s' does not move freely", name->text);
        }
        out->bodies[out->n_bodies++] = id;
    }
    return true;
}

// A number in the unit of what the sensor reads.
static bool read_measure(tn_build *build, const char *name, const tn_node *node, double low, const tn_scene_sensor *of,
                         double *out)
{
    const tn_key key = {.name = name,
                        .type = TN_KEY_NUMBER,
                        .unit = tn_sensor_dimension(of->kind, of->axis >= TN_AXIS_TURN),
                        .low = low,
                        .high = TN_MOST};
    return !node || tn_read_value(&build->reader, &key, node, out);
}

static bool read_sensor(tn_build *build, const tn_node *key, const tn_node *node, void *to)
{
    tn_scene_sensor *out = to;
    tn_raw_sensor raw = {0};
    if (!tn_section_read(&build->reader, &tn_section_sensor, node, &raw)) {
        return false;
    }
    *out = (tn_scene_sensor){.kind = (tn_sensor_kind)raw.type,
                             .name = tn_build_keep_name(build, key->text),
                             .joint = -1,
                             .body = -1,
                             .reach = raw.reach,
                             .scale = raw.scale,
                             .mount = {.quaternion = {1.0, 0.0, 0.0, 0.0}},
                             .place = key->place};
    for (int k = 0; k < 3; k++) {
        out->pad[k] = isnan(raw.pad[k]) ? 0.0 : 0.5 * raw.pad[k];
    }
    uses use = uses_of(out->kind);
    return out->name && check_keys(build, node, out->kind) && (!use.joint || find_joint(build, &raw, node, out)) &&
           (!use.body || find_mount(build, &raw, node, out)) && find_seer(build, raw.seen_from, node, out) &&
           (!use.bodies || find_bodies(build, raw.bodies, node, out)) &&
           read_measure(build, "offset", raw.offset, -TN_MOST, out, &out->offset) &&
           read_measure(build, "noise", raw.noise, 0.0, out, &out->noise);
}

bool tn_build_sensors(tn_build *build)
{
    tn_scene *scene = build->scene;
    scene->sensors =
        tn_build_named(build, build->raw.sensors, "a sensor", sizeof *scene->sensors, read_sensor, &scene->n_sensors);
    return scene->sensors != NULL;
}
