#include "collide/motion.h"

#include "math/quat.h"
#include "math/vec3.h"

// Scripted motion turns about motion_axis through the frame's origin, which follows motion_position.
static void kinematic_motion(tn_body_motion *out, const tn_state *state, const tn_model_body *body)
{
    const tn_scene_body *script = body->description;
    double arm[3], turn[3], axis_length = tn_vec3_norm(script->motion_axis);
    for (int i = 0; i < 3; ++i) {
        out->linear[i] = tn_value_rate(&script->motion_position[i], state->time);
        arm[i] = out->position[i] - tn_value_at(&script->motion_position[i], state->time);
    }
    if (axis_length > 0.0) {
        tn_vec3_scale(out->angular, tn_value_rate(&script->motion_angle, state->time) / axis_length,
                      script->motion_axis);
        tn_vec3_cross(turn, out->angular, arm);
        tn_vec3_add(out->linear, out->linear, turn);
    }
}

static void planar_motion(tn_body_motion *out, const double *v, const double axes[9])
{
    for (int i = 0; i < 3; ++i) {
        out->linear[i] = v[0] * axes[i] + v[1] * axes[3 + i];
        out->angular[i] = v[2] * axes[6 + i];
    }
}

void tn_body_motion_of(tn_body_motion *out, const tn_state *state, int body)
{
    const tn_model_body *b = state->model->bodies + body;
    *out = (tn_body_motion){0};
    tn_vec3_copy(out->position, state->pose[body].position);
    if (b->n_blocks == 2) {
        const double *v = state->v + 3 * b->block;
        tn_vec3_copy(out->linear, v);
        tn_quat_rotate(out->angular, state->pose[body].quaternion, v + 3);
    } else if (b->n_blocks == 1) {
        planar_motion(out, state->v + 3 * b->block, b->plane_axes);
    } else if (b->kind == TN_BODY_KINEMATIC && b->description) {
        kinematic_motion(out, state, b);
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
