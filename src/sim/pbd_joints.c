// Position-based dynamics: impulses, and the constraints that are no contacts (sim/pbd.h).
#include "sim/pbd.h"

#include "discretize/joint_law.h"
#include "math/dense.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "shape/pose.h"

#include <math.h>

static double along(const tn_joint_motion *motion, const double a[3], const double turn_a[3], const double b[3],
                    const double turn_b[3])
{
    double sum = tn_vec3_dot(motion->about_b, turn_b) - tn_vec3_dot(motion->about_a, turn_a);
    return motion->turn ? sum : sum + tn_vec3_dot(motion->direction, b) - tn_vec3_dot(motion->direction, a);
}

double tn_pbd_displacement(const tn_pbd *pbd, int a, int b, const tn_joint_motion *motion)
{
    const tn_pbd_body *one = &pbd->bodies[a], *other = &pbd->bodies[b];
    return along(motion, one->way, one->turned, other->way, other->turned);
}

double tn_pbd_velocity(const tn_pbd *pbd, int a, int b, const tn_joint_motion *motion)
{
    const tn_pbd_body *one = &pbd->bodies[a], *other = &pbd->bodies[b];
    return along(motion, one->v, one->w, other->v, other->w);
}

static double form(const double matrix[9], const double x[3], const double y[3])
{
    double product[3];
    tn_mat3_vec(product, matrix, y);
    return tn_vec3_dot(x, product);
}

// J_1 M^-1 J_2^T
static double coupling(const tn_pbd *pbd, int a, int b, const tn_joint_motion *one, const tn_joint_motion *two)
{
    const tn_pbd_body *x = &pbd->bodies[a], *y = &pbd->bodies[b];
    double sum =
        form(x->inverse_inertia, one->about_a, two->about_a) + form(y->inverse_inertia, one->about_b, two->about_b);
    return one->turn || two->turn
               ? sum
               : sum + (x->inverse_mass + y->inverse_mass) * tn_vec3_dot(one->direction, two->direction);
}

double tn_pbd_mobility(const tn_pbd *pbd, int a, int b, const tn_joint_motion *motion)
{
    return coupling(pbd, a, b, motion, motion);
}

// A body turned by a small rotation vector, world axes.
static void turn(tn_pose *pose, const double vector[3])
{
    double q[4];
    tn_quat_exp(q, vector);
    tn_quat_mul(pose->quaternion, q, pose->quaternion);
    tn_quat_normalize(pose->quaternion);
}

// The impulses sign * force [N s], sign * torque [N m s].
static void push_body(tn_pbd *pbd, int b, double sign, const double force[3], const double torque[3], bool moves)
{
    tn_pbd_body *body = &pbd->bodies[b];
    double kick[3], spin[3], way[3];
    if (body->inverse_mass == 0.0) {
        return;
    }
    tn_vec3_scale(kick, sign * body->inverse_mass, force);
    tn_mat3_vec(spin, body->inverse_inertia, torque);
    tn_vec3_scale(spin, sign, spin);
    tn_vec3_add(body->v, body->v, kick);
    tn_vec3_add(body->w, body->w, spin);
    if (moves) {
        tn_vec3_madd(body->way, body->way, pbd->h, kick);
        tn_vec3_madd(body->turned, body->turned, pbd->h, spin);
        tn_vec3_madd(pbd->pose[b].position, pbd->pose[b].position, pbd->h, kick);
        tn_vec3_scale(way, pbd->h, spin);
        turn(&pbd->pose[b], way);
    }
}

void tn_pbd_push(tn_pbd *pbd, int a, int b, const tn_joint_motion *motion, double impulse, bool moves)
{
    double force[3], torque_a[3], torque_b[3];
    tn_vec3_scale(force, motion->turn ? 0.0 : impulse, motion->direction);
    tn_vec3_scale(torque_a, impulse, motion->about_a);
    tn_vec3_scale(torque_b, impulse, motion->about_b);
    push_body(pbd, a, -1.0, force, torque_a, moves);
    push_body(pbd, b, 1.0, force, torque_b, moves);
}

// A constraint as if it were one without damper: d lambda = -error/(mobility + compliance).
typedef struct softened {
    double error, compliance;
} softened;

static softened soften(tn_joint_softness soft, double error, double rate, double lambda, double h)
{
    if (soft.compliance == 0.0) {
        return (softened){error, 0.0};
    }
    if (soft.compliance == INFINITY) {
        double c = 1.0 / (soft.damping * h);
        return (softened){c * lambda + h * rate, c};
    }
    double lag = soft.compliance * soft.damping / h, c = soft.compliance / (h * h * (1.0 + lag));
    return (softened){(error + lag * h * rate) / (1.0 + lag) + c * lambda, c};
}

// ---- rods

// Three coupled constraints at once, as far as they can be told apart.
static void solve_three(tn_pbd *pbd, const tn_model_joint *joint, const tn_joint_motion motion[3],
                        const softened part[3], double *lambda, double *impulse)
{
    int a = joint->body_a, b = joint->body_b;
    double W[9], inverse[9], less[3], change[3];
    for (int i = 0; i < 9; i++) {
        W[i] = coupling(pbd, a, b, &motion[i / 3], &motion[i % 3]) + (i % 4 == 0 ? part[i / 4].compliance : 0.0);
    }
    if (!tn_mat3_inverse(inverse, W)) {
        return;
    }
    tn_vec3_set(less, -part[0].error, -part[1].error, -part[2].error);
    tn_mat3_vec(change, inverse, less);
    for (int i = 0; i < 3; i++) {
        lambda[i] += change[i];
        tn_pbd_push(pbd, a, b, &motion[i], change[i] / pbd->h, true);
        tn_vec3_madd(impulse, impulse, change[i] / pbd->h, motion[i].direction);
    }
}

static tn_joint_softness lagging(double stiffness, double lag)
{
    return (tn_joint_softness){.compliance = 1.0 / stiffness, .damping = lag * stiffness};
}

// Both bodies feel the force at x, half-way between the ends of the segments.
static void solve_stretch(tn_pbd *pbd, const tn_model_joint *joint, double *lambda, double *impulse)
{
    int a = joint->body_a, b = joint->body_b;
    tn_elastic_strain at;
    tn_joint_motion motion[3];
    softened part[3];
    double arm_a[3], arm_b[3];
    tn_elastic_look(joint, pbd->pose, &at);
    tn_vec3_sub(arm_a, at.point, pbd->pose[a].position);
    tn_vec3_sub(arm_b, at.point, pbd->pose[b].position);
    for (int i = 0; i < 3; i++) {
        motion[i] = (tn_joint_motion){.turn = false};
        tn_vec3_set(motion[i].direction, at.axes[i], at.axes[3 + i], at.axes[6 + i]);
        tn_vec3_copy(motion[i].direction, i == 0 ? at.along : motion[i].direction);
        tn_vec3_cross(motion[i].about_a, arm_a, motion[i].direction);
        tn_vec3_cross(motion[i].about_b, arm_b, motion[i].direction);
        part[i] = soften(lagging(joint->elastic->stiffness[i], joint->elastic->lag), at.stretch[i],
                         tn_pbd_velocity(pbd, a, b, &motion[i]), lambda[i], pbd->h);
    }
    solve_three(pbd, joint, motion, part, lambda, impulse);
}

static void solve_bend(tn_pbd *pbd, const tn_model_joint *joint, double *lambda, double *impulse)
{
    int a = joint->body_a, b = joint->body_b;
    tn_elastic_strain at;
    tn_joint_motion motion[3];
    softened part[3];
    double axes[9];
    tn_elastic_look(joint, pbd->pose, &at);
    tn_elastic_turn(&at, axes);
    for (int i = 0; i < 3; i++) {
        motion[i] = (tn_joint_motion){.turn = true};
        tn_vec3_set(motion[i].direction, axes[i], axes[3 + i], axes[6 + i]);
        tn_vec3_copy(motion[i].about_a, motion[i].direction);
        tn_vec3_copy(motion[i].about_b, motion[i].direction);
        part[i] = soften(lagging(joint->elastic->stiffness[3 + i], joint->elastic->lag), at.theta[i],
                         tn_pbd_velocity(pbd, a, b, &motion[i]), lambda[i], pbd->h);
    }
    solve_three(pbd, joint, motion, part, lambda, impulse);
}

// ---- springs between points

static void end_point(const tn_pbd *pbd, int body, const double own[3], double out[3])
{
    tn_pose to_principal;
    tn_pose_undo(&to_principal, &pbd->model->bodies[body].principal);
    tn_pose_point(out, &to_principal, own);
    tn_pose_point(out, &pbd->pose[body], out);
}

static void solve_spring(tn_pbd *pbd, int s)
{
    const tn_scene_spring *spring = &pbd->model->scene->springs[s];
    int a = spring->body_a + 1, b = spring->body_b + 1; // the scene's -1 is the model's world 0
    tn_joint_motion motion = {.turn = false};
    double from[3], to[3], arm[3];
    end_point(pbd, a, spring->point_a, from);
    end_point(pbd, b, spring->point_b, to);
    tn_vec3_sub(motion.direction, to, from);
    double length = tn_vec3_norm(motion.direction);
    if (length == 0.0) {
        return; // it has no direction
    }
    tn_vec3_scale(motion.direction, 1.0 / length, motion.direction);
    tn_vec3_sub(arm, from, pbd->pose[a].position);
    tn_vec3_cross(motion.about_a, arm, motion.direction);
    tn_vec3_sub(arm, to, pbd->pose[b].position);
    tn_vec3_cross(motion.about_b, arm, motion.direction);
    tn_joint_softness soft = {spring->stiffness > 0.0 ? 1.0 / spring->stiffness : INFINITY, spring->damping};
    double W = tn_pbd_mobility(pbd, a, b, &motion);
    if (W == 0.0 || (soft.compliance == INFINITY && soft.damping == 0.0)) {
        return;
    }
    softened part =
        soften(soft, length - spring->rest_length, tn_pbd_velocity(pbd, a, b, &motion), pbd->spring[s], pbd->h);
    double change = -part.error / (W + part.compliance);
    pbd->spring[s] += change;
    tn_pbd_push(pbd, a, b, &motion, change / pbd->h, true);
}

// ---- joints

// What may be left of an error of the start, which goes at the speed push_out.
static double left_of(const tn_pbd *pbd, double start)
{
    return copysign(fmax(0.0, fabs(start) - pbd->model->settings.push_out * pbd->time), start);
}

// All that the joint holds, at once.
static void solve_holds(tn_pbd *pbd, const tn_model_joint *joint)
{
    int a = joint->body_a, b = joint->body_b, n = joint->n_holds;
    tn_joint_geometry at;
    double W[TN_JOINT_HOLDS * TN_JOINT_HOLDS], change[TN_JOINT_HOLDS];
    tn_joint_look(joint, &pbd->pose[a], &pbd->pose[b], &at);
    for (int i = 0; i < n; i++) {
        int r = joint->first_row + i; // holds are a joint's first rows
        double rate = tn_pbd_velocity(pbd, a, b, &at.hold[i]);
        double error = tn_joint_hold_rolls(joint, i) ? pbd->h * rate : at.violation[i] - left_of(pbd, joint->off[i]);
        softened part =
            soften(tn_joint_softness_of(joint, &pbd->model->joint_rows[r]), error, rate, pbd->row[r], pbd->h);
        for (int j = 0; j < n; j++) {
            W[n * i + j] = coupling(pbd, a, b, &at.hold[i], &at.hold[j]);
        }
        W[n * i + i] += part.compliance;
        change[i] = -part.error;
    }
    if (!tn_dense_cholesky(n, W)) {
        return; // neither body answers
    }
    tn_dense_cholesky_solve(n, W, change);
    for (int i = 0; i < n; i++) {
        pbd->row[joint->first_row + i] += change[i];
        pbd->row_impulse[joint->first_row + i] += change[i] / pbd->h;
        tn_pbd_push(pbd, a, b, &at.hold[i], change[i] / pbd->h, true);
    }
}

// The spring of a coordinate, or one of its limits.
static void solve_coordinate(tn_pbd *pbd, const tn_model_joint *joint, int r)
{
    const tn_model_joint_row *row = &pbd->model->joint_rows[r];
    if (row->role == TN_ROLE_ACROSS) {
        return;
    }
    int a = joint->body_a, b = joint->body_b, k = row->index;
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    bool limits = row->role != TN_ROLE_SPRING;
    double sign = row->role == TN_ROLE_HIGH ? -1.0 : 1.0;
    tn_joint_geometry at;
    tn_joint_look(joint, &pbd->pose[a], &pbd->pose[b], &at);
    const tn_joint_motion *motion = &at.coordinate[k];
    double q = tn_joint_continue(joint->axis[k], at.value[k], pbd->coordinate[joint->first_coordinate + k]);
    double error = limits ? tn_joint_room(drive, row->role, q) : q - drive->rest;
    double W = tn_pbd_mobility(pbd, a, b, motion), last = pbd->row[r];
    if (W == 0.0 || (limits && error >= 0.0 && last == 0.0)) {
        return;
    }
    softened part =
        soften(tn_joint_softness_of(joint, row), error, sign * tn_pbd_velocity(pbd, a, b, motion), last, pbd->h);
    double next = last - part.error / (W + part.compliance);
    pbd->row[r] = limits ? fmax(0.0, next) : next;
    pbd->row_impulse[r] += (pbd->row[r] - last) / pbd->h;
    tn_pbd_push(pbd, a, b, motion, sign * (pbd->row[r] - last) / pbd->h, true);
}

static void solve_joint(tn_pbd *pbd, int j)
{
    const tn_model_joint *joint = &pbd->model->joints[j];
    if (joint->elastic) {
        solve_stretch(pbd, joint, pbd->elastic[j], pbd->elastic_impulse[j]);
        solve_bend(pbd, joint, pbd->elastic[j] + 3, pbd->elastic_impulse[j] + 3);
        return;
    }
    if (joint->n_holds > 0) {
        solve_holds(pbd, joint);
    }
    for (int r = joint->first_row + joint->n_holds; r < joint->first_row + joint->n_rows; r++) {
        solve_coordinate(pbd, joint, r);
    }
}

void tn_pbd_solve_joints(tn_pbd *pbd)
{
    for (int s = 0; s < pbd->model->scene->n_springs; s++) {
        solve_spring(pbd, s);
    }
    for (int j = 0; j < pbd->model->n_joints; j++) {
        solve_joint(pbd, j);
    }
}
