// Sensors of a robot: of a coordinate of a joint, or of a mount on the body that its link is part of.
#include "scene/robot/emit.h"
#include "shape/pose.h"

#include <math.h>

static void put_mount(tn_robot_emitter *emit, tn_node *map, const tn_robot_sensor *sensor, const char **body)
{
    const tn_robot *robot = emit->robot;
    const tn_robot_link *link = sensor->link < 0 ? NULL : &robot->links[sensor->link];
    const tn_robot_link *head = link ? &robot->links[link->body] : NULL;
    const char *name = head ? body[head - robot->links] : NULL;
    tn_pose mount;
    tn_pose_join(&mount, link ? &link->world : &robot->options->pose, &sensor->mount);
    if (name) {
        tn_robot_relative(&mount, &head->world, &mount);
    }
    tn_emit_word(emit, map, "body", name ? name : "world");
    tn_emit_pose(emit, map, &mount);
}

// Coordinates of the scene count from the start.
static void put_scale(tn_robot_emitter *emit, tn_node *map, const tn_robot_sensor *sensor)
{
    double offset = sensor->kind == TN_SENSOR_COORDINATE ? sensor->offset + sensor->scale * sensor->of->start : 0.0;
    if (sensor->scale != 1.0) {
        tn_emit_number(emit, map, "scale", sensor->scale);
    }
    if (offset != 0.0) {
        tn_emit_number(emit, map, "offset", offset);
    }
}

void tn_emit_sensors(tn_robot_emitter *emit, tn_node *sensors, const char **body)
{
    const tn_robot *robot = emit->robot;
    for (int i = 0; i < robot->n_sensors; i++) {
        const tn_robot_sensor *sensor = &robot->sensors[i];
        const tn_robot_joint *joint = sensor->of;
        if (joint && !joint->scene_joint) {
            continue; // of what is fixed
        }
        bool wrench = sensor->kind == TN_SENSOR_FORCE || sensor->kind == TN_SENSOR_TORQUE;
        emit->place = sensor->place;
        tn_node *map = tn_emit_map(emit);
        tn_emit_word(emit, map, "type", tn_sensor_type(sensor->kind));
        if (joint) {
            tn_emit_word(emit, map, "joint", joint->scene_joint);
            tn_emit_word(emit, map, "coordinate", joint->coordinate);
            put_scale(emit, map, sensor);
        } else {
            put_mount(emit, map, sensor, body);
        }
        if (wrench) {
            tn_emit_word(emit, map, "joint", robot->links[robot->links[sensor->link].body].held_by);
        }
        if (sensor->pad[0] > 0.0) {
            tn_emit_numbers(emit, map, "pad", 3, sensor->pad);
        }
        if (isfinite(sensor->reach)) {
            tn_emit_number(emit, map, "reach", sensor->reach);
        }
        if (sensor->noise > 0.0) {
            tn_emit_number(emit, map, "noise", sensor->noise);
        }
        tn_emit_put(emit, sensors, tn_emit_name(emit, sensor->name, "", 0), map);
    }
}
