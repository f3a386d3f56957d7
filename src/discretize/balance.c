#include "discretize/balance.h"

#include "body/force.h"
#include "body/rigid.h"
#include "math/mat3.h"

#include <string.h>

// One body's rows of M, f, v^ predicted and b.
static void fill_body(const tn_model *model, const tn_state *state, int index, tn_balance *out)
{
    const tn_model_body *body = &model->bodies[index];
    int at = 3 * body->block, n = 3 * body->n_blocks;
    double h = out->h, theta = out->theta, weight[6], force[6];
    tn_body_mass(body, out->mass + at);
    tn_force_gravity(body, model->settings.gravity, weight);
    tn_force_applied(body, &state->pose[index], state->time + theta * h, out->applied + at);
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

static void transpose(double out[9], const double a[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[3 * j + i];
        }
    }
}

// Entries J_i^T S J_j of one spring; the lower ones are the upper ones transposed, so that A is symmetric to the bit.
static int spring_entries(const tn_spring_element *spring, const double S[9], tn_blocks_entry *entry)
{
    int n = 0;
    for (int i = 0; i < spring->n; i++) {
        for (int j = i; j < spring->n; j++) {
            double turned[9], product[9], mirror[9];
            tn_mat3_mul(turned, S, spring->jacobian[j]);
            tn_mat3_mul_tn(product, spring->jacobian[i], turned);
            transpose(mirror, product);
            if (i == j) {
                for (int k = 0; k < 9; k++) {
                    mirror[k] = 0.5 * (mirror[k] + product[k]);
                }
            } else {
                tn_blocks_entry *upper = &entry[n++];
                *upper = (tn_blocks_entry){.row = spring->block[i], .column = spring->block[j]};
                memcpy(upper->value, product, sizeof product);
            }
            tn_blocks_entry *lower = &entry[n++];
            *lower = (tn_blocks_entry){.row = spring->block[j], .column = spring->block[i]};
            memcpy(lower->value, mirror, sizeof mirror);
        }
    }
    return n;
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

static tn_status add_springs(const tn_model *model, const tn_state *state, const double *diagonal, tn_arena *arena,
                             tn_balance *out)
{
    int n = out->n_springs, n_blocks = model->n_blocks, n_entries = n_blocks;
    out->springs = TN_PUSH(arena, tn_spring_element, n);
    tn_blocks_entry *entry = TN_PUSH(arena, tn_blocks_entry, (size_t)n_blocks + 16 * (size_t)n);
    if (!out->springs || !entry) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < n_blocks; i++) {
        entry[i] = (tn_blocks_entry){.row = i, .column = i};
        memcpy(entry[i].value, diagonal + 9 * i, sizeof entry[i].value);
    }
    // The arms of midpoint belong to the middle of the step; euler is of first order anyway.
    tn_spring_instant at = {.poses = state->pose,
                            .v = state->v,
                            .t = state->time,
                            .h = out->h,
                            .lead = out->theta == 0.5 ? 0.5 * out->h : 0.0};
    for (int s = 0; s < n; s++) {
        double S[9];
        tn_spring_linearize(model, &model->scene->springs[s], &at, &out->springs[s]);
        spring_matrix(out, &out->springs[s], S);
        n_entries += spring_entries(&out->springs[s], S, entry + n_entries);
        add_spring_force(&out->springs[s], S, out->b);
    }
    out->A = tn_blocks_from_entries(n_blocks, n_blocks, n_entries, entry, arena);
    return out->A ? TN_OK : TN_NO_MEMORY;
}

// A from M and the springs.
static tn_status assemble(const tn_model *model, const tn_state *state, tn_arena *arena, tn_balance *out)
{
    double *diagonal = TN_PUSH(arena, double, 9 * (size_t)model->n_blocks);
    if (!diagonal) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < model->n_blocks; i++) {
        for (int j = 0; j < 3; j++) {
            diagonal[9 * i + 4 * j] = out->mass[3 * i + j] / (out->theta * out->h);
        }
    }
    if (out->n_springs > 0) {
        return add_springs(model, state, diagonal, arena, out);
    }
    out->A = tn_blocks_from_diagonal(model->n_blocks, diagonal, arena);
    return out->A ? TN_OK : TN_NO_MEMORY;
}

tn_status tn_balance_build(const tn_model *model, const tn_state *state, tn_arena *arena, tn_balance *out,
                           tn_error *error)
{
    double theta = model->settings.scheme == TN_SCHEME_MIDPOINT ? 0.5 : 1.0;
    size_t n = 3 * (size_t)model->n_blocks;
    *out =
        (tn_balance){.theta = theta, .kappa = theta, .h = model->settings.step, .n_springs = model->scene->n_springs};
    out->b = TN_PUSH(arena, double, n);
    out->mass = TN_PUSH(arena, double, n);
    out->applied = TN_PUSH(arena, double, n);
    out->predicted = TN_PUSH(arena, double, n);
    out->gyro = TN_PUSH(arena, double, n);
    if (!out->b || !out->mass || !out->applied || !out->predicted || !out->gyro) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the momentum balance of %zu velocities", n);
    }
    for (int i = 0; i < model->n_bodies; i++) {
        if (model->bodies[i].n_blocks > 0) {
            fill_body(model, state, i, out);
        }
    }
    if (assemble(model, state, arena, out) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the balance matrix of %zu velocities", n);
    }
    return TN_OK;
}
