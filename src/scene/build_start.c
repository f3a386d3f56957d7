// Where joints are at the start (`initial: {joints: ...}`).
#include "base/most.h"
#include "scene/build.h"
#include "scene/joint_class.h"
#include "scene/read_value.h"

#include <string.h>

// One number a coordinate, in its unit.
static bool read_numbers(tn_build *build, const tn_node *node, const char *name, tn_sensor_kind kind,
                         const tn_scene_start *start, const tn_joint_axis *axes, double *out)
{
    bool list = node->kind == TN_NODE_LIST;
    if ((list ? node->n : 1) != start->n) {
        return tn_read_error(&build->reader, node->place, "joint '%.100s' has %d coordinate%s: give %s", name, start->n,
                             start->n == 1 ? "" : "s", start->n == 1 ? "one number" : "a list of so many numbers");
    }
    for (int k = 0; k < start->n && k < TN_JOINT_COORDINATES; k++) {
        const tn_key key = {.name = kind == TN_SENSOR_RATE ? "rate" : "coordinate",
                            .type = TN_KEY_NUMBER,
                            .unit = tn_sensor_dimension(kind, axes[k] >= TN_AXIS_TURN),
                            .low = -TN_MOST,
                            .high = TN_MOST};
        if (!tn_read_value(&build->reader, &key, list ? node->item[k] : node, &out[k])) {
            return false;
        }
    }
    return true;
}

// The free coordinate that a robot's file calls so.
static bool find_called(const tn_build *build, const char *name, tn_scene_start *out)
{
    for (int i = 0; i < build->scene->n_joints; i++) {
        const tn_scene_joint *joint = &build->scene->joints[i];
        const tn_joint_class *of = &tn_joint_classes[joint->kind];
        for (int k = 0; k < of->n_coordinates; k++) {
            const char *called = joint->drive[of->axis[k]].called;
            if (called && strcmp(called, name) == 0) {
                out->joint = i;
                out->first = k;
                out->n = 1;
                return true;
            }
        }
    }
    return false;
}

// Of a joint that has several coordinates and the name of one of them, a list is of all.
static bool find(tn_build *build, const tn_node *name, const tn_raw_start *raw, tn_scene_start *out)
{
    const tn_node *said = raw->coordinate ? raw->coordinate : raw->rate;
    out->joint = tn_build_find_joint(build, name->text);
    out->n = out->joint < 0 ? -1 : tn_joint_rate_count(build->scene->joints[out->joint].kind);
    if (out->n < 0 || (out->n > 1 && said && said->kind != TN_NODE_LIST)) {
        find_called(build, name->text, out);
    }
    if (out->joint < 0) {
        return tn_read_error(&build->reader, name->place, "no joint '%.100s'", name->text);
    }
    return out->n > 0 ||
           tn_read_error(&build->reader, name->place, "joint '%.100s' has no free coordinate of its own", name->text);
}

static bool read_start(tn_build *build, const tn_node *name, const tn_node *node, void *to)
{
    tn_scene_start *out = to;
    tn_raw_start raw = {0};
    *out = (tn_scene_start){.place = name->place};
    if (!tn_section_read(&build->reader, &tn_section_start, node, &raw) || !find(build, name, &raw, out)) {
        return false;
    }
    const tn_joint_kind kind = build->scene->joints[out->joint].kind;
    const tn_joint_axis turns[TN_JOINT_COORDINATES] = {TN_AXIS_TURN, TN_AXIS_TURN, TN_AXIS_TURN};
    const tn_joint_axis *axes = kind == TN_JOINT_SPHERICAL ? turns : tn_joint_classes[kind].axis + out->first;
    out->placed = raw.coordinate != NULL;
    out->moved = raw.rate != NULL;
    return (!raw.coordinate ||
            read_numbers(build, raw.coordinate, name->text, TN_SENSOR_COORDINATE, out, axes, out->coordinate)) &&
           (!raw.rate || read_numbers(build, raw.rate, name->text, TN_SENSOR_RATE, out, axes, out->rate));
}

// Of a joint and of a name of one of its coordinates.
static bool are_said_once(tn_build *build)
{
    const tn_scene *scene = build->scene;
    for (int i = 0; i < scene->n_starts; i++) {
        for (int k = 0; k < i; k++) {
            const tn_scene_start *a = &scene->starts[k], *b = &scene->starts[i];
            bool same = a->joint == b->joint && a->first < b->first + b->n && b->first < a->first + a->n;
            if (same && ((a->placed && b->placed) || (a->moved && b->moved))) {
                return tn_read_error(&build->reader, b->place, "a coordinate of joint '%.100s' is said twice",
                                     scene->joints[b->joint].name);
            }
        }
    }
    return true;
}

bool tn_build_starts(tn_build *build)
{
    tn_scene *scene = build->scene;
    scene->starts = tn_build_named(build, build->raw.starts, NULL, sizeof *scene->starts, read_start, &scene->n_starts);
    return scene->starts && are_said_once(build);
}
