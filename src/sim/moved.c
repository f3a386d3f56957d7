// Kinematic bodies that an input moves: for the step they have a way of their own instead of the scene's motion, in a
// shallow copy of the model.
#include "base/memory.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/motion.h"
#include "model/pose.h"
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
static bool make_copy(tn_sim *sim)
{
    size_t n = (size_t)sim->whole->n_bodies;
    if (!sim->moved.body) {
        sim->moved.body = tn_malloc(n * sizeof *sim->moved.body);
        sim->moved.way = tn_malloc(n * sizeof *sim->moved.way);
    }
    if (!sim->moved.body || !sim->moved.way) {
        return false;
    }
    sim->moved.model = *sim->whole;
    sim->moved.model.bodies = memcpy(sim->moved.body, sim->whole->bodies, n * sizeof *sim->moved.body);
    return true;
}

tn_status tn_sim_move_bodies(tn_sim *sim, const tn_input *input, const tn_state *state, const tn_model **out,
                             tn_error *error)
{
    const tn_model *whole = sim->whole;
    double h = whole->settings.step;
    *out = whole;
    for (int b = 1; whole->any_kinematic && b < whole->n_bodies; b++) {
        tn_pose to;
        if (!end_of(state, &whole->bodies[b], b, input ? input->motion : NULL, h, &to)) {
            continue;
        }
        if (*out == whole && !make_copy(sim)) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for the motions of %d bodies", whole->n_bodies);
        }
        *out = &sim->moved.model;
        set_way(state, &whole->bodies[b], b, &to, h, &sim->moved.way[b]);
        sim->moved.body[b].given = &sim->moved.way[b];
    }
    return TN_OK;
}
