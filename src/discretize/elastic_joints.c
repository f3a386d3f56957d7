#include "discretize/elastic_joints.h"

#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>

// How much of the turns at the step's start the tension lets go on: with all of it a thin rope that falls and whips
// round (physics.rod, test_catenary) gains energy at 10 ms; with none what runs over a pulley is braked by a third in
// half a second (physics.rod_contact, test_pulley).
static const double GOES_ON = 0.9;

// A block and its mirror.
static void add_block(tn_blocks *A, int row, int column, double sign, const double M[9])
{
    double *upper = tn_blocks_find(A, row, column), *lower = tn_blocks_find(A, column, row);
    for (int k = 0; k < 9; k++) {
        upper[k] += sign * M[k];
        lower[3 * (k % 3) + k / 3] += sign * M[k];
    }
}

// A block on the diagonal, symmetric to the bit.
static void add_own(tn_blocks *A, int block, const double M[9])
{
    double *to = tn_blocks_find(A, block, block);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            to[3 * i + j] += 0.5 * (M[3 * i + j] + M[3 * j + i]);
        }
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
    double axis[3], hold = h * e->taut[side];
    tn_mat3_tvec(axis, e->turn[side], e->along);
    for (int i = 0; i < 9; i++) {
        own[i] += hold * ((i % 4 == 0 ? 1.0 : 0.0) - axis[i / 3] * axis[i % 3]);
    }
    tn_vec3_madd(b, b, GOES_ON * hold, omega);
    tn_vec3_madd(b, b, -GOES_ON * hold * tn_vec3_dot(axis, omega), axis);
}

// A side's blocks by themselves. X: what a turn of the body does to x, [r] P. v: the velocities at the step's start.
static void add_side(const tn_elastic_element *e, int side, int block, const double S[9], const double T[9],
                     const double X[9], const double *v, tn_balance *balance)
{
    tn_blocks *A = balance->A;
    double product[9], own[9], turn[9];
    tn_mat3_mul(product, S, X);
    add_own(A, block, S);
    add_block(A, block, block + 1, -1.0, product);
    tn_mat3_mul_tn(own, X, product);
    sandwich(e->turn[side], T, e->turn[side], turn);
    for (int i = 0; i < 9; i++) {
        own[i] += turn[i];
    }
    add_taut(e, side, balance->h, v + 3 * (block + 1), own, balance->b + 3 * (block + 1));
    add_own(A, block + 1, own);
}

// What couples both sides.
static void add_pair(const tn_elastic_element *e, const int block[2], const double S[9], const double T[9],
                     double X[2][9], tn_blocks *A)
{
    double M[9], turn[9];
    add_block(A, block[0], block[1], -1.0, S);
    tn_mat3_mul(M, S, X[1]);
    add_block(A, block[0], block[1] + 1, 1.0, M);
    tn_mat3_mul(M, S, X[0]);
    add_block(A, block[1], block[0] + 1, 1.0, M);
    sandwich(X[0], S, X[1], M);
    sandwich(e->turn[0], T, e->turn[1], turn);
    for (int i = 0; i < 9; i++) {
        M[i] += turn[i];
    }
    add_block(A, block[0] + 1, block[1] + 1, -1.0, M);
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
    double reach = balance->kappa * balance->h + e->lag, S[9], T[9], X[2][9], force[3], torque[3];
    const int block[2] = {model->bodies[e->body_a].block, model->bodies[e->body_b].block};
    for (int i = 0; i < 9; i++) {
        S[i] = reach * e->stretch[i];
        T[i] = reach * e->bend[i];
    }
    for (int side = 0; side < 2; side++) {
        if (block[side] >= 0) {
            double arm[9];
            tn_mat3_skew(arm, e->arm[side]);
            tn_mat3_mul(X[side], arm, e->turn[side]);
            add_side(e, side, block[side], S, T, X[side], v, balance);
        }
    }
    if (block[0] >= 0 && block[1] >= 0) {
        add_pair(e, block, S, T, X, balance->A);
    }
    tn_vec3_add(force, e->drift, e->arc);
    tn_mat3_vec(force, S, force);
    tn_mat3_vec(torque, T, e->drift_turn);
    tn_vec3_sub(force, e->force, force);
    tn_vec3_sub(torque, e->torque, torque);
    push(e, block, force, torque, balance->b);
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
