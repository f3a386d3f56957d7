// Named frames and sensors of a robot: of a coordinate of a joint, or of a mount on the body that its link is part of.
#include "scene/robot/emit.h"
#include "shape/pose.h"

#include <math.h>

static void put_mount(tn_robot_emitter *emit, tn_node *map, int number, const tn_pose *pose, const char **body)
{
    const tn_robot *robot = emit->robot;
    const tn_robot_link *link = number < 0 ? NULL : &robot->links[number];
    const tn_robot_link *head = link ? &robot->links[link->body] : NULL;
    const char *name = head ? body[head - robot->links] : NULL;
    tn_pose mount;
    tn_pose_join(&mount, link ? &link->world : &robot->options->pose, pose);
    if (name) {
        tn_robot_relative(&mount, &head->world, &mount);
    }
    tn_emit_word(emit, map, "body", name ? name : "world");
    tn_emit_pose(emit, map, &mount);
}

static void put_frame(tn_robot_emitter *emit, tn_node *frames, const char *name, tn_place place, int link,
                      const tn_pose *pose, const char **body)
{
    emit->place = place;
    tn_node *map = tn_emit_map(emit);
    put_mount(emit, map, link, pose, body);
    tn_emit_put(emit, frames, tn_emit_free_name(emit, frames, name), map);
}

tn_node *tn_emit_frames(tn_robot_emitter *emit, const char **body)
{
    const tn_robot *robot = emit->robot;
    const tn_pose own = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
    tn_node *frames = tn_emit_map(emit);
    for (int i = 0; i < robot->n_links; i++) {
        const tn_robot_link *link = &robot->links[i];
        if (!body[i] && !link->ground) {
            put_frame(emit, frames, link->name, link->place, i, &own, body);
        }
    }
    for (int i = 0; i < robot->n_sites; i++) {
        const tn_robot_site *site = &robot->sites[i];
        put_frame(emit, frames, site->name, site->place, site->link, &site->pose, body);
    }
    return frames;
}

// The bodies, with the frames in their chains, that hang on the sensor's link.
static void put_bodies(tn_robot_emitter *emit, tn_node *map, const tn_robot_sensor *sensor, const char **body)
{
    const tn_robot *robot = emit->robot;
    const char **list = TN_PUSH(robot->reader->scratch, const char *, robot->n_links + robot->n_joints);
    int n_list = 0;
    emit->failed = emit->failed || !list;
    for (int i = 0; i < robot->n_links && list; i++) {
        tn_robot_group group[TN_ROBOT_CHAIN_MAX];
        if (!body[i] || robot->links[i].fixed || !tn_robot_hangs_on(robot, i, sensor->link)) {
            continue;
        }
        list[n_list++] = body[i];
        for (int g = tn_robot_groups(robot, &robot->links[i], group) - 1; g > 0; g--) {
            list[n_list++] = tn_emit_name(emit, robot->links[i].name, "-frame", g);
        }
    }
    tn_emit_names(emit, map, "bodies", n_list, list);
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
        } else if (sensor->kind >= TN_SENSOR_CENTER) {
            put_bodies(emit, map, sensor, body);
        } else {
            put_mount(emit, map, sensor->link, &sensor->mount, body);
        }
        if (sensor->seen) {
            tn_node *from = tn_emit_map(emit);
            put_mount(emit, from, sensor->seen_link, &sensor->seen_mount, body);
            tn_emit_put(emit, map, "seen_from", from);
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
