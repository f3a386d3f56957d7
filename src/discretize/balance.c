#include "discretize/balance.h"

#include "base/team.h"
#include "body/force.h"
#include "body/rigid.h"
#include "discretize/joint_stiffness.h"
#include "discretize/soft.h"
#include "math/mat3.h"

// One body's rows of M, f, v^ predicted and b.
static void fill_body(const tn_model *model, const tn_state *state, int index, tn_balance *out)
{
    const tn_model_body *body = &model->bodies[index];
    int at = 3 * body->block, n = 3 * body->n_blocks;
    double h = out->h, theta = out->theta, weight[6], force[6];
    tn_body_mass(body, out->mass + at);
    tn_force_gravity(body, model->settings.gravity, weight);
    tn_force_applied(body, &state->pose[index], state->time + theta * h, out->applied + at);
    if (out->grab && out->grab->body == index) {
        tn_grab_add_force(out->grab, state, out->applied + at);
    }
    for (int i = 0; i < n; i++) {
        force[i] = weight[i] + out->applied[at + i];
    }
    tn_body_predict(body, state->v + at, force, h, theta, out->predicted + at);
    for (int i = 0; i < n; i++) {
        double inertial = out->mass[at + i] * state->v[at + i] / (theta * h);
        // Without contacts and springs v^ must come out as predicted.
        bool turns = !body->planar && i >= 3;
        out->gyro[at + i] =
            turns ? out->mass[at + i] * out->predicted[at + i] / (theta * h) - inertial - force[i] : 0.0;
        out->b[at + i] = inertial + force[i] + out->gyro[at + i];
    }
}

// S = kappa h H + C of one spring.
static void spring_matrix(const tn_balance *balance, const tn_spring_element *spring, double out[9])
{
    for (int i = 0; i < 9; i++) {
        out[i] = balance->kappa * balance->h * spring->stiffness[i] + spring->damping[i];
    }
}

// J_i^T S J_j of one spring into A; the lower blocks are the upper ones transposed, so that A is symmetric to the bit.
static void add_spring_matrix(const tn_spring_element *spring, const double S[9], tn_blocks *A)
{
    for (int i = 0; i < spring->n; i++) {
        for (int j = i; j < spring->n; j++) {
            double turned[9], product[9];
            double *upper = tn_blocks_find(A, spring->block[i], spring->block[j]);
            double *lower = tn_blocks_find(A, spring->block[j], spring->block[i]);
            double weight = i == j ? 0.5 : 1.0; // a diagonal block is its own mirror
            tn_mat3_mul(turned, S, spring->jacobian[j]);
            tn_mat3_mul_tn(product, spring->jacobian[i], turned);
            for (int k = 0; k < 9; k++) {
                upper[k] += weight * product[k];
                lower[3 * (k % 3) + k / 3] += weight * product[k];
            }
        }
    }
}

// b += J^T (f - S w)
static void add_spring_force(const tn_spring_element *spring, const double S[9], double *b)
{
    double pull[3], drag[3];
    tn_mat3_vec(drag, S, spring->drift);
    tn_vec3_sub(pull, spring->force, drag);
    for (int i = 0; i < spring->n; i++) {
        tn_mat3_add_tvec(b + 3 * spring->block[i], spring->jacobian[i], pull);
    }
}

static tn_status add_springs(const tn_model *model, const tn_state *state, tn_arena *arena, tn_balance *out)
{
    out->springs = TN_PUSH(arena, tn_spring_element, out->n_springs);
    if (!out->springs) {
        return TN_NO_MEMORY;
    }
    // The arms of midpoint belong to the middle of the step; euler is of first order anyway.
    tn_spring_instant at = {.poses = state->pose,
                            .v = state->v,
                            .t = state->time,
                            .h = out->h,
                            .lead = out->theta == 0.5 ? 0.5 * out->h : 0.0};
    for (int s = 0; s < out->n_springs; s++) {
        double S[9];
        tn_spring_linearize(model, &model->scene->springs[s], &at, &out->springs[s]);
        spring_matrix(out, &out->springs[s], S);
        add_spring_matrix(&out->springs[s], S, out->A);
        add_spring_force(&out->springs[s], S, out->b);
    }
    return TN_OK;
}

static int thread_count(const tn_model *model)
{
    return model->settings.solve.n_threads > 1 ? model->settings.solve.n_threads : 1;
}

static void put_inertia(const tn_model_body *body, const tn_balance *balance, tn_blocks *A)
{
    for (int i = body->block; i < body->block + body->n_blocks; i++) {
        double *value = tn_blocks_find(A, i, i);
        for (int k = 0; k < 3; k++) {
            value[4 * k] = balance->mass[3 * i + k] / (balance->theta * balance->h);
        }
    }
}

// A with the model's pattern and the rigid bodies' inertia.
static tn_blocks *start_matrix(const tn_model *model, tn_arena *arena, const tn_balance *balance)
{
    tn_blocks *A = TN_PUSH(arena, tn_blocks, 1);
    if (!A) {
        return NULL;
    }
    *A = model->pattern;
    // Elements write all blocks between nodes (kernels/tets/tets.h); what rigid bodies and springs add to must start at
    // zero.
    size_t n = 9 * (size_t)A->start[A->n_rows];
    bool only_nodes = model->n_softs > 0 && model->n_rigid_blocks == 0;
    A->value = only_nodes ? TN_PUSH_RAW(arena, double, n) : TN_PUSH(arena, double, n);
    if (!A->value) {
        return NULL;
    }
    TN_TEAM_FOR((static), thread_count(model), b, model->n_bodies, { put_inertia(&model->bodies[b], balance, A); });
    return A;
}

// (3 n_blocks) for fill_body, which leaves the nodes' part alone: that starts at zero.
static double *push_velocity(const tn_model *model, tn_arena *arena)
{
    size_t n = 3 * (size_t)model->n_blocks;
    return model->n_softs > 0 ? TN_PUSH(arena, double, n) : TN_PUSH_RAW(arena, double, n);
}

tn_status tn_balance_build(const tn_model *model, const tn_state *state, const tn_tets_elastic *elastic,
                           const double *moved, const tn_grab *grab, tn_arena *arena, tn_balance *out, tn_error *error)
{
    double theta = model->settings.scheme == TN_SCHEME_MIDPOINT ? 0.5 : 1.0;
    size_t n = 3 * (size_t)model->n_blocks;
    *out = (tn_balance){.theta = theta,
                        .kappa = theta,
                        .h = model->settings.step,
                        .n_springs = model->scene->n_springs,
                        .elastic = elastic,
                        .moved = moved,
                        .grab = grab};
    out->b = push_velocity(model, arena);
    out->mass = push_velocity(model, arena);
    out->applied = push_velocity(model, arena);
    out->predicted = push_velocity(model, arena);
    out->gyro = push_velocity(model, arena);
    if (!out->b || !out->mass || !out->applied || !out->predicted || !out->gyro) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the momentum balance of %zu velocities", n);
    }
    TN_TEAM_FOR((static), thread_count(model), i, model->n_bodies, {
        if (model->bodies[i].n_blocks > 0) {
            fill_body(model, state, i, out);
        }
    });
    out->A = start_matrix(model, arena, out);
    if (!out->A || add_springs(model, state, arena, out) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the balance matrix of %zu velocities", n);
    }
    if (model->n_joints > 0 && theta == 1.0) {
        tn_status status = tn_balance_add_joint_stiffness(model, state, arena, out, error);
        if (status) {
            return status;
        }
    }
    return model->n_softs > 0 ? tn_balance_add_softs(model, state, arena, out, error) : TN_OK;
}
