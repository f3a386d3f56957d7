// Forward kinematics of the start: poses and velocities of links, anchors and axes of joints in the world, and which
// links are one body.
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/robot/mechanism.h"
#include "shape/pose.h"

#include <string.h>

// The link's origin is elsewhere: a turning link has another velocity there.
static void move_origin(tn_robot_link *link, const double to[3])
{
    double way[3], carried[3];
    tn_vec3_sub(way, to, link->world.position);
    tn_vec3_cross(carried, link->spin, way);
    tn_vec3_add(link->velocity, link->velocity, carried);
    tn_vec3_copy(link->world.position, to);
}

// The link turns by `turn` (world) about the joint's anchor.
static void turn_link(tn_robot_link *link, const double anchor[3], const double turn[4])
{
    double arm[3], turned[3];
    tn_vec3_sub(arm, link->world.position, anchor);
    tn_quat_rotate(turned, turn, arm);
    tn_vec3_add(turned, anchor, turned);
    move_origin(link, turned);
    tn_quat_mul(link->world.quaternion, turn, link->world.quaternion);
    tn_quat_normalize(link->world.quaternion);
}

// The link gets the rate of the joint times `part`.
static void add_rate(tn_robot_link *link, const tn_robot_joint *joint, double part)
{
    double arm[3], more[3];
    tn_vec3_sub(arm, link->world.position, joint->world_anchor);
    tn_vec3_cross(more, joint->world_spin, arm);
    tn_vec3_madd(link->velocity, link->velocity, part, more);
    tn_vec3_madd(link->spin, link->spin, part, joint->world_spin);
    if (joint->freedom == TN_ROBOT_SLIDE) {
        tn_vec3_madd(link->velocity, link->velocity, part * joint->rate, joint->world_axis);
    }
}

static void move_by_hinge(tn_robot_link *link, tn_robot_joint *joint)
{
    double turn[4];
    tn_quat_from_axis_angle(turn, joint->world_axis, joint->start - joint->zero);
    if (joint->start != joint->zero) {
        turn_link(link, joint->world_anchor, turn);
    }
    tn_vec3_scale(joint->world_spin, joint->rate, joint->world_axis);
    add_rate(link, joint, 1.0);
}

static void move_by_slide(tn_robot_link *link, tn_robot_joint *joint)
{
    double along = joint->start - joint->zero, to[3];
    tn_vec3_madd(to, link->world.position, along, joint->world_axis);
    move_origin(link, to);
    tn_vec3_madd(joint->world_anchor, joint->world_anchor, along, joint->world_axis);
    add_rate(link, joint, 1.0);
}

// The quaternion is of the link relative to its place at zero, in its own axes there.
static void move_by_ball(tn_robot_link *link, tn_robot_joint *joint)
{
    double turn[4], back[4];
    tn_quat_mul(turn, link->world.quaternion, joint->start_pose + 3);
    tn_quat_conjugate(back, link->world.quaternion);
    tn_quat_mul(turn, turn, back);
    tn_quat_normalize(turn);
    turn_link(link, joint->world_anchor, turn);
    tn_quat_rotate(joint->world_spin, link->world.quaternion, joint->start_rates + 3);
    add_rate(link, joint, 1.0);
}

static void move_freely(tn_robot *robot, tn_robot_link *link, const tn_robot_joint *joint)
{
    tn_pose place;
    if (link->parent >= 0) {
        return; // it starts at its place on the parent
    }
    memcpy(place.position, joint->start_pose, sizeof place.position);
    memcpy(place.quaternion, joint->start_pose + 3, sizeof place.quaternion);
    tn_pose_join(&link->world, &robot->options->pose, &place);
    tn_quat_rotate(link->velocity, robot->options->pose.quaternion, joint->start_rates);
    tn_quat_rotate(link->spin, link->world.quaternion, joint->start_rates + 3);
}

static void start_link(tn_robot *robot, tn_robot_link *link)
{
    const tn_robot_link *parent = link->parent < 0 ? NULL : &robot->links[link->parent];
    memset(link->velocity, 0, sizeof link->velocity);
    memset(link->spin, 0, sizeof link->spin);
    tn_pose_join(&link->world, parent ? &parent->world : &robot->options->pose, &link->pose);
    if (parent) {
        double arm[3], carried[3];
        tn_vec3_sub(arm, link->world.position, parent->world.position);
        tn_vec3_cross(carried, parent->spin, arm);
        tn_vec3_add(link->velocity, parent->velocity, carried);
        tn_vec3_copy(link->spin, parent->spin);
    }
    for (int k = 0; k < link->n_joints; k++) {
        tn_robot_joint *joint = &robot->joints[link->first_joint + k];
        double turn[4];
        tn_quat_conjugate(turn, link->world.quaternion);
        tn_pose_point(joint->world_anchor, &link->world, joint->anchor);
        tn_quat_rotate(joint->world_axis, link->world.quaternion, joint->axis);
        switch (joint->freedom) {
        case TN_ROBOT_FREE:
            move_freely(robot, link, joint);
            break;
        case TN_ROBOT_BALL:
            move_by_ball(link, joint);
            break;
        case TN_ROBOT_HINGE:
            move_by_hinge(link, joint);
            break;
        case TN_ROBOT_SLIDE:
            move_by_slide(link, joint);
            break;
        }
        tn_quat_mul(turn, link->world.quaternion, turn);
        tn_quat_log(joint->world_turn, turn);
    }
}

double tn_robot_distance(const tn_robot *robot, const tn_robot_tie *ends)
{
    double a[3], b[3], way[3];
    tn_pose_point(a, ends->link_a < 0 ? &robot->options->pose : &robot->links[ends->link_a].world, ends->point_a);
    tn_pose_point(b, ends->link_b < 0 ? &robot->options->pose : &robot->links[ends->link_b].world, ends->point_b);
    tn_vec3_sub(way, b, a);
    if (ends->round) {
        tn_pose at_a, at_b = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
        tn_vec3_copy(at_b.position, b);
        tn_robot_relative(&at_a, ends->link_a < 0 ? &robot->options->pose : &robot->links[ends->link_a].world, &at_b);
        return tn_drum_way(&ends->drum, ends->point_a, at_a.position, way);
    }
    return tn_vec3_norm(way);
}

double tn_robot_tendon_length(const tn_robot *robot, const tn_robot_tendon *tendon)
{
    double sum = 0.0;
    for (int k = 0; k < tendon->n; k++) {
        const tn_robot_term *term = &tendon->term[k];
        double own = term->joint < 0 ? tn_robot_distance(robot, &term->ends) : robot->joints[term->joint].start;
        sum += term->coefficient / tendon->term[tendon->n - 1].coefficient * own;
    }
    return sum;
}

tn_robot_link tn_robot_link_behind(const tn_robot *robot, const tn_robot_link *link, int n)
{
    tn_robot_link frame = *link;
    for (int k = n; k < link->n_joints; k++) {
        add_rate(&frame, &robot->joints[link->first_joint + k], -1.0);
    }
    return frame;
}

bool tn_robot_stands(const tn_robot *robot, int link)
{
    return link < 0 || (robot->links[link].fixed && !robot->links[robot->links[link].body].mocap);
}

bool tn_robot_hangs_on(const tn_robot *robot, int link, int on)
{
    while (link >= 0 && link != on) {
        link = robot->links[link].parent;
    }
    return link == on;
}

void tn_robot_start(tn_robot *robot)
{
    for (int i = 0; i < robot->n_links; i++) {
        tn_robot_link *link = &robot->links[i];
        bool held =
            link->n_joints == 1 && robot->options->fixed && robot->joints[link->first_joint].freedom == TN_ROBOT_FREE;
        start_link(robot, link);
        link->n_joints = held ? 0 : link->n_joints;
        link->fixed = link->n_joints == 0 && (link->parent < 0 || robot->links[link->parent].fixed);
        link->apart = link->apart && link->n_joints == 0 && !link->fixed;
        bool own = link->n_joints > 0 || link->apart || tn_robot_stands(robot, link->parent);
        link->body = own ? i : robot->links[link->parent].body;
        if (link->fixed) {
            memset(link->velocity, 0, sizeof link->velocity);
            memset(link->spin, 0, sizeof link->spin);
        }
    }
}
