// States as arrays: all bodies, nodes, coordinates at once, read and written.
#include "base/most.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/joint_geometry.h"
#include "shape/pose.h"
#include "state/sleep.h"

#include <math.h>
#include <string.h>

static const double OFF_PLANE = 1e-9; // of planar bodies [m, m/s, rad/s]

void tn_state_get_bodies(const tn_state *state, double *pose, double *velocity)
{
    for (int b = 0; state && b < state->model->n_bodies; b++) {
        if (pose) {
            tn_state_body_pose(state, b, pose + 7 * (size_t)b, pose + 7 * (size_t)b + 3);
        }
        if (velocity) {
            tn_state_body_velocity(state, b, velocity + 6 * (size_t)b, velocity + 6 * (size_t)b + 3);
        }
    }
}

void tn_state_get_nodes(const tn_state *state, double *x, double *v)
{
    size_t n = state ? (size_t)state->model->n_nodes : 0;
    if (x && n > 0) {
        memcpy(x, state->x, 3 * n * sizeof *x);
    }
    for (size_t i = 0; v && i < n; i++) {
        tn_state_node_velocity(state, (int)i, state->v, v + 3 * i);
    }
}

void tn_state_get_coordinates(const tn_state *state, double *coordinate, double *rate)
{
    for (int j = 0; state && j < state->model->n_joints; j++) {
        const tn_model_joint *joint = &state->model->joints[j];
        double q[TN_JOINT_COORDINATES], of_q[TN_JOINT_COORDINATES];
        tn_state_joint(state, j, q, of_q);
        for (int k = 0; k < joint->n_coordinates; k++) {
            int c = joint->first_coordinate + k;
            if (coordinate) {
                coordinate[c] = q[k];
            }
            if (rate) {
                rate[c] = of_q[k];
            }
        }
    }
}

// ---- writing

static tn_status beyond(const char *what, const char *name, double value, tn_error *error)
{
    return tn_error_set(error, TN_BAD_INPUT, "%s of body '%s' has %g: it must be between %g and %g", what, name, value,
                        -TN_MOST, TN_MOST);
}

// Whether the array has a row for the body or node.
static bool takes(const double *array, int width, int row)
{
    return array && !isnan(array[(size_t)width * (size_t)row]);
}

// Principal frame of the body whose own frame is at pose (7).
static void principal_frame(const tn_model_body *body, const double *pose, tn_pose *out)
{
    tn_pose own;
    tn_vec3_copy(own.position, pose);
    memcpy(own.quaternion, pose + 3, sizeof own.quaternion);
    tn_quat_normalize(own.quaternion);
    tn_pose_join(out, &own, &body->principal);
}

// How far a planar body's place and orientation are off its plane [m, rad].
static double off_plane(const tn_state *state, int b, const tn_pose *to)
{
    const double *normal = state->model->bodies[b].plane_axes + 6;
    double way[3], undo[4], turn[4], vector[3], along[3];
    tn_vec3_sub(way, to->position, state->pose[b].position);
    tn_quat_conjugate(undo, state->pose[b].quaternion);
    tn_quat_mul(turn, to->quaternion, undo);
    tn_quat_log(vector, turn);
    tn_vec3_scale(along, tn_vec3_dot(vector, normal), normal);
    tn_vec3_sub(vector, vector, along);
    return fmax(fabs(tn_vec3_dot(way, normal)), tn_vec3_norm(vector));
}

static tn_status check_pose(const tn_state *state, int b, const double *pose, tn_error *error)
{
    const tn_model_body *body = &state->model->bodies[b];
    const char *name = tn_model_body_name(state->model, b);
    const double *q = pose + 3;
    ptrdiff_t i = tn_first_beyond(pose, 7);
    if (i >= 0) {
        return beyond("pose", name, pose[i], error);
    }
    if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0.0)) {
        return tn_error_set(error, TN_BAD_INPUT, "pose of body '%s': its quaternion is zero", name);
    }
    tn_pose to;
    principal_frame(body, pose, &to);
    double off = body->planar ? off_plane(state, b, &to) : 0.0;
    return off <= OFF_PLANE ? TN_OK
                            : tn_error_set(error, TN_BAD_INPUT,
                                           "pose of planar body '%s' is off its plane by %.3g m or rad", name, off);
}

// Velocity of the center of mass, linear and angular (3 each), of the body whose frame moves with the six numbers.
static void center_velocity(const tn_model_body *body, const tn_pose *at, const double *velocity, double out[6])
{
    tn_pose undo, own;
    double arm[3], spin[3];
    tn_pose_undo(&undo, &body->principal);
    tn_pose_join(&own, at, &undo);
    tn_vec3_sub(arm, at->position, own.position);
    tn_vec3_cross(spin, velocity + 3, arm);
    tn_vec3_add(out, velocity, spin);
    tn_vec3_copy(out + 3, velocity + 3);
}

static tn_status check_velocity(const tn_state *state, int b, const double *velocity, tn_error *error)
{
    const tn_model_body *body = &state->model->bodies[b];
    const char *name = tn_model_body_name(state->model, b);
    ptrdiff_t i = tn_first_beyond(velocity, 6);
    if (i >= 0) {
        return beyond("velocity", name, velocity[i], error);
    }
    if (!body->planar) {
        return TN_OK;
    }
    const double *normal = body->plane_axes + 6;
    double spin[3], out = tn_vec3_dot(normal, velocity);
    tn_vec3_scale(spin, -tn_vec3_dot(normal, velocity + 3), normal);
    tn_vec3_add(spin, spin, velocity + 3);
    double off = fmax(fabs(out), tn_vec3_norm(spin));
    return off <= OFF_PLANE
               ? TN_OK
               : tn_error_set(error, TN_BAD_INPUT, "velocity of planar body '%s' is off its plane by %.3g m/s or rad/s",
                              name, off);
}

static void put_velocity(tn_state *state, int b, const double *velocity)
{
    const tn_model_body *body = &state->model->bodies[b];
    double moves[6], *v = state->v + 3 * (size_t)body->block;
    center_velocity(body, &state->pose[b], velocity, moves);
    if (body->planar) {
        const double *axes = body->plane_axes;
        tn_vec3_set(v, tn_vec3_dot(axes, moves), tn_vec3_dot(axes + 3, moves), tn_vec3_dot(axes + 6, moves + 3));
    } else {
        tn_vec3_copy(v, moves);
        tn_quat_rotate_inverse(v + 3, state->pose[b].quaternion, moves + 3);
    }
}

// What follows from places and velocities that are new: the next step starts from these.
static void settle(tn_state *state)
{
    const tn_model *model = state->model;
    size_t n = 3 * (size_t)model->n_blocks;
    tn_state_place_attached(model, state->pose, state->x);
    const tn_joint_sides sides = {state->pose, state->x};
    tn_joints_coordinates(model, &sides, state->joint_coordinate, state->joint_coordinate);
    state->joint_elastic = NAN;
    if (model->n_joint_coordinates > 0) {
        memset(state->joint_bend, 0, (size_t)model->n_joint_coordinates * sizeof *state->joint_bend);
    }
    if (n > 0) {
        memcpy(state->v_hat, state->v, n * sizeof *state->v);
        memcpy(state->v_hat_before, state->v, tn_state_before_size(model) * sizeof *state->v);
    }
}

tn_status tn_state_set_bodies(tn_state *state, const double *pose, const double *velocity, tn_error *error)
{
    if (!state) {
        return tn_error_set(error, TN_BAD_INPUT, "there is no state");
    }
    const tn_model *model = state->model;
    tn_status status = TN_OK;
    for (int b = 0; status == TN_OK && b < model->n_bodies; b++) {
        if (model->bodies[b].n_blocks > 0) {
            status = takes(pose, 7, b) ? check_pose(state, b, pose + 7 * (size_t)b, error) : TN_OK;
            bool moved = status == TN_OK && takes(velocity, 6, b);
            status = moved ? check_velocity(state, b, velocity + 6 * (size_t)b, error) : status;
        }
    }
    status = status == TN_OK ? tn_state_wake(state, -1, error) : status;
    for (int b = 0; status == TN_OK && b < model->n_bodies; b++) {
        if (model->bodies[b].n_blocks == 0) {
            continue;
        }
        double kept[6]; // of a body that is moved without a new velocity: that of its frame, in the world
        tn_state_body_velocity(state, b, kept, kept + 3);
        if (takes(pose, 7, b)) {
            principal_frame(&model->bodies[b], pose + 7 * (size_t)b, &state->pose[b]);
            put_velocity(state, b, kept);
        }
        if (takes(velocity, 6, b)) {
            put_velocity(state, b, velocity + 6 * (size_t)b);
        }
    }
    if (status == TN_OK) {
        settle(state);
    }
    return status;
}

static tn_status check_nodes(const tn_state *state, const double *array, const char *what, tn_error *error)
{
    const tn_model *model = state->model;
    for (int i = 0; array && i < model->n_nodes; i++) {
        ptrdiff_t k = takes(array, 3, i) ? tn_first_beyond(array + 3 * (size_t)i, 3) : -1;
        if (k >= 0) {
            const tn_model_soft *soft = &model->softs[model->node_soft[i]];
            return tn_error_set(error, TN_BAD_INPUT,
                                "%s of node %d of soft body '%s' has %g: it must be between %g and %g", what,
                                i - soft->first_node, soft->name, array[3 * (size_t)i + (size_t)k], -TN_MOST, TN_MOST);
        }
    }
    return TN_OK;
}

tn_status tn_state_set_nodes(tn_state *state, const double *x, const double *v, tn_error *error)
{
    if (!state) {
        return tn_error_set(error, TN_BAD_INPUT, "there is no state");
    }
    const tn_model *model = state->model;
    tn_status status = check_nodes(state, x, "place", error);
    status = status == TN_OK ? check_nodes(state, v, "velocity", error) : status;
    for (int i = 0; status == TN_OK && i < model->n_nodes; i++) {
        int block = model->nodes[i].block;
        if (block >= 0 && takes(x, 3, i)) {
            tn_vec3_copy(state->x + 3 * (size_t)i, x + 3 * (size_t)i);
        }
        if (block >= 0 && takes(v, 3, i)) {
            tn_vec3_copy(state->v + 3 * (size_t)block, v + 3 * (size_t)i);
        }
    }
    if (status == TN_OK) {
        settle(state);
    }
    return status;
}
