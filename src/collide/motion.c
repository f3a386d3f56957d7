#include "collide/motion.h"

#include "base/team.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/motion.h"

void tn_body_motion_of(tn_body_motion *out, const tn_state *state, int body)
{
    const tn_model *model = state->model;
    *out = (tn_body_motion){0};
    tn_vec3_copy(out->position, state->pose[body].position);
    if (model->bodies[body].n_blocks > 0) {
        tn_state_center_velocity(state, body, state->v, out->linear, out->angular);
    } else {
        tn_motion_mean_velocity(model->bodies + body, state->time, model->settings.step, out->linear, out->angular);
    }
}

typedef struct bodies {
    const tn_state *state;
    tn_body_motion *motion;
} bodies;

static void find_motions(const void *context, int first, int end, int thread)
{
    const bodies *all = context;
    for (int b = first; b < end; ++b) {
        tn_body_motion_of(all->motion + b, all->state, b);
    }
}

void tn_body_motions_of(tn_body_motion *out, const tn_state *state, int n_threads)
{
    tn_team_share(n_threads, state->model->n_bodies, 128, find_motions, &(bodies){state, out});
}

void tn_motion_velocity_at(double velocity[3], const tn_body_motion *motion, const double x[3])
{
    double arm[3], turn[3];
    tn_vec3_sub(arm, x, motion->position);
    tn_vec3_cross(turn, motion->angular, arm);
    tn_vec3_add(velocity, motion->linear, turn);
}

void tn_motion_carry(tn_pose *out, const tn_body_motion *motion, double t, const tn_pose *now)
{
    double vector[3], turn[4], arm[3];
    tn_vec3_scale(vector, t, motion->angular);
    tn_quat_exp(turn, vector);
    tn_vec3_sub(arm, now->position, motion->position);
    tn_quat_rotate(arm, turn, arm);
    tn_vec3_add(out->position, motion->position, arm);
    tn_vec3_madd(out->position, out->position, t, motion->linear);
    tn_quat_mul(out->quaternion, turn, now->quaternion);
}

void tn_node_motion(double velocity[3], const tn_state *state, const tn_body_motion motions[], int node)
{
    const tn_model_node *n = state->model->nodes + node;
    if (n->block >= 0) {
        tn_vec3_copy(velocity, state->v + 3 * (size_t)n->block);
    } else {
        tn_motion_velocity_at(velocity, motions + n->body, state->x + 3 * (size_t)node);
    }
}

void tn_shape_world_pose(tn_pose *out, const tn_state *state, int shape)
{
    const tn_model_shape *s = state->model->shapes + shape;
    const tn_pose *body = state->pose + s->body;
    tn_quat_rotate(out->position, body->quaternion, s->pose.position);
    tn_vec3_add(out->position, out->position, body->position);
    tn_quat_mul(out->quaternion, body->quaternion, s->pose.quaternion);
}

double tn_way_of(const tn_state *state, double speed)
{
    double h = state->model->settings.step;
    return h * (2.0 * speed + h * tn_vec3_norm(state->model->settings.gravity));
}

double tn_shape_way(const tn_state *state, const tn_body_motion motions[], int shape)
{
    const tn_model_shape *s = state->model->shapes + shape;
    const tn_body_motion *motion = motions + s->body;
    double radius = tn_vec3_norm(s->pose.position) + tn_shape_spin_radius(&s->shape);
    return tn_way_of(state, tn_vec3_norm(motion->linear) + radius * tn_vec3_norm(motion->angular));
}

// Speed of approach seen from one shape: relative velocity at its origin, and relative turning about it. INFINITY
// for a plane, whose origin may be anywhere.
static double approach(const tn_model_shape *shape, const tn_pose *pose, const tn_body_motion *a,
                       const tn_body_motion *b)
{
    double va[3], vb[3], u[3], turning[3];
    if (tn_shape_is(&shape->shape, TN_FORM_HALF_SPACE)) {
        return INFINITY;
    }
    tn_motion_velocity_at(va, a, pose->position);
    tn_motion_velocity_at(vb, b, pose->position);
    tn_vec3_sub(u, vb, va);
    tn_vec3_sub(turning, b->angular, a->angular);
    return tn_vec3_norm(u) + tn_shape_spin_radius(&shape->shape) * tn_vec3_norm(turning);
}

double tn_pair_way(const tn_state *state, const tn_body_motion motions[], const tn_pose poses[], int shape_a,
                   int shape_b)
{
    const tn_model_shape *a = state->model->shapes + shape_a, *b = state->model->shapes + shape_b;
    const tn_body_motion *motion_a = motions + a->body, *motion_b = motions + b->body;
    return tn_way_of(state, fmin(approach(a, poses + shape_a, motion_a, motion_b),
                                 approach(b, poses + shape_b, motion_a, motion_b)));
}
