// Kinematic bodies that an input moves: for the step they have a way of their own instead of the scene's motion, in a
// shallow copy of the model.
#include "base/memory.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/motion.h"
#include "shape/pose.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static bool equal(const tn_pose *a, const tn_pose *b)
{
    return memcmp(a->position, b->position, sizeof a->position) == 0 &&
           memcmp(a->quaternion, b->quaternion, sizeof a->quaternion) == 0;
}

// Where the body is to be at the step's end: *to. False: the scene's motion serves.
static bool end_of(const tn_state *state, const tn_model_body *body, int b, const double *motion, double h, tn_pose *to)
{
    if (body->kind != TN_BODY_KINEMATIC) {
        return false;
    }
    const double *pose = motion ? motion + 7 * (size_t)b : NULL;
    if (pose && !isnan(pose[0])) {
        tn_pose own;
        tn_vec3_copy(own.position, pose);
        memcpy(own.quaternion, pose + 3, sizeof own.quaternion);
        tn_quat_normalize(own.quaternion);
        tn_pose_join(to, &own, &body->principal);
        return true;
    }
    tn_pose said;
    tn_motion_pose(body, (double)state->step_count * h, &said);
    tn_motion_pose(body, (double)(state->step_count + 1) * h, to);
    return !equal(&said, &state->pose[b]); // it was moved away
}

// The body's own frame's origin.
static void origin(const tn_model_body *body, const tn_pose *principal, double out[3])
{
    tn_pose own;
    tn_pose_undo(&own, &body->principal);
    tn_pose_join(&own, principal, &own);
    tn_vec3_copy(out, own.position);
}

static void set_way(const tn_state *state, const tn_model_body *body, int b, const tn_pose *to, double h,
                    tn_given_motion *way)
{
    double from[3], end[3], turn[4], undo[4];
    *way = (tn_given_motion){.from = state->pose[b], .to = *to, .middle = ((double)state->step_count + 0.5) * h};
    origin(body, &way->from, from);
    origin(body, &way->to, end);
    tn_vec3_sub(way->linear, end, from);
    tn_vec3_scale(way->linear, 1.0 / h, way->linear);
    tn_quat_conjugate(undo, way->from.quaternion);
    tn_quat_mul(turn, way->to.quaternion, undo);
    tn_quat_log(way->angular, turn);
    tn_vec3_scale(way->angular, 1.0 / h, way->angular);
}

// Room for the copy; its bodies as they are in whole.
static bool make_copy(const tn_model *whole, tn_moved_bodies *moved)
{
    size_t n = (size_t)whole->n_bodies;
    if (!moved->body) {
        moved->body = tn_malloc(n * sizeof *moved->body);
        moved->way = tn_malloc(n * sizeof *moved->way);
    }
    if (!moved->body || !moved->way) {
        return false;
    }
    moved->model = *whole;
    moved->model.bodies = memcpy(moved->body, whole->bodies, n * sizeof *moved->body);
    return true;
}

tn_status tn_sim_move_bodies(const tn_model *whole, tn_moved_bodies *moved, const tn_input *input,
                             const tn_state *state, const tn_model **out, tn_error *error)
{
    double h = whole->settings.step;
    *out = whole;
    for (int b = 1; whole->any_kinematic && b < whole->n_bodies; b++) {
        tn_pose to;
        if (!end_of(state, &whole->bodies[b], b, input ? input->motion : NULL, h, &to)) {
            continue;
        }
        if (*out == whole && !make_copy(whole, moved)) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for the motions of %d bodies", whole->n_bodies);
        }
        *out = &moved->model;
        set_way(state, &whole->bodies[b], b, &to, h, &moved->way[b]);
        moved->body[b].given = &moved->way[b];
    }
    return TN_OK;
}
