// Jacobians of a point of a rigid body: of its own velocity, and of the joints' coordinates along its chain.
#include "base/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "model/joint_geometry.h"
#include "query/query.h"
#include "scene/joint_class.h"
#include "shape/pose.h"

#include <string.h>

static tn_status check(const tn_state *state, int body, const double *point, const double *out, tn_error *error)
{
    bool ok = state && point && out && body >= 0 && body < state->model->n_bodies && isfinite(point[0]) &&
              isfinite(point[1]) && isfinite(point[2]);
    return ok ? TN_OK
              : tn_error_set(error, TN_BAD_INPUT, "Jacobian of a point of body %d: no state, arrays or such rigid body",
                             body);
}

// The point from the origin of the body's own frame, world axes, and in the world.
static void place(const tn_state *state, int body, const double point[3], double arm[3], double world[3])
{
    tn_pose own;
    tn_state_body_pose(state, body, own.position, own.quaternion);
    tn_pose_point(world, &own, point);
    tn_vec3_sub(arm, world, own.position);
}

tn_status tn_state_point_jacobian(const tn_state *state, int body, const double point[3], double out[36],
                                  tn_error *error)
{
    tn_status status = check(state, body, point, out, error);
    if (status != TN_OK) {
        return status;
    }
    double arm[3], world[3], skew[9];
    place(state, body, point, arm, world);
    tn_mat3_skew(skew, arm);
    memset(out, 0, 36 * sizeof *out);
    for (int i = 0; i < 3; i++) {
        out[7 * i] = out[7 * (3 + i)] = 1.0;
        for (int k = 0; k < 3; k++) {
            out[6 * i + 3 + k] = -skew[3 * i + k]; // omega x arm
        }
    }
    return TN_OK;
}

// ---- joints

typedef struct chain {
    const tn_state *state;
    double point[3]; // world [m]
    double *out;     // (6, n)
    bool *passed;    // (n_bodies)
    int found;       // chains that lead to something that does not move
} chain;

// Whether its coordinates are all its freedom.
static bool is_covered(const tn_model_joint *joint)
{
    const tn_joint_class *c = &tn_joint_classes[joint->kind];
    return c->complete && c->tie == TN_TIE_NONE && joint->kind != TN_JOINT_SPHERICAL;
}

// How the point moves with coordinate k of the joint, of the body on this side of it.
static void add_column(const chain *c, const tn_model_joint *joint, const tn_joint_geometry *at, int k, double side)
{
    const tn_joint_motion *motion = &at->coordinate[k];
    size_t n = (size_t)c->state->model->n_joint_coordinates, column = (size_t)joint->first_coordinate + (size_t)k;
    double linear[3], angular[3] = {0.0, 0.0, 0.0}, arm[3];
    if (motion->turn) {
        tn_vec3_scale(angular, side, motion->direction);
        tn_vec3_sub(arm, c->point, at->point_b);
        tn_vec3_cross(linear, angular, arm);
    } else {
        tn_vec3_scale(linear, side, motion->direction);
    }
    for (size_t i = 0; i < 3; i++) {
        c->out[i * n + column] = linear[i];
        c->out[(3 + i) * n + column] = angular[i];
    }
}

static tn_status follow(chain *c, int body, const tn_model_joint *from, tn_error *error);

// Through the joint from body to what is beyond; its columns count where a chain leads on from there.
static tn_status cross(chain *c, const tn_model_joint *joint, int body, tn_error *error)
{
    const tn_model *model = c->state->model;
    int beyond = joint->body_a == body ? joint->body_b : joint->body_a, before = c->found;
    if (c->passed[beyond]) {
        return tn_error_set(error, TN_BAD_INPUT, "joint '%s' closes a loop: there is no one chain of joints",
                            joint->name);
    }
    tn_status status = follow(c, beyond, joint, error);
    if (status != TN_OK || c->found == before) {
        return status;
    }
    if (!is_covered(joint)) {
        return tn_error_set(error, TN_BAD_INPUT, "joint '%s' is in the chain: its coordinates do not tell how it moves",
                            joint->name);
    }
    tn_joint_geometry at;
    tn_joint_look_at(model, joint, &(tn_joint_sides){c->state->pose, c->state->x}, &at);
    for (int k = 0; k < joint->n_coordinates; k++) {
        add_column(c, joint, &at, k, joint->body_b == body ? 1.0 : -1.0);
    }
    return TN_OK;
}

// All ways from the body, to which the joint `from` has led, to what does not move.
static tn_status follow(chain *c, int body, const tn_model_joint *from, tn_error *error)
{
    const tn_model *model = c->state->model;
    if (model->bodies[body].n_blocks == 0) {
        c->found++;
        return TN_OK;
    }
    tn_status status = TN_OK;
    c->passed[body] = true;
    for (int j = 0; status == TN_OK && j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        bool ours = joint != from && joint->kind != TN_JOINT_GEAR && (joint->body_a == body || joint->body_b == body);
        bool rigid = ours && joint->body_a < model->n_bodies && joint->body_b < model->n_bodies;
        status = rigid ? cross(c, joint, body, error) : TN_OK;
    }
    return status;
}

tn_status tn_state_joint_jacobian(const tn_state *state, int body, const double point[3], double *out, tn_error *error)
{
    tn_status status = check(state, body, point, out, error);
    if (status != TN_OK) {
        return status;
    }
    const tn_model *model = state->model;
    double arm[3];
    chain c = {.state = state, .out = out, .passed = tn_calloc((size_t)model->n_bodies, sizeof(bool))};
    if (!c.passed) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the chain of %d bodies", model->n_bodies);
    }
    place(state, body, point, arm, c.point);
    memset(out, 0, 6 * (size_t)model->n_joint_coordinates * sizeof *out);
    status = follow(&c, body, NULL, error);
    tn_free(c.passed);
    if (status == TN_OK && c.found != 1) {
        status =
            tn_error_set(error, TN_BAD_INPUT, "body '%s' hangs from what does not move by %d chains of joints, not one",
                         tn_model_body_name(model, body), c.found);
    }
    return status;
}
