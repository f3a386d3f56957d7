#include "body/spring.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "model/gyro.h"
#include "model/motion.h"
#include "model/rigid.h"
#include "shape/pose.h"

#include <string.h>

// World point of a point given in the body's own frame.
static void end_point(const tn_model_body *body, const tn_pose *pose, const double own[3], double out[3])
{
    tn_pose to_principal;
    tn_pose_undo(&to_principal, &body->principal);
    tn_pose_point(out, &to_principal, own);
    tn_pose_point(out, pose, out);
}

// d = x_b - x_a and the two end points.
static void ends(const tn_model *model, const tn_scene_spring *spring, const tn_pose *poses, double a[3], double b[3],
                 double d[3])
{
    int body_a = spring->body_a + 1, body_b = spring->body_b + 1; // the scene's -1 is the model's world 0
    end_point(&model->bodies[body_a], &poses[body_a], spring->point_a, a);
    end_point(&model->bodies[body_b], &poses[body_b], spring->point_b, b);
    tn_vec3_sub(d, b, a);
}

// The end point as if the body had turned for the time `lead` about its center [m].
static void lead_point(const tn_model_body *body, const tn_spring_instant *at, const tn_pose *pose, double point[3])
{
    if (body->n_blocks == 0 || at->lead == 0.0) {
        return;
    }
    tn_pose turned = *pose;
    double own[3], arm[3];
    const double still[3] = {0.0, 0.0, 0.0};
    double x[6];
    memcpy(x, at->v + 3 * body->block, 3 * (size_t)body->n_blocks * sizeof *x);
    memcpy(x, still, (body->planar ? 2 : 3) * sizeof *x);
    tn_vec3_sub(arm, point, pose->position);
    tn_quat_rotate_inverse(own, pose->quaternion, arm);
    tn_body_advance(body, x, at->lead, &turned, NULL);
    tn_pose_point(point, &turned, own);
}

// That the end turns by an arc over the step, mean velocity, at the rate of its start. Arms that are taken later than
// there make do without.
static void add_arc(const tn_model_body *body, const tn_pose *pose, const double point[3], double sign,
                    const tn_spring_instant *at, double drift[3])
{
    double identity[9], entry[2][9], omega[3] = {0.0, 0.0, 0.0}, arm[3], arc[3];
    if (body->n_blocks == 0 || at->lead > 0.0) {
        return;
    }
    tn_mat3_identity(identity);
    int n = tn_body_spin_jacobian(body, pose, identity, 1.0, entry);
    for (int i = 0; i < n; i++) {
        tn_mat3_add_vec(omega, entry[i], at->v + 3 * (body->block + i));
    }
    tn_vec3_sub(arm, point, pose->position);
    tn_gyro_arc(omega, arm, at->h, arc);
    tn_vec3_madd(drift, drift, sign, arc);
}

// Jacobian blocks of one end, or its prescribed velocity into drift.
static void add_end(const tn_model_body *body, const tn_pose *pose, double point[3], double sign,
                    const tn_spring_instant *at, tn_spring_element *out)
{
    double identity[9], entry[2][9];
    tn_mat3_identity(identity);
    lead_point(body, at, pose, point);
    int n = tn_body_point_jacobian(body, pose, identity, point, sign, entry);
    for (int i = 0; i < n; i++) {
        out->block[out->n] = body->block + i;
        memcpy(out->jacobian[out->n], entry[i], sizeof entry[i]);
        out->n++;
    }
    if (body->kind == TN_BODY_KINEMATIC) {
        double linear[3], angular[3], arm[3], spin[3];
        tn_motion_mean_velocity(body, at->t, at->h, linear, angular);
        tn_vec3_sub(arm, point, pose->position);
        tn_vec3_cross(spin, angular, arm);
        tn_vec3_madd(out->drift, out->drift, sign, linear);
        tn_vec3_madd(out->drift, out->drift, sign, spin);
        if (at->lead == 0.0) {
            tn_gyro_arc(angular, arm, at->h, spin);
            tn_vec3_madd(out->drift, out->drift, sign, spin);
        }
    }
}

// out = along n n^T + across (1 - n n^T)
static void axial_matrix(double out[9], const double n[3], double along, double across)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = (along - across) * n[i] * n[j] + (i == j ? across : 0.0);
        }
    }
}

// The change of force, `lead` later at velocity v, that the dropped negative stiffness would bring.
static void add_compression(double across, const double n[3], const tn_spring_instant *at, tn_spring_element *out)
{
    double rate[3], matrix[9], change[3];
    tn_vec3_copy(rate, out->drift);
    for (int i = 0; i < out->n; i++) {
        tn_mat3_add_vec(rate, out->jacobian[i], at->v + 3 * out->block[i]);
    }
    axial_matrix(matrix, n, 0.0, across);
    tn_mat3_vec(change, matrix, rate);
    tn_vec3_madd(out->force, out->force, -at->lead, change);
}

void tn_spring_linearize(const tn_model *model, const tn_scene_spring *spring, const tn_spring_instant *at,
                         tn_spring_element *out)
{
    int body_a = spring->body_a + 1, body_b = spring->body_b + 1;
    double a[3], b[3], d[3], n[3] = {0.0, 0.0, 0.0};
    *out = (tn_spring_element){0};
    ends(model, spring, at->poses, a, b, d);
    add_end(&model->bodies[body_a], &at->poses[body_a], a, -1.0, at, out);
    add_end(&model->bodies[body_b], &at->poses[body_b], b, 1.0, at, out);
    tn_vec3_copy(out->driven, out->drift);
    add_arc(&model->bodies[body_a], &at->poses[body_a], a, -1.0, at, out->drift);
    add_arc(&model->bodies[body_b], &at->poses[body_b], b, 1.0, at, out->drift);
    for (int i = 0; at->swing && i < out->n; i++) {
        tn_mat3_add_vec(out->drift, out->jacobian[i], at->swing + 3 * out->block[i]);
    }
    double length = tn_vec3_norm(d), k = spring->stiffness;
    if (length > 0.0) {
        tn_vec3_scale(n, 1.0 / length, d);
    }
    tn_vec3_scale(out->force, -k * (length - spring->rest_length), n);
    // At d = 0 the direction is unknown: no force, and the stiffness k in every direction.
    double across = length > 0.0 ? k * (1.0 - spring->rest_length / length) : k;
    axial_matrix(out->stiffness, n, k, fmax(0.0, across));
    axial_matrix(out->damping, n, spring->damping, 0.0);
    if (across < 0.0) {
        add_compression(fmax(across, -k), n, at, out);
    }
}

double tn_spring_energy(const tn_model *model, const tn_scene_spring *spring, const tn_pose *poses)
{
    double a[3], b[3], d[3];
    ends(model, spring, poses, a, b, d);
    double stretch = tn_vec3_norm(d) - spring->rest_length;
    return 0.5 * spring->stiffness * stretch * stretch;
}
