#include "discretize/joint_stiffness.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "model/joint_geometry.h"

#include <math.h>
#include <string.h>

// One side of a joint, on a free body; all but `next` and `along` once the body's K is asked for.
typedef struct joint_side {
    int next;              // another side on the same body, -1: none
    double along;          // force times what it has of the arm [N m]: most that its part of K can be
    double arm[3];         // from the center of mass, in the body's principal axes [m]
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
    int *first;        // (n_bodies) sides of each body that is not fixed
    joint_side *sides; // (2 n_joints) of each joint that on a, that on b
    double (*held)[3]; // (n_joints) force on b [N]
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

// Force that the joint's holds, its first rows, bear on b [N].
static void held_force(const work *w, const tn_model_joint *joint, const tn_joint_geometry *at, double out[3])
{
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    for (int i = 0; i < joint->n_holds; i++) {
        if (!joint->bushing && at->hold[i].turn) {
            continue;
        }
        const tn_joint_mix mix = tn_joint_mix_of(joint, i);
        for (int k = 0; k < mix.n; k++) {
            const tn_joint_motion *motion = &at->hold[mix.hold[k]];
            if (!motion->turn) {
                tn_vec3_madd(out, out, w->force[joint->first_row + i] * mix.factor[k], motion->direction);
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

static int body_of(const work *w, int side)
{
    const tn_model_joint *joint = &w->model->joints[side / 2];
    return side % 2 ? joint->body_b : joint->body_a;
}

// From the center of a side's body to its point, world axes.
static void find_arm(const work *w, int side, double out[3])
{
    const tn_joint_geometry *at = &w->at[side / 2];
    tn_vec3_sub(out, side % 2 ? at->point_b : at->point_a, w->state->pose[body_of(w, side)].position);
}

static void note_side(work *w, int side)
{
    int body = body_of(w, side);
    if (is_free(w->model->bodies + body)) {
        double arm[3];
        find_arm(w, side, arm);
        w->sides[side].along = (side % 2 ? 1.0 : -1.0) * tn_vec3_dot(arm, w->held[side / 2]);
        w->sides[side].next = w->first[body];
        w->first[body] = side;
    }
}

// A side, and its part of K. What the force has across the arm is left out: f is a step old, and a thin body has hardly
// a moment about its arm.
static void add_side(work *w, int side, double K[9])
{
    int body = body_of(w, side), other = body_of(w, side ^ 1);
    const tn_model_joint *joint = &w->model->joints[side / 2];
    const tn_model_body *other_body = w->model->bodies + other;
    joint_side *s = w->sides + side;
    double arm[3], other_arm[3];
    find_arm(w, side, arm);
    tn_quat_rotate_inverse(s->arm, w->state->pose[body].quaternion, arm);
    find_arm(w, side ^ 1, other_arm);
    s->apparent = slides_across(joint) ? 0.0 : apparent_mass(other_body, tn_vec3_dot(other_arm, other_arm));
    s->apparent_turns = !holds_turns(joint) ? 0.0 : is_free(other_body) ? largest_moment(other_body) : INFINITY;
    double square = tn_vec3_dot(s->arm, s->arm), pull = square > 0.0 ? s->along / square : 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            K[3 * i + j] += (i == j ? s->along : 0.0) - pull * s->arm[i] * s->arm[j];
        }
    }
}

// K of a body, in principal axes [N m].
static void find_stiffness(work *w, int body, double K[9])
{
    memset(K, 0, 9 * sizeof *K);
    for (int s = w->first[body]; s >= 0; s = w->sides[s].next) {
        add_side(w, s, K);
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
    tn_mat3_add_point_mass(I, b->mass, center);
    for (int s = w->first[body]; s >= 0; s = w->sides[s].next) {
        const joint_side *side = w->sides + s;
        tn_vec3_sub(arm, side->arm, center);
        bool away = tn_vec3_dot(arm, arm) > 1e-12 * tn_vec3_dot(side->arm, side->arm);
        if ((away && isinf(side->apparent)) || isinf(side->apparent_turns)) {
            return false;
        }
        if (away) {
            tn_mat3_add_point_mass(I, side->apparent, arm);
        }
        for (int k = 0; k < 3; k++) {
            I[4 * k] += side->apparent_turns;
        }
    }
    return true;
}

// R with R I R^T = 1: the inverse of I's lower factor.
static void inverse_root(const double I[9], double R[9])
{
    double a = sqrt(I[0]), b = I[3] / a, c = I[6] / a, d = sqrt(I[4] - b * b);
    double e = (I[7] - c * b) / d, f = sqrt(I[8] - c * c - e * e);
    tn_vec3_set(R, 1.0 / a, 0.0, 0.0);
    tn_vec3_set(R + 3, -b / (a * d), 1.0 / d, 0.0);
    tn_vec3_set(R + 6, (b * e / d - c) / (a * f), -e / (d * f), 1.0 / f);
}

// Largest eigenvalue of I^-1 K [1/s^2], K >= 0; where it is at most `enough`, a bound of it that is too: their sum.
static double largest_ratio(const double I[9], const double K[9], double enough)
{
    double values[3], vectors[9], R[9], half[9], both[9];
    inverse_root(I, R);
    tn_mat3_mul(half, R, K);
    tn_mat3_mul_nt(both, half, R);
    double sum = both[0] + both[4] + both[8];
    if (sum <= enough) {
        return sum;
    }
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

static void add_planar(work *w, int body, const double K[9], tn_balance *balance)
{
    const tn_model_body *b = w->model->bodies + body;
    double n[3];
    tn_quat_rotate_inverse(n, w->state->pose[body].quaternion, b->plane_axes + 6);
    double ratio = worst_ratio(w, body, K, n);
    if (ratio > 1.0) {
        tn_blocks_find(balance->A, b->block, b->block)[8] += w->h * (1.0 - 1.0 / ratio) * about(K, n);
    }
}

static void add_spatial(work *w, int body, double K[9], tn_balance *balance)
{
    const tn_model_body *b = w->model->bodies + body;
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
static double bound(const work *w, int body, const double K[9])
{
    double I[3], sum = 0.0;
    moments(w->model->bodies + body, I);
    for (int i = 0; i < 3; i++) {
        sum += (fabs(K[3 * i]) + fabs(K[3 * i + 1]) + fabs(K[3 * i + 2])) / I[i];
    }
    return w->h * w->h * sum;
}

// The same by what pulls at it: of most bodies that says enough.
static double rough_bound(const work *w, int body)
{
    double I[3], sum = 0.0;
    for (int s = w->first[body]; s >= 0; s = w->sides[s].next) {
        sum += fmax(w->sides[s].along, 0.0);
    }
    moments(w->model->bodies + body, I);
    return w->h * w->h * sum / fmin(I[0], fmin(I[1], I[2]));
}

static void add_body(work *w, int body, tn_balance *balance)
{
    double K[9];
    if (rough_bound(w, body) <= 1.0) {
        return;
    }
    find_stiffness(w, body, K);
    if (bound(w, body, K) <= 1.0) {
        return;
    }
    if (w->model->bodies[body].planar) {
        add_planar(w, body, K, balance);
    } else {
        add_spatial(w, body, K, balance);
    }
}

// Forces of all joints, and who pulls at whom.
static bool find_sides(work *w, tn_arena *arena)
{
    const tn_model *model = w->model;
    w->first = TN_PUSH_RAW(arena, int, model->n_bodies);
    w->sides = TN_PUSH_RAW(arena, joint_side, 2 * model->n_joints);
    w->held = (double(*)[3])TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_joints);
    if (!w->first || !w->sides || !w->held) {
        return false;
    }
    for (int k = 0; k < model->n_movers; k++) {
        w->first[model->mover[k]] = -1;
    }
    for (int j = 0; j < model->n_joints; j++) {
        const tn_model_joint *joint = model->joints + j;
        if (joint->kind != TN_JOINT_GEAR && !joint->elastic && joint->set_a < 0 && joint->set_b < 0) {
            held_force(w, joint, &w->at[j], w->held[j]);
            note_side(w, 2 * j);
            note_side(w, 2 * j + 1);
        }
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
    if (!balance->joints || !find_sides(&w, arena)) {
        return no_memory(model, error);
    }
    for (int k = 0; k < model->n_movers; k++) {
        if (is_free(model->bodies + model->mover[k])) {
            add_body(&w, model->mover[k], balance);
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
static void tighten(work *w, int body, const slack *kept, const double *v, tn_balance *balance)
{
    const tn_model_body *b = w->model->bodies + body;
    int block = b->block + b->n_blocks - 1;
    double *A = tn_blocks_find(balance->A, block, block), *to = balance->b + 3 * (size_t)block, K[9];
    const double *omega = v + 3 * (size_t)block;
    find_stiffness(w, body, K);
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
    bool ok = w.at && find_sides(&w, arena);
    for (int k = 0; ok && k < model->n_movers; k++) {
        int b = model->mover[k];
        if (is_free(model->bodies + b) && w.first[b] >= 0) {
            tighten(&w, b, (const slack *)balance->slack + b, v, balance);
        }
    }
    tn_arena_release(arena, mark);
    return ok ? TN_OK : no_memory(model, error);
}
