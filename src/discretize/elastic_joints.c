#include "discretize/elastic_joints.h"

#include "math/mat3.h"
#include "math/vec3.h"

// How much of the turns at the step's start the tension lets go on: with all of it a thin rope that falls and whips
// round (physics.rod, test_catenary) gains energy at 10 ms; with none what runs over a pulley is braked by a third in
// half a second (physics.rod_contact, test_pulley).
static const double GOES_ON = 0.9;

// Where the two blocks of a row body and of a column body meet in A: to[i] the row body's block i, of which the column
// body's two follow one another.
typedef struct meeting {
    double *to[2];
} meeting;

static meeting find(tn_blocks *A, int row, int column)
{
    return (meeting){{tn_blocks_find(A, row, column), tn_blocks_find(A, row + 1, column)}};
}

// To block (i, j) of one, and mirrored to (j, i) of the other.
static void add_block(const meeting *upper, const meeting *lower, int i, int j, double sign, const double M[9])
{
    double *to = upper->to[i] + 9 * j, *mirror = lower->to[j] + 9 * i;
#pragma GCC unroll 9
    for (int k = 0; k < 9; k++) {
        to[k] += sign * M[k];
    }
#pragma GCC unroll 9
    for (int k = 0; k < 9; k++) {
        mirror[k] += sign * M[3 * (k % 3) + k / 3];
    }
}

// A block on the diagonal, symmetric to the bit.
static void add_own(const meeting *own, int i, const double M[9])
{
    double *to = own->to[i] + 9 * i;
#pragma GCC unroll 9
    for (int k = 0; k < 9; k++) {
        to[k] += 0.5 * (M[k] + M[3 * (k % 3) + k / 3]);
    }
}

// S [r], row by row: s^T (r cross y) = (s cross r)^T y.
static void times_arm(const double S[9], const double r[3], double out[9])
{
    for (int i = 0; i < 3; i++) {
        tn_vec3_cross(out + 3 * i, S + 3 * i, r);
    }
}

// T + [r]^T M: what turns by both sides ask of x and of the bend.
static void add_arm(const double T[9], const double r[3], const double M[9], double out[9])
{
    for (int i = 0; i < 3; i++) {
        out[i] = T[i] + r[2] * M[3 + i] - r[1] * M[6 + i];
        out[3 + i] = T[3 + i] + r[0] * M[6 + i] - r[2] * M[i];
        out[6 + i] = T[6 + i] + r[1] * M[i] - r[0] * M[3 + i];
    }
}

// left^T S right
static void sandwich(const double left[9], const double S[9], const double right[9], double out[9])
{
    double product[9];
    tn_mat3_mul(product, S, right);
    tn_mat3_mul_tn(out, left, product);
}

// What holds a body against turns across a tension, at nearly the rate that it has: h K (omega - GOES_ON omega_k).
static void add_taut(const tn_elastic_element *e, int side, double h, const double omega[3], double own[9], double b[3])
{
    double axis[3], hold = h * e->taut[side], goes_on = GOES_ON * h * e->goes_on[side];
    tn_mat3_tvec(axis, e->turn[side], e->along);
    for (int i = 0; i < 9; i++) {
        own[i] += hold * ((i % 4 == 0 ? 1.0 : 0.0) - axis[i / 3] * axis[i % 3]);
    }
    tn_vec3_madd(b, b, goes_on, omega);
    tn_vec3_madd(b, b, -goes_on * tn_vec3_dot(axis, omega), axis);
}

// What a joint's stiffness S of stretch and T of bend, times the step, become between its bodies (-1: none): a body's
// own turn moves x by [r] P, P its axes.
typedef struct stiffness {
    const tn_elastic_element *e;
    int block[2];
    double S[9], T[9];
    double arm[2][9];   // S [r]
    double moved[2][9]; // S [r] P
} stiffness;

// A side's blocks by themselves. v: the velocities at the step's start.
static void add_side(stiffness *k, int side, const double *v, tn_balance *balance)
{
    const tn_elastic_element *e = k->e;
    int block = k->block[side];
    meeting at = find(balance->A, block, block);
    double turn[9], own[9];
    times_arm(k->S, e->arm[side], k->arm[side]);
    tn_mat3_mul(k->moved[side], k->arm[side], e->turn[side]);
    add_own(&at, 0, k->S);
    add_block(&at, &at, 0, 1, -1.0, k->moved[side]);
    add_arm(k->T, e->arm[side], k->arm[side], turn);
    sandwich(e->turn[side], turn, e->turn[side], own);
    if (e->taut[side] > 0.0) {
        add_taut(e, side, balance->h, v + 3 * (block + 1), own, balance->b + 3 * (block + 1));
    }
    add_own(&at, 1, own);
}

// What couples both sides.
static void add_pair(const stiffness *k, tn_blocks *A)
{
    const tn_elastic_element *e = k->e;
    meeting upper = find(A, k->block[0], k->block[1]), lower = find(A, k->block[1], k->block[0]);
    double turn[9], M[9];
    add_block(&upper, &lower, 0, 0, -1.0, k->S);
    add_block(&upper, &lower, 0, 1, 1.0, k->moved[1]);
    add_block(&lower, &upper, 0, 1, 1.0, k->moved[0]);
    add_arm(k->T, e->arm[0], k->arm[1], turn);
    sandwich(e->turn[0], turn, e->turn[1], M);
    add_block(&upper, &lower, 1, 1, -1.0, M);
}

// A force and a torque on b at x, and back on a, into b.
static void push(const tn_elastic_element *e, const int block[2], const double force[3], const double torque[3],
                 double *b)
{
    for (int side = 0; side < 2; side++) {
        double moment[3], own[3], sign = side ? 1.0 : -1.0, *to = b + 3 * block[side];
        if (block[side] >= 0) {
            tn_vec3_cross(moment, e->arm[side], force);
            tn_vec3_add(moment, moment, torque);
            tn_mat3_tvec(own, e->turn[side], moment);
            tn_vec3_madd(to, to, sign, force);
            tn_vec3_madd(to + 3, to + 3, sign, own);
        }
    }
}

static void add_joint(const tn_model *model, const tn_elastic_element *e, const double *v, tn_balance *balance)
{
    double reach = balance->kappa * balance->h + e->lag, force[3], torque[3];
    stiffness k; // not set to zero as a whole: it is large
    k.e = e;
    k.block[0] = model->bodies[e->body_a].block;
    k.block[1] = model->bodies[e->body_b].block;
    for (int i = 0; i < 9; i++) {
        k.S[i] = reach * e->stretch[i];
        k.T[i] = reach * e->bend[i];
    }
    for (int side = 0; side < 2; side++) {
        if (k.block[side] >= 0) {
            add_side(&k, side, v, balance);
        }
    }
    if (k.block[0] >= 0 && k.block[1] >= 0) {
        add_pair(&k, balance->A);
    }
    tn_vec3_add(force, e->drift, e->arc);
    tn_mat3_vec(force, k.S, force);
    tn_mat3_vec(torque, k.T, e->drift_turn);
    tn_vec3_sub(force, e->force, force);
    tn_vec3_sub(torque, e->torque, torque);
    push(e, k.block, force, torque, balance->b);
}

tn_status tn_balance_add_elastic_joints(const tn_model *model, const tn_state *state, tn_arena *arena,
                                        tn_balance *balance)
{
    balance->elastics = TN_PUSH_RAW(arena, tn_elastic_element, model->n_joints);
    for (int j = 0; balance->elastics && j < model->n_joints; j++) {
        tn_elastic_element *e = &balance->elastics[j];
        e->body_a = -1;
        if (model->joints[j].elastic) {
            tn_elastic_linearize(model, &model->joints[j], state->pose, state->v, state->time, balance->h, e);
            add_joint(model, e, state->v, balance);
        }
    }
    return balance->elastics ? TN_OK : TN_NO_MEMORY;
}

void tn_balance_elastic_force(const tn_model *model, const tn_balance *balance, int joint, const double *v,
                              double force[3], double torque[3])
{
    if (balance->borne) {
        tn_vec3_copy(force, balance->borne[joint]);
        tn_vec3_copy(torque, balance->borne[joint] + 3);
        return;
    }
    const tn_elastic_element *e = &balance->elastics[joint];
    double reach = balance->kappa * balance->h + e->lag, rate[3], turn[3], drag[3];
    tn_elastic_rate(model, e, v, rate, turn);
    tn_mat3_vec(drag, e->stretch, rate);
    tn_vec3_madd(force, e->force, -reach, drag);
    tn_mat3_vec(drag, e->bend, turn);
    tn_vec3_madd(torque, e->torque, -reach, drag);
}
