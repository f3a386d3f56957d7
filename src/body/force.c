#include "body/force.h"

#include "math/quat.h"
#include "math/vec3.h"

void tn_force_generalize(const tn_model_body *body, const tn_pose *pose, const double force[3], const double torque[3],
                         double out[6])
{
    if (body->planar) {
        const double *axes = body->plane_axes;
        tn_vec3_set(out, tn_vec3_dot(axes, force), tn_vec3_dot(axes + 3, force), tn_vec3_dot(axes + 6, torque));
        return;
    }
    tn_vec3_copy(out, force);
    tn_quat_rotate_inverse(out + 3, pose->quaternion, torque);
}

void tn_force_gravity(const tn_model_body *body, const double gravity[3], double out[6])
{
    double weight[3];
    tn_vec3_scale(weight, body->mass, gravity);
    if (body->planar) {
        const double *axes = body->plane_axes;
        tn_vec3_set(out, tn_vec3_dot(axes, weight), tn_vec3_dot(axes + 3, weight), 0.0);
        return;
    }
    tn_vec3_copy(out, weight);
    tn_vec3_set(out + 3, 0.0, 0.0, 0.0);
}

static void values_at(const tn_value value[3], double t, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = tn_value_at(&value[i], t);
    }
}

void tn_force_applied(const tn_model_body *body, const tn_pose *pose, const tn_pose *turned, double t, double out[6])
{
    double force[3], own[3], principal[3], follower[3], torque[3];
    if (!body->pushed) {
        for (int i = 0; i < 3 * body->n_blocks; i++) {
            out[i] = 0.0;
        }
        return;
    }
    const tn_scene_push *said = body->description->push;
    values_at(said->force, t, force);
    values_at(said->force_body, t, own);
    values_at(said->torque, t, torque);
    tn_quat_rotate_inverse(principal, body->principal.quaternion, own);
    tn_quat_rotate(follower, turned->quaternion, principal);
    tn_vec3_add(force, force, follower);
    tn_force_generalize(body, pose, force, torque, out);
}
