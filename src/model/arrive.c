// Velocities of mechanisms whose rates are set, as a step leaves them (schemes euler and implicit).
//
// At the end of a step bodies have the velocities that led there, q_k = q_(k-1) (+) h v, and the next step changes
// their momentum, S^T M (v' - v) = h S^T f. These v are not S nu: what they lack, half of what the step turns S by, is
// half of Coriolis' part of that change. So rates nu that are set at q_k become the velocities of a step that ends
// there, from the coordinates q_k - h mu, with the mu for which v reads as nu: mu grows by what v still lacks of nu,
// round by round, each of which leaves about the turn of a step of an error. What a step has left is left as it was,
// but for rounding.
#include "model/arrive.h"

#include "math/quat.h"
#include "math/vec3.h"
#include "model/motion.h"
#include "model/rigid.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 12 };
static const double SETTLED = 1e-14; // of the largest rate
static const double FAR = 0.5;       // turn within a step from which on rounds do not lead there [rad]

typedef struct arrival {
    const tn_tree_step *step;
    double t;
    const tn_pose *pose;      // (n_bodies) at the end, as is
    const double *coordinate; // (n_joint_coordinates)
    tn_pose *before;          // (n_bodies)
    double *past;             // (n_joint_coordinates)
    double *mu, *read;        // (3 trees->n_blocks)
    double *v, *plain;        // (3 n_blocks) at the step's end; S nu
    bool *far;                // (trees->n)
} arrival;

static bool make_room(arrival *a, tn_arena *arena)
{
    const tn_model *model = a->step->model;
    size_t n = 3 * (size_t)model->n_blocks, m = 3 * (size_t)a->step->trees->n_blocks;
    a->before = TN_PUSH_RAW(arena, tn_pose, model->n_bodies);
    a->past = TN_PUSH(arena, double, model->n_joint_coordinates);
    a->mu = TN_PUSH_RAW(arena, double, m);
    a->read = TN_PUSH_RAW(arena, double, m);
    a->v = TN_PUSH_RAW(arena, double, n);
    a->plain = TN_PUSH_RAW(arena, double, n);
    a->far = TN_PUSH(arena, bool, a->step->trees->n);
    return a->before && a->past && a->mu && a->read && a->v && a->plain && a->far;
}

static void find_far(const arrival *a)
{
    double h = a->step->model->settings.step;
    for (int l = 0; l < a->step->trees->n_links; l++) {
        const tn_tree_link *link = &a->step->trees->link[l];
        const double *v = a->plain + 3 * (size_t)a->step->model->bodies[link->body].block;
        a->far[link->tree] = a->far[link->tree] || !(h * tn_vec3_norm(v + 3) <= FAR);
    }
}

// Where all bodies were a step ago.
static void go_back(const arrival *a)
{
    const tn_model *model = a->step->model;
    double h = model->settings.step;
    for (int b = 0; b < model->n_bodies; b++) {
        tn_motion_pose(&model->bodies[b], a->t - h, &a->before[b]);
    }
    for (int l = 0; l < a->step->trees->n_links; l++) {
        const tn_tree_link *link = &a->step->trees->link[l];
        const double *mu = a->mu + link->rate;
        tn_pose *pose = &a->before[link->body];
        if (link->joint < 0) {
            *pose = a->pose[link->body];
            tn_body_advance(&model->bodies[link->body], mu, -h, pose, NULL);
            continue;
        }
        const tn_model_joint *joint = &model->joints[link->joint];
        double turn[4], back[4];
        for (int k = 0; k < joint->n_coordinates; k++) {
            int c = joint->first_coordinate + k;
            a->past[c] = a->coordinate[c] - h * mu[k];
        }
        if (joint->kind == TN_JOINT_SPHERICAL) {
            tn_joint_turn(joint, a->pose, turn);
            tn_quat_exp(back, (double[3]){-h * mu[0], -h * mu[1], -h * mu[2]});
            tn_quat_mul(turn, back, turn);
        }
        tn_tree_place(model, link, &a->before[link->from], a->past, turn, pose);
    }
}

// The velocities that lead from there to the end.
static void come(const arrival *a)
{
    const tn_model *model = a->step->model;
    memcpy(a->v, a->plain, 3 * (size_t)model->n_blocks * sizeof *a->v);
    for (int l = 0; l < a->step->trees->n_links; l++) {
        const tn_tree_link *link = &a->step->trees->link[l];
        const tn_model_body *body = &model->bodies[link->body];
        double turn[4], *v = a->v + 3 * (size_t)body->block;
        if (!a->far[link->tree]) {
            tn_body_rate(body, &a->before[link->body], &a->pose[link->body], model->settings.step, v, turn);
            tn_body_carry(body, turn, v);
        }
    }
}

// One round. Returns by how much the rates were off.
static double improve(const arrival *a, const double *nu)
{
    double most = 0.0;
    go_back(a);
    come(a);
    tn_tree_read_rates(a->step, a->pose, a->t, a->v, a->read);
    for (int i = 0; i < 3 * a->step->trees->n_blocks; i++) {
        most = fmax(most, fabs(nu[i] - a->read[i]));
        a->mu[i] += nu[i] - a->read[i];
    }
    return most;
}

void tn_tree_read_rates(const tn_tree_step *step, const tn_pose *pose, double t, const double *v, double *nu)
{
    tn_tree_rates(step, v, nu);
    for (int l = 0; l < step->trees->n_links; l++) {
        const tn_tree_link *link = &step->trees->link[l];
        const tn_model_joint *joint = link->joint >= 0 ? &step->model->joints[link->joint] : NULL;
        double rate[3];
        if (joint && joint->n_coordinates > 0) {
            tn_joint_rates(step->model, joint, &(tn_joint_sides){pose, NULL}, v, t, 0.0, rate);
            memcpy(nu + link->rate, rate, (size_t)joint->n_coordinates * sizeof *nu);
        }
    }
}

tn_status tn_tree_arrive(const tn_tree_step *step, double t, const tn_pose *pose, const double *coordinate,
                         const double *nu, tn_arena *arena, double *v)
{
    const tn_model *model = step->model;
    size_t n = 3 * (size_t)model->n_blocks, m = 3 * (size_t)step->trees->n_blocks;
    arrival a = {.step = step, .t = t, .pose = pose, .coordinate = coordinate};
    tn_tree_velocity(step, nu, v);
    if (model->settings.scheme != TN_SCHEME_EULER && model->settings.scheme != TN_SCHEME_IMPLICIT) {
        return TN_OK;
    }
    if (!make_room(&a, arena)) {
        return TN_NO_MEMORY;
    }
    memcpy(a.plain, v, n * sizeof *v);
    memcpy(a.mu, nu, m * sizeof *nu);
    find_far(&a);
    double scale = 0.0, off, last = INFINITY;
    for (size_t i = 0; i < m; i++) {
        scale = fmax(scale, fabs(nu[i]));
    }
    for (int k = 0; k < ROUNDS && (off = improve(&a, nu)) > SETTLED * scale && off < last; k++) {
        last = off;
    }
    // What v has beside its rates is kept, these become nu to rounding. A motion may have no sense before the start.
    tn_tree_velocity(step, a.read, a.plain);
    for (size_t i = 0; i < n; i++) {
        double more = a.v[i] - a.plain[i];
        v[i] += isfinite(more) ? more : 0.0;
    }
    return TN_OK;
}
