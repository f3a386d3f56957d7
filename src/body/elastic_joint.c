#include "body/elastic_joint.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/gyro.h"
#include "model/motion.h"
#include "model/rigid.h"
#include "shape/pose.h"

#include <math.h>

// c: what a piece of beam of length l adds to the stiffness across it for a tension N, times N/l (consistent geometric
// stiffness of a cubic: Przemieniecki, Theory of matrix structural analysis, 1968, 15.2). Without it a tension beyond
// 12 E I/l^2 buckles the segments: it is then softer across than the tension, which turns with the segments, is stiff.
// With 1 a taut string's segments would be free to turn.
static const double ACROSS = 1.2;

// Turn in a step from which on it does not last [rad].
static const double FAST = 0.5;

// The rotation by half the angle of the unit quaternion q: half-way to 1, or to -1 where that is nearer.
static void half_way(double out[4], const double q[4])
{
    double w = 1.0 + fabs(q[0]), scale = 1.0 / sqrt(2.0 * w), sign = q[0] < 0.0 ? -scale : scale;
    out[0] = scale * w;
    tn_vec3_scale(out + 1, sign, q + 1);
}

// How long a piece of length l is that is drawn out to `along` and lies across by sqrt(square).
static double chord_of(double l, double along, double square)
{
    return fmax(1e-6 * l, sqrt(along * along + ACROSS * square));
}

static void look_between(const tn_model_joint *joint, const tn_pose *a, const tn_pose *b, tn_elastic_strain *out)
{
    double qa[4], qb[4], half_turn[4], from[3], to[3];
    tn_quat_mul(qa, a->quaternion, joint->frame_a.quaternion);
    tn_quat_mul(qb, b->quaternion, joint->frame_b.quaternion);
    tn_quat_to_mat3(out->first, qa);
    tn_quat_to_mat3(out->second, qb);
    tn_quat_conjugate(half_turn, qa);
    tn_quat_mul(qb, half_turn, qb);
    tn_quat_log(out->theta, qb);
    half_way(half_turn, qb);
    tn_quat_mul(qa, qa, half_turn);
    tn_quat_to_mat3(out->axes, qa);
    tn_pose_point(from, a, joint->frame_a.position);
    tn_pose_point(to, b, joint->frame_b.position);
    tn_vec3_add(out->point, from, to);
    tn_vec3_scale(out->point, 0.5, out->point);
    tn_vec3_sub(out->gap, to, from);
    tn_mat3_tvec(out->stretch, out->axes, out->gap);
    const double *e = out->stretch, l = joint->elastic->length;
    double along = l + e[0], chord[3] = {along, ACROSS * e[1], ACROSS * e[2]};
    out->chord = chord_of(l, along, e[1] * e[1] + e[2] * e[2]);
    tn_vec3_scale(chord, 1.0 / out->chord, chord);
    tn_mat3_vec(out->along, out->axes, chord);
    out->stretch[0] = out->chord - l;
    out->tension = joint->elastic->stiffness[0] * out->stretch[0];
}

void tn_elastic_look(const tn_model_joint *joint, const tn_pose *poses, tn_elastic_strain *out)
{
    look_between(joint, &poses[joint->body_a], &poses[joint->body_b], out);
}

// B, the inverse of the rotation vector's left Jacobian: 1 - [theta]/2 + c [theta]^2.
static void rate_matrix(const double theta[3], double out[9])
{
    double square = tn_vec3_dot(theta, theta), half = 0.5 * sqrt(square);
    double c = half > 1e-2 ? (1.0 - half / tan(half)) / square : 1.0 / 12.0 + square / 720.0;
    for (int i = 0; i < 3; i++) { // [theta]^2 = theta theta^T - |theta|^2
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = c * theta[i] * theta[j];
        }
        out[4 * i] += 1.0 - c * square;
    }
    out[1] += 0.5 * theta[2], out[3] -= 0.5 * theta[2];
    out[2] -= 0.5 * theta[1], out[6] += 0.5 * theta[1];
    out[5] += 0.5 * theta[0], out[7] -= 0.5 * theta[0];
}

void tn_elastic_turn(const tn_elastic_strain *strain, double out[9])
{
    double B[9];
    rate_matrix(strain->theta, B);
    tn_mat3_mul_nt(out, strain->first, B);
}

// columns diag(k) columns^T, symmetric to the bit.
static void spread(const double columns[9], const double k[3], double out[9])
{
    for (int i = 0; i < 3; i++) {
        double scaled[3];
        tn_vec3_set(scaled, columns[3 * i] * k[0], columns[3 * i + 1] * k[1], columns[3 * i + 2] * k[2]);
        for (int j = i; j < 3; j++) {
            out[3 * i + j] = out[3 * j + i] = tn_vec3_dot(scaled, columns + 3 * j);
        }
    }
}

// H of the stretch.
static void spread_stretch(const double k[3], const tn_elastic_strain *at, double out[9])
{
    double more = ACROSS * fmax(0.0, at->tension) / at->chord, columns[9];
    for (int i = 0; i < 3; i++) {
        tn_vec3_set(columns + 3 * i, at->along[i], at->axes[3 * i + 1], at->axes[3 * i + 2]);
    }
    spread(columns, (double[3]){k[0], k[1] + more, k[2] + more}, out);
}

// psi of the stretch, and what it is made of.
typedef struct potential {
    double a[3][3], b[3][3], d[3]; // axes of either frame, the gap
    double along;                  // d . (a_0 + b_0)
    double level;                  // u over it
    double across, by_u;           // what psi rises by with |d|^2/2 and with u
    double uneven;                 // (K_1 - K_2) / 4
    double psi;
} potential;

static potential potential_of(const tn_model_joint *joint, const tn_elastic_strain *at)
{
    const double *k = joint->elastic->stiffness, l = joint->elastic->length;
    potential p;
    tn_vec3_copy(p.d, at->gap);
    for (int i = 0; i < 3; i++) {
        tn_vec3_set(p.a[i], at->first[i], at->first[3 + i], at->first[6 + i]);
        tn_vec3_set(p.b[i], at->second[i], at->second[3 + i], at->second[6 + i]);
    }
    p.along = tn_vec3_dot(p.d, p.a[0]) + tn_vec3_dot(p.d, p.b[0]);
    p.level = 0.125 * (5.0 - tn_vec3_dot(p.a[0], p.b[0]));
    double u = p.level * p.along, square = tn_vec3_dot(p.d, p.d) - u * u, chord = chord_of(l, l + u, square);
    double rest = l + u > 0.0 ? ACROSS * square / (chord + l + u) : chord - l - u; // the same, rounded less
    double tension = k[0] * (rest + u), even = 0.5 * (k[1] + k[2]) * l / ACROSS;
    p.across = ACROSS * (tension + even) / chord;
    p.by_u = (tension * (l + (1.0 - ACROSS) * u) - even * (rest + ACROSS * u)) / chord;
    p.uneven = 0.25 * (k[1] - k[2]);
    p.psi = 0.5 * tension * (rest + u) + even * rest +
            p.uneven * (tn_vec3_dot(p.d, p.a[1]) * tn_vec3_dot(p.d, p.b[1]) -
                        tn_vec3_dot(p.d, p.a[2]) * tn_vec3_dot(p.d, p.b[2]));
    return p;
}

// Force and torque of psi's stretch on b at x: less its derivatives by d, and b_i x those by b_i.
static void pull_back(const potential *p, double force[3], double torque[3])
{
    double to[3], moment[3], pull = p->by_u * p->level;
    tn_vec3_scale(force, -p->across, p->d);
    tn_vec3_madd(force, force, -pull, p->a[0]);
    tn_vec3_madd(force, force, -pull, p->b[0]);
    for (int i = 1; i < 3 && p->uneven != 0.0; i++) { // round rods are even
        double uneven = i == 1 ? p->uneven : -p->uneven;
        tn_vec3_madd(force, force, -uneven * tn_vec3_dot(p->d, p->b[i]), p->a[i]);
        tn_vec3_madd(force, force, -uneven * tn_vec3_dot(p->d, p->a[i]), p->b[i]);
    }
    tn_vec3_cross(torque, p->d, force);
    tn_vec3_scale(torque, 0.5, torque);
    tn_vec3_scale(to, pull, p->d);
    tn_vec3_madd(to, to, -0.125 * p->by_u * p->along, p->a[0]);
    tn_vec3_cross(moment, p->b[0], to);
    tn_vec3_sub(torque, torque, moment);
    for (int i = 1; i < 3 && p->uneven != 0.0; i++) {
        double uneven = i == 1 ? p->uneven : -p->uneven;
        tn_vec3_cross(moment, p->b[i], p->d);
        tn_vec3_madd(torque, torque, -uneven * tn_vec3_dot(p->d, p->a[i]), moment);
    }
}

// The tension a step ago, where bodies that move freely come from.
static double past_tension(const tn_model *model, const tn_model_joint *joint, const tn_pose *poses, const double *v,
                           double t, double h)
{
    const int sides[2] = {joint->body_a, joint->body_b};
    tn_pose past[2];
    tn_elastic_strain at;
    for (int i = 0; i < 2; i++) {
        const tn_model_body *body = &model->bodies[sides[i]];
        past[i] = poses[sides[i]];
        if (body->kind == TN_BODY_KINEMATIC) {
            tn_motion_pose(body, t - h, &past[i]);
        } else if (body->n_blocks > 0) {
            tn_body_advance(body, v + 3 * (size_t)body->block, -h, &past[i], NULL);
        }
    }
    look_between(joint, &past[0], &past[1], &at);
    return at.tension;
}

static bool turns_fast(const tn_model *model, const tn_model_joint *joint, const double *v, double h)
{
    const int sides[2] = {joint->body_a, joint->body_b};
    bool fast = false;
    for (int i = 0; i < 2; i++) {
        const tn_model_body *body = &model->bodies[sides[i]];
        fast = fast || (body->n_blocks > 0 && h * tn_vec3_norm(v + 3 * ((size_t)body->block + 1)) > FAST);
    }
    return fast;
}

// What a tension along the joint resists turns of a side with, beyond what is stable without [N m].
static double hold_of(const tn_model_body *body, const tn_elastic_element *e, int side, double tension, double h)
{
    double reach = (side ? -1.0 : 1.0) * tn_vec3_dot(e->along, e->arm[side]);
    bool holds = body->n_blocks > 0 && reach > 0.0;
    return holds ? fmax(0.0, reach * (tension - 0.5 * body->mass * reach / (h * h))) : 0.0;
}

// Of one side: arm, axes, what prescribes its motion, and what a tension outwards along it resists turns with.
static void add_side(const tn_model_body *body, const tn_pose *pose, const double *v, const double point[3], int side,
                     double tension, double t, double h, tn_elastic_element *out)
{
    double sign = side ? 1.0 : -1.0, angular[3] = {0.0, 0.0, 0.0};
    tn_vec3_sub(out->arm[side], point, pose->position);
    tn_quat_to_mat3(out->turn[side], pose->quaternion);
    if (body->kind == TN_BODY_KINEMATIC) {
        double linear[3], spin[3];
        tn_motion_mean_velocity(body, t, h, linear, angular);
        tn_vec3_cross(spin, angular, out->arm[side]);
        tn_vec3_madd(out->drift, out->drift, sign, linear);
        tn_vec3_madd(out->drift, out->drift, sign, spin);
        tn_vec3_madd(out->drift_turn, out->drift_turn, sign, angular);
    } else if (body->n_blocks > 0) {
        tn_mat3_vec(angular, out->turn[side], v + 3 * (body->block + 1));
    }
    double arc[3], *to = body->kind == TN_BODY_KINEMATIC ? out->drift : out->arc;
    tn_gyro_arc(angular, out->arm[side], h, arc);
    tn_vec3_madd(to, to, sign, arc);
    out->taut[side] = hold_of(body, out, side, tension, h);
}

void tn_elastic_linearize(const tn_model *model, const tn_model_joint *joint, const tn_pose *poses, const double *v,
                          double t, double h, tn_elastic_element *out)
{
    const double *k = joint->elastic->stiffness;
    tn_elastic_strain at;
    double turned[9], own[3];
    tn_elastic_look(joint, poses, &at);
    *out = (tn_elastic_element){.body_a = joint->body_a, .body_b = joint->body_b, .lag = joint->elastic->lag};
    spread_stretch(k, &at, out->stretch);
    tn_elastic_turn(&at, turned);
    spread(turned, k + 3, out->bend);
    const potential p = potential_of(joint, &at);
    pull_back(&p, out->force, out->torque);
    tn_vec3_set(own, -k[3] * at.theta[0], -k[4] * at.theta[1], -k[5] * at.theta[2]);
    tn_mat3_add_vec(out->torque, turned, own);
    tn_vec3_scale(out->along, 1.0 / tn_vec3_norm(at.along), at.along);
    add_side(&model->bodies[joint->body_a], &poses[joint->body_a], v, at.point, 0, at.tension, t, h, out);
    add_side(&model->bodies[joint->body_b], &poses[joint->body_b], v, at.point, 1, at.tension, t, h, out);
    out->goes_on[0] = out->taut[0];
    out->goes_on[1] = out->taut[1];
    bool taut = out->taut[0] > 0.0 || out->taut[1] > 0.0;
    if (taut && turns_fast(model, joint, v, h)) {
        double least = fmin(at.tension, past_tension(model, joint, poses, v, t, h));
        out->goes_on[0] = hold_of(&model->bodies[joint->body_a], out, 0, least, h);
        out->goes_on[1] = hold_of(&model->bodies[joint->body_b], out, 1, least, h);
    }
}

void tn_elastic_rate(const tn_model *model, const tn_elastic_element *element, const double *v, double rate[3],
                     double turn[3])
{
    const int bodies[2] = {element->body_a, element->body_b};
    tn_vec3_add(rate, element->drift, element->arc);
    tn_vec3_copy(turn, element->drift_turn);
    for (int side = 0; side < 2; side++) {
        const tn_model_body *body = &model->bodies[bodies[side]];
        if (body->n_blocks > 0) {
            double omega[3], spin[3], sign = side ? 1.0 : -1.0;
            const double *x = v + 3 * body->block;
            tn_mat3_vec(omega, element->turn[side], x + 3);
            tn_vec3_cross(spin, omega, element->arm[side]);
            tn_vec3_madd(rate, rate, sign, x);
            tn_vec3_madd(rate, rate, sign, spin);
            tn_vec3_madd(turn, turn, sign, omega);
        }
    }
}

double tn_elastic_energy(const tn_model_joint *joint, const tn_pose *poses)
{
    const double *k = joint->elastic->stiffness;
    tn_elastic_strain at;
    tn_elastic_look(joint, poses, &at);
    double sum = potential_of(joint, &at).psi;
    for (int i = 0; i < 3; i++) {
        sum += 0.5 * k[3 + i] * at.theta[i] * at.theta[i];
    }
    return sum;
}
