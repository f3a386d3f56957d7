#include "discretize/joint_armature.h"

#include "math/quat.h"
#include "math/vec3.h"
#include "model/motion.h"
#include "model/rigid.h"

#include <string.h>

static double armature_of(const tn_model_joint *joint, int k)
{
    return joint->description->drive[joint->axis[k]].armature;
}

// Where a kinematic body was: as its motion says; at the start, and where an input moves it, as it will go on.
static void go_back_as_said(const tn_model_body *body, double t, double h, tn_pose *pose)
{
    if (t > 0.5 * h && !body->given) {
        tn_motion_pose(body, t - h, pose);
        return;
    }
    tn_pose next;
    double undo[4];
    tn_motion_pose(body, t + h, &next);
    tn_vec3_sub(next.position, next.position, pose->position);
    tn_vec3_sub(pose->position, pose->position, next.position);
    tn_quat_conjugate(undo, next.quaternion);
    tn_quat_mul(undo, undo, pose->quaternion);
    tn_quat_mul(pose->quaternion, pose->quaternion, undo);
}

// The bodies a step before, and the velocities by which they have come from there.
static void go_back(const tn_model *model, const tn_state *state, double h, tn_pose *poses, double *x, double *v)
{
    memcpy(v, state->v, 3 * (size_t)model->n_blocks * sizeof *v);
    tn_joint_move_nodes(model, state->x, v, -h, x);
    memcpy(poses, state->pose, (size_t)model->n_bodies * sizeof *poses);
    for (int k = 0; k < model->n_movers; k++) {
        int b = model->mover[k];
        const tn_model_body *body = &model->bodies[b];
        if (body->kind == TN_BODY_KINEMATIC) {
            go_back_as_said(body, state->time, h, &poses[b]);
        } else if (body->n_blocks > 0) {
            double turn[4];
            tn_body_advance(body, v + 3 * (size_t)body->block, -h, &poses[b], turn);
            tn_body_carry(body, turn, v + 3 * (size_t)body->block);
        }
    }
}

static bool has_armature(const tn_model_joint *joint)
{
    bool any = false;
    for (int k = 0; k < joint->n_coordinates; k++) {
        any = any || armature_of(joint, k) > 0.0;
    }
    return any;
}

// Spin of a body that is free or does not move, world axes.
static void spin_of(const tn_model *model, int body, const tn_pose *poses, const double *v, double out[3])
{
    const tn_model_body *b = &model->bodies[body];
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    if (b->n_blocks == 2) {
        tn_quat_rotate(out, poses[body].quaternion, v + 3 * (size_t)b->block + 3);
    }
}

static bool spins_freely(const tn_model *model, int body, int set)
{
    return set < 0 && model->bodies[body].n_blocks != 1 && model->bodies[body].kind != TN_BODY_KINEMATIC;
}

// Whether all that the joint leaves free is turns, between such bodies.
static bool turns_alone(const tn_model *model, const tn_model_joint *joint)
{
    bool turns = joint->kind != TN_JOINT_GEAR && // which is between no bodies
                 spins_freely(model, joint->body_a, joint->set_a) && spins_freely(model, joint->body_b, joint->set_b);
    for (int k = 0; k < joint->n_coordinates; k++) {
        turns = turns && (joint->axis[k] == TN_AXIS_TURN || joint->axis[k] == TN_AXIS_TURN2);
    }
    return turns;
}

// The rates of such a joint, without all else that its geometry is.
static void turn_rates(const tn_model *model, const tn_model_joint *joint, const tn_pose *poses, const double *v,
                       double *out)
{
    const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0};
    double axis[3], spin_a[3], spin[3];
    spin_of(model, joint->body_a, poses, v, spin_a);
    spin_of(model, joint->body_b, poses, v, spin);
    tn_vec3_sub(spin, spin, spin_a);
    for (int k = 0; k < joint->n_coordinates; k++) {
        bool first = joint->axis[k] == TN_AXIS_TURN; // of a; else the second one of b
        tn_quat_rotate(axis, (first ? joint->frame_a : joint->frame_b).quaternion, first ? x : y);
        tn_quat_rotate(axis, poses[first ? joint->body_a : joint->body_b].quaternion, axis);
        out[k] = tn_vec3_dot(axis, spin);
    }
}

// Of a joint's coordinates, their rates at sides and v over [t, t + h]; h = 0: at t.
static void find_rates(const tn_model *model, const tn_model_joint *joint, const tn_joint_sides *sides, const double *v,
                       double t, double h, double *out)
{
    if (turns_alone(model, joint)) {
        turn_rates(model, joint, sides->poses, v, out);
    } else {
        tn_joint_rates(model, joint, sides, v, t, h, out);
    }
}

tn_status tn_joint_rates_before(const tn_model *model, const tn_state *state, double h, tn_arena *arena, double *out)
{
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_pose *poses = TN_PUSH_RAW(arena, tn_pose, model->n_bodies);
    double *x = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_nodes);
    double *v = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_blocks);
    double t = state->time > 0.5 * h ? state->time - h : state->time;
    if (!poses || !x || !v) {
        return TN_NO_MEMORY;
    }
    go_back(model, state, h, poses, x, v);
    for (int j = 0; j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        if (has_armature(joint)) {
            find_rates(model, joint, &(tn_joint_sides){poses, x}, v, t, h, out + joint->first_coordinate);
        }
    }
    tn_arena_release(arena, mark);
    return TN_OK;
}

double tn_joint_armature_energy(const tn_model *model, const tn_joint_sides *sides, const double *v, double t)
{
    double energy = 0.0;
    for (int j = 0; model->any_armature && j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        double rate[TN_JOINT_COORDINATES];
        if (!has_armature(joint)) {
            continue;
        }
        find_rates(model, joint, sides, v, t, 0.0, rate);
        for (int k = 0; k < joint->n_coordinates; k++) {
            energy += 0.5 * armature_of(joint, k) * rate[k] * rate[k];
        }
    }
    return energy;
}
