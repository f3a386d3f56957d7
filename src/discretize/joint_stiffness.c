#include "discretize/joint_stiffness.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "model/joint_geometry.h"

#include <math.h>
#include <string.h>

// Arm and force of one side of a joint, in the body's principal axes.
typedef struct joint_side {
    int next;              // another side on the same body, -1: none
    double arm[3];         // from the center of mass [m]
    double apparent;       // mass that the other side's body shows at the joint [kg]; 0: none across; INFINITY: it
                           // does not give way
    double apparent_turns; // moment that it adds where nothing turns in the joint [kg m^2]
} joint_side;

typedef struct work {
    const tn_model *model;
    const tn_state *state;
    const tn_joint_geometry *at; // (n_joints) at the state
    const double *force;         // (n_joint_rows) of the joints' rows [N, N m]
    double h;
    int *first;        // (n_bodies) sides of each body
    joint_side *sides; // (2 n_joints)
    double (*K)[9];    // (n_bodies) in principal axes [N m]
} work;

static bool is_free(const tn_model_body *body)
{
    return body->n_blocks > 0;
}

// Moments about the principal axes [kg m^2]; a planar body has one, which serves for all.
static void moments(const tn_model_body *body, double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = body->inertia[body->planar ? 0 : k];
    }
}

static double largest_moment(const tn_model_body *body)
{
    double I[3];
    moments(body, I);
    return fmax(I[0], fmax(I[1], I[2]));
}

// Force that the joint's holds bear on b [N].
static void held_force(const work *w, const tn_model_joint *joint, const tn_joint_geometry *at, double out[3])
{
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    for (int i = joint->first_row; i < joint->first_row + joint->n_rows; i++) {
        const tn_model_joint_row *row = w->model->joint_rows + i;
        if (row->role != TN_ROLE_HOLD || (!joint->bushing && at->hold[row->index].turn)) {
            continue;
        }
        const tn_joint_mix mix = tn_joint_mix_of(joint, row->index);
        for (int k = 0; k < mix.n; k++) {
            const tn_joint_motion *motion = &at->hold[mix.hold[k]];
            if (!motion->turn) {
                tn_vec3_madd(out, out, w->force[i] * mix.factor[k], motion->direction);
            }
        }
    }
}

// Whether nothing turns in the joint.
static bool holds_turns(const tn_model_joint *joint)
{
    int turns = 0;
    for (int i = 0; i < joint->n_holds && !joint->bushing; i++) {
        turns += tn_joint_hold_turns(joint, i);
    }
    return turns == 3;
}

// Whether its force lets the point go across it: the other side is no inertia to what turns there.
static bool slides_across(const tn_model_joint *joint)
{
    return joint->kind == TN_JOINT_DISTANCE || joint->kind == TN_JOINT_POINT_ON_PLANE;
}

// Mass that a body shows at an arm from its center, at most; INFINITY where it is not free.
static double apparent_mass(const tn_model_body *body, double arm2)
{
    return is_free(body) ? 1.0 / (1.0 / body->mass + arm2 / largest_moment(body)) : INFINITY;
}

// One side: its arm, and its part of K. What the force has across the arm is left out: f is a step old, and a thin body
// has hardly a moment about its arm.
static void add_side(work *w, int side, int body, int other, const double point[3], const double other_point[3],
                     const double force[3], bool turns, bool slides)
{
    const tn_model_body *other_body = w->model->bodies + other;
    joint_side *s = w->sides + side;
    double arm[3], f[3], other_arm[3], *K = w->K[body];
    tn_vec3_sub(arm, point, w->state->pose[body].position);
    tn_quat_rotate_inverse(s->arm, w->state->pose[body].quaternion, arm);
    tn_quat_rotate_inverse(f, w->state->pose[body].quaternion, force);
    tn_vec3_sub(other_arm, other_point, w->state->pose[other].position);
    s->apparent = slides ? 0.0 : apparent_mass(other_body, tn_vec3_dot(other_arm, other_arm));
    s->apparent_turns = !turns ? 0.0 : is_free(other_body) ? largest_moment(other_body) : INFINITY;
    s->next = w->first[body];
    w->first[body] = side;
    double along = tn_vec3_dot(s->arm, f), square = tn_vec3_dot(s->arm, s->arm);
    double pull = square > 0.0 ? along / square : 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            K[3 * i + j] += (i == j ? along : 0.0) - pull * s->arm[i] * s->arm[j];
        }
    }
}

static void add_joint(work *w, int number)
{
    const tn_model_joint *joint = w->model->joints + number;
    const tn_joint_geometry *at = &w->at[number];
    double force[3], back[3];
    if (joint->kind == TN_JOINT_GEAR || joint->elastic || joint->set_a >= 0 || joint->set_b >= 0) {
        return;
    }
    held_force(w, joint, at, force);
    tn_vec3_scale(back, -1.0, force);
    bool turns = holds_turns(joint), slides = slides_across(joint);
    if (is_free(w->model->bodies + joint->body_a)) {
        add_side(w, 2 * number, joint->body_a, joint->body_b, at->point_a, at->point_b, back, turns, slides);
    }
    if (is_free(w->model->bodies + joint->body_b)) {
        add_side(w, 2 * number + 1, joint->body_b, joint->body_a, at->point_b, at->point_a, force, turns, slides);
    }
}

static void add_point_mass(double I[9], double mass, const double arm[3])
{
    double square = tn_vec3_dot(arm, arm);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            I[3 * i + j] += mass * ((i == j ? square : 0.0) - arm[i] * arm[j]);
        }
    }
}

// Moment about a center of what turns with the body; false: it cannot turn about it.
static bool moment_about(const work *w, int body, const double center[3], double I[9])
{
    const tn_model_body *b = w->model->bodies + body;
    double arm[3], own[3];
    moments(b, own);
    tn_mat3_identity(I);
    for (int k = 0; k < 3; k++) {
        I[4 * k] = own[k];
    }
    add_point_mass(I, b->mass, center);
    for (int s = w->first[body]; s >= 0; s = w->sides[s].next) {
        const joint_side *side = w->sides + s;
        tn_vec3_sub(arm, side->arm, center);
        bool away = tn_vec3_dot(arm, arm) > 1e-12 * tn_vec3_dot(side->arm, side->arm);
        if ((away && isinf(side->apparent)) || isinf(side->apparent_turns)) {
            return false;
        }
        if (away) {
            add_point_mass(I, side->apparent, arm);
        }
        for (int k = 0; k < 3; k++) {
            I[4 * k] += side->apparent_turns;
        }
    }
    return true;
}

// Largest eigenvalue of I^-1 K [1/s^2], K >= 0; where it is at most `enough`, a bound of it that is too: their sum.
static double largest_ratio(const double I[9], const double K[9], double enough)
{
    double values[3], vectors[9], root[9], half[9], both[9], inverse[9];
    if (tn_mat3_inverse(inverse, I)) {
        double sum = 0.0;
        for (int i = 0; i < 9; i++) {
            sum += inverse[i] * K[i];
        }
        if (sum <= enough) {
            return sum;
        }
    }
    tn_mat3_eigen(I, values, vectors);
    for (int i = 0; i < 9; i++) {
        root[i] = vectors[i] / sqrt(values[i % 3]);
    }
    tn_mat3_mul(half, K, root);
    tn_mat3_mul_tn(both, root, half);
    tn_mat3_eigen(both, values, vectors);
    return values[2];
}

static double about(const double A[9], const double n[3])
{
    double An[3];
    tn_mat3_vec(An, A, n);
    return tn_vec3_dot(n, An);
}

// Largest h^2 K / I over the centers about which the body may turn: about any axis, or about n. At most 1: or a bound.
static double worst_ratio(const work *w, int body, const double K[9], const double n[3])
{
    double I[9], worst = 0.0, enough = 1.0 / (w->h * w->h);
    const double middle[3] = {0.0, 0.0, 0.0};
    if (moment_about(w, body, middle, I)) {
        worst = n ? about(K, n) / about(I, n) : largest_ratio(I, K, enough);
    }
    for (int s = w->first[body]; s >= 0; s = w->sides[s].next) {
        if (moment_about(w, body, w->sides[s].arm, I)) {
            worst = fmax(worst, n ? about(K, n) / about(I, n) : largest_ratio(I, K, enough));
        }
    }
    return w->h * w->h * worst;
}

static void clip(double K[9])
{
    double values[3], vectors[9];
    tn_mat3_eigen(K, values, vectors);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            K[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++) {
                K[3 * i + j] += fmax(values[k], 0.0) * vectors[3 * i + k] * vectors[3 * j + k];
            }
        }
    }
}

static void add_planar(work *w, int body, tn_balance *balance)
{
    const tn_model_body *b = w->model->bodies + body;
    double n[3];
    tn_quat_rotate_inverse(n, w->state->pose[body].quaternion, b->plane_axes + 6);
    double ratio = worst_ratio(w, body, w->K[body], n);
    if (ratio > 1.0) {
        tn_blocks_find(balance->A, b->block, b->block)[8] += w->h * (1.0 - 1.0 / ratio) * about(w->K[body], n);
    }
}

static void add_spatial(work *w, int body, tn_balance *balance)
{
    const tn_model_body *b = w->model->bodies + body;
    double *K = w->K[body];
    clip(K);
    double ratio = worst_ratio(w, body, K, NULL);
    if (ratio > 1.0) {
        double *value = tn_blocks_find(balance->A, b->block + 1, b->block + 1);
        for (int i = 0; i < 9; i++) {
            value[i] += w->h * (1.0 - 1.0 / ratio) * K[i];
        }
    }
}

// Most that h^2 K / I can be, with the body's own moments alone.
static double bound(const work *w, int body)
{
    const double *K = w->K[body];
    double I[3], sum = 0.0;
    moments(w->model->bodies + body, I);
    for (int i = 0; i < 3; i++) {
        sum += (fabs(K[3 * i]) + fabs(K[3 * i + 1]) + fabs(K[3 * i + 2])) / I[i];
    }
    return w->h * w->h * sum;
}

static void add_body(work *w, int body, tn_balance *balance)
{
    if (w->first[body] < 0 || bound(w, body) <= 1.0) {
        return;
    }
    if (w->model->bodies[body].planar) {
        add_planar(w, body, balance);
    } else {
        add_spatial(w, body, balance);
    }
}

// K of all bodies, in principal axes.
static bool find_stiffness(work *w, tn_arena *arena)
{
    const tn_model *model = w->model;
    w->first = TN_PUSH_RAW(arena, int, model->n_bodies);
    w->sides = TN_PUSH_RAW(arena, joint_side, 2 * model->n_joints);
    w->K = (double(*)[9])TN_PUSH(arena, double, 9 * (size_t)model->n_bodies);
    if (!w->first || !w->sides || !w->K) {
        return false;
    }
    for (int b = 0; b < model->n_bodies; b++) {
        w->first[b] = -1;
    }
    for (int j = 0; j < model->n_joints; j++) {
        add_joint(w, j);
    }
    return true;
}

static tn_joint_geometry *look_at_all(const tn_model *model, const tn_state *state, tn_arena *arena)
{
    const tn_joint_sides sides = {state->pose, state->x};
    tn_joint_geometry *out = TN_PUSH_RAW(arena, tn_joint_geometry, model->n_joints);
    for (int i = 0; out && i < model->n_joints; i++) {
        tn_joint_look_at(model, &model->joints[i], &sides, &out[i]);
    }
    return out;
}

static tn_status no_memory(const tn_model *model, tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the stiffness of %d joints", model->n_joints);
}

tn_status tn_balance_add_joint_stiffness(const tn_model *model, const tn_state *state, tn_arena *arena,
                                         tn_balance *balance, tn_error *error)
{
    balance->joints = look_at_all(model, state, arena);
    work w = {.model = model, .state = state, .at = balance->joints, .force = state->joint_force, .h = balance->h};
    if (!balance->joints || !find_stiffness(&w, arena)) {
        return no_memory(model, error);
    }
    for (int b = 0; b < model->n_bodies; b++) {
        if (is_free(model->bodies + b)) {
            add_body(&w, b, balance);
        }
    }
    return TN_OK;
}

// A's block of the body's rotation and b's part of it as they are without tension, kept at the first call.
typedef struct slack {
    double A[9], b[3];
} slack;

static bool keep_slack(const tn_model *model, tn_arena *arena, tn_balance *balance)
{
    slack *kept = TN_PUSH(arena, slack, model->n_bodies);
    balance->slack = (double *)kept;
    for (int i = 0; kept && i < model->n_bodies; i++) {
        const tn_model_body *body = model->bodies + i;
        if (is_free(body)) {
            int block = body->block + body->n_blocks - 1;
            memcpy(kept[i].A, tn_blocks_find(balance->A, block, block), sizeof kept[i].A);
            memcpy(kept[i].b, balance->b + 3 * (size_t)block, sizeof kept[i].b);
        }
    }
    return kept;
}

// With K [N m] at the velocity omega about the body's axes; of a planar body only the turn about the normal.
static void tighten(const work *w, int body, const slack *kept, const double *v, tn_balance *balance)
{
    const tn_model_body *b = w->model->bodies + body;
    int block = b->block + b->n_blocks - 1;
    double *A = tn_blocks_find(balance->A, block, block), *to = balance->b + 3 * (size_t)block, *K = w->K[body];
    const double *omega = v + 3 * (size_t)block;
    memcpy(A, kept->A, sizeof kept->A);
    memcpy(to, kept->b, sizeof kept->b);
    if (b->planar) {
        double n[3], stiff;
        tn_quat_rotate_inverse(n, w->state->pose[body].quaternion, b->plane_axes + 6);
        stiff = fmax(0.5 * w->h * about(K, n), 0.0);
        A[8] += stiff;
        to[2] += stiff * omega[2];
        return;
    }
    double turned[3];
    clip(K);
    tn_mat3_vec(turned, K, omega);
    tn_vec3_madd(to, to, 0.5 * w->h, turned);
    for (int i = 0; i < 9; i++) {
        A[i] += 0.5 * w->h * K[i];
    }
}

tn_status tn_balance_tighten(const tn_model *model, const tn_state *state, const double *force, const double *v,
                             tn_arena *arena, tn_balance *balance, tn_error *error)
{
    work w = {.model = model, .state = state, .force = force, .h = balance->h};
    if (!balance->slack && !keep_slack(model, arena, balance)) {
        return no_memory(model, error);
    }
    tn_arena_mark mark = tn_arena_get_mark(arena);
    w.at = look_at_all(model, state, arena);
    bool ok = w.at && find_stiffness(&w, arena);
    for (int b = 0; ok && b < model->n_bodies; b++) {
        if (is_free(model->bodies + b) && w.first[b] >= 0) {
            tighten(&w, b, (const slack *)balance->slack + b, v, balance);
        }
    }
    tn_arena_release(arena, mark);
    return ok ? TN_OK : no_memory(model, error);
}
