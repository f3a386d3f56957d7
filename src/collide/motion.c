#include "collide/motion.h"

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

void tn_motion_at(double velocity[3], const tn_body_motion *motion, const double x[3])
{
    double arm[3], turn[3];
    tn_vec3_sub(arm, x, motion->position);
    tn_vec3_cross(turn, motion->angular, arm);
    tn_vec3_add(velocity, motion->linear, turn);
}

void tn_shape_world_pose(tn_pose *out, const tn_state *state, int shape)
{
    const tn_model_shape *s = state->model->shapes + shape;
    const tn_pose *body = state->pose + s->body;
    tn_quat_rotate(out->position, body->quaternion, s->pose.position);
    tn_vec3_add(out->position, out->position, body->position);
    tn_quat_mul(out->quaternion, body->quaternion, s->pose.quaternion);
}

double tn_shape_reach(const tn_state *state, int shape, const tn_body_motion *motion)
{
    const tn_model *model = state->model;
    const tn_model_shape *s = model->shapes + shape;
    double h = model->settings.step;
    double radius = tn_vec3_norm(s->pose.position) + tn_shape_spin_radius(&s->shape);
    double way = h * (tn_vec3_norm(motion->linear) + radius * tn_vec3_norm(motion->angular));
    if (model->bodies[s->body].n_blocks > 0) {
        way += h * h * tn_vec3_norm(model->settings.gravity);
    }
    return way;
}
