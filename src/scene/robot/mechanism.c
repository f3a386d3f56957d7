// The pieces that readers fill, with their defaults, and poses one after another.
#include "scene/robot/mechanism.h"

#include "math/quat.h"
#include "math/vec3.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tn_robot_options tn_robot_default(void)
{
    return (tn_robot_options){.pose = {.quaternion = {1.0, 0.0, 0.0, 0.0}}, .prefix = ""};
}

tn_robot_joint tn_robot_joint_default(void)
{
    return (tn_robot_joint){.name = "",
                            .low = -INFINITY,
                            .high = INFINITY,
                            .limit_stiffness = INFINITY,
                            .axis = {0.0, 0.0, 1.0},
                            .strength = INFINITY,
                            .strength_most = INFINITY,
                            .start_pose = {[3] = 1.0}};
}

bool tn_robot_reserve(tn_robot *robot, int links, int joints, int geoms, int couplings, int ties)
{
    tn_arena *arena = robot->reader->scratch;
    robot->links = TN_PUSH(arena, tn_robot_link, links);
    robot->joints = TN_PUSH(arena, tn_robot_joint, joints);
    robot->geoms = TN_PUSH(arena, tn_robot_geom, geoms);
    robot->couplings = TN_PUSH(arena, tn_robot_coupling, couplings);
    robot->ties = TN_PUSH(arena, tn_robot_tie, ties);
    return (robot->links && robot->joints && robot->geoms && robot->couplings && robot->ties) ||
           tn_read_no_memory(robot->reader);
}

tn_robot_surface tn_robot_surface_between(const tn_robot_surface *a, const tn_robot_surface *b)
{
    const tn_robot_surface *first = a->priority > b->priority ? a : b, *other = a->priority == b->priority ? a : first;
    return (tn_robot_surface){.mu = fmax(first->mu, other->mu),
                              .torsion = fmax(first->torsion, other->torsion),
                              .rolling = fmax(first->rolling, other->rolling),
                              .condim = first->condim > other->condim ? first->condim : other->condim};
}

bool tn_robot_add_meeting(tn_robot *robot, const tn_robot_meeting *meeting)
{
    if (robot->n_meetings == robot->meeting_capacity) {
        int capacity = 2 * robot->meeting_capacity + 16;
        tn_robot_meeting *grown = TN_PUSH(robot->reader->scratch, tn_robot_meeting, capacity);
        if (!grown) {
            return tn_read_no_memory(robot->reader);
        }
        if (robot->n_meetings) {
            memcpy(grown, robot->meetings, (size_t)robot->n_meetings * sizeof *grown);
        }
        robot->meetings = grown;
        robot->meeting_capacity = capacity;
    }
    robot->meetings[robot->n_meetings++] = *meeting;
    return true;
}

static int own_of(tn_robot *robot, int link)
{
    tn_robot_link *of = &robot->links[link];
    of->own = of->own ? of->own : ++robot->n_own;
    return of->own;
}

bool tn_robot_part(tn_robot *robot, int a, int b, tn_place place)
{
    const tn_robot_meeting apart = {.own = {own_of(robot, a), own_of(robot, b)}, .place = place};
    return tn_robot_add_meeting(robot, &apart);
}

const char *tn_robot_text(tn_reader *reader, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    char *text = length < 0 ? NULL : tn_arena_push(reader->scratch, (size_t)length + 1, 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
    } else {
        tn_read_no_memory(reader);
    }
    va_end(again);
    va_end(list);
    return text;
}

void tn_robot_relative(tn_pose *pose, const tn_pose *frame, const tn_pose *of)
{
    double back[4], way[3];
    tn_quat_conjugate(back, frame->quaternion);
    tn_vec3_sub(way, of->position, frame->position);
    tn_quat_rotate(pose->position, back, way);
    tn_quat_mul(pose->quaternion, back, of->quaternion);
    tn_quat_normalize(pose->quaternion);
}
