#include "model/motion.h"

#include "math/quat.h"
#include "math/vec3.h"
#include "model/jump.h"
#include "shape/pose.h"

#include <math.h>

static void motion_axis(const tn_scene_motion *said, double axis[3])
{
    double length = tn_vec3_norm(said->axis);
    tn_vec3_scale(axis, length > 0.0 ? 1.0 / length : 0.0, said->axis);
}

static void motion_position(const tn_scene_motion *said, double t, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = tn_value_at(&said->position[i], t);
    }
}

void tn_motion_start_pose(const tn_model_body *body, tn_pose *out)
{
    if (body->description) {
        tn_pose_join(out, &body->description->pose, &body->principal);
    } else {
        tn_pose_set_identity(out);
    }
}

void tn_motion_start_velocity(const tn_model_body *body, double linear[3], double omega[3])
{
    const tn_scene_body *said = body->description;
    const tn_scene_velocity *velocity = said ? said->velocity : NULL;
    tn_vec3_set(linear, 0.0, 0.0, 0.0);
    tn_vec3_set(omega, 0.0, 0.0, 0.0);
    if (!velocity || body->kind != TN_BODY_FREE) {
        return;
    }
    tn_pose pose;
    double arm[3], spin[3];
    tn_motion_start_pose(body, &pose);
    tn_vec3_sub(arm, pose.position, said->pose.position);
    tn_vec3_cross(spin, velocity->angular, arm);
    tn_vec3_add(linear, velocity->linear, spin);
    tn_quat_rotate_inverse(omega, pose.quaternion, velocity->angular);
}

void tn_motion_pose(const tn_model_body *body, double t, tn_pose *out)
{
    tn_motion_start_pose(body, out);
    if (body->kind != TN_BODY_KINEMATIC) {
        return;
    }
    if (body->given) {
        *out = t < body->given->middle ? body->given->from : body->given->to;
        return;
    }
    const tn_scene_motion *said = body->description->motion;
    double turn[4];
    motion_position(said, t, out->position);
    tn_quat_from_axis_angle(turn, said->axis, tn_value_at(&said->angle, t));
    tn_quat_mul(out->quaternion, turn, out->quaternion);
    tn_quat_normalize(out->quaternion);
}

// Whether the scene's motion has no say: the body is not kinematic, or an input moves it.
static bool given_velocity(const tn_model_body *body, double linear[3], double angular[3])
{
    if (body->kind == TN_BODY_KINEMATIC && body->given) {
        tn_vec3_copy(linear, body->given->linear);
        tn_vec3_copy(angular, body->given->angular);
    }
    return body->kind != TN_BODY_KINEMATIC || body->given;
}

void tn_motion_velocity(const tn_model_body *body, double t, double linear[3], double angular[3])
{
    tn_vec3_set(linear, 0.0, 0.0, 0.0);
    tn_vec3_set(angular, 0.0, 0.0, 0.0);
    if (given_velocity(body, linear, angular)) {
        return;
    }
    const tn_scene_motion *said = body->description->motion;
    for (int i = 0; i < 3; i++) {
        linear[i] = tn_value_rate(&said->position[i], t);
    }
    double axis[3];
    motion_axis(said, axis);
    tn_vec3_scale(angular, tn_value_rate(&said->angle, t), axis);
}

// Change of a value over the step, without the jumps of a body that is teleported.
static double way_of(const tn_scene_motion *said, const tn_value *value, double from, double to)
{
    double size, time, way = tn_value_at(value, to) - tn_value_at(value, from);
    return said->teleport && tn_value_jump(value, from, to, &size, &time) ? way - size : way;
}

// The end of a step that starts at t: to the last bit the next multiple of h, where t is one. A jump at a multiple of h
// is then in the step whose end it is, for poses as for velocities.
static double step_end(double t, double h)
{
    double end = (rint(t / h) + 1.0) * h;
    return fabs(end - (t + h)) < 1e-9 * h ? end : t + h;
}

void tn_motion_mean_velocity(const tn_model_body *body, double t, double h, double linear[3], double angular[3])
{
    tn_vec3_set(linear, 0.0, 0.0, 0.0);
    tn_vec3_set(angular, 0.0, 0.0, 0.0);
    if (given_velocity(body, linear, angular)) {
        return;
    }
    const tn_scene_motion *said = body->description->motion;
    double axis[3], end = step_end(t, h);
    for (int i = 0; i < 3; i++) {
        linear[i] = way_of(said, &said->position[i], t, end) / h;
    }
    motion_axis(said, axis);
    tn_vec3_scale(angular, way_of(said, &said->angle, t, end) / h, axis);
}
