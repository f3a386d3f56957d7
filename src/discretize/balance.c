#include "discretize/balance.h"

#include "base/team.h"
#include "body/force.h"
#include "discretize/elastic_joints.h"
#include "discretize/joint_effort.h"
#include "discretize/joint_stiffness.h"
#include "discretize/soft.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "model/gyro.h"
#include "model/rigid.h"

#include <string.h>

// Where the array is wanted, a body's n numbers into it.
static void keep(double *array, int at, int n, const double *numbers)
{
    if (array) {
        memcpy(array + at, numbers, (size_t)n * sizeof *numbers);
    }
}

// What the scene exerts, as it is when the representative velocity holds: at t_k + theta h, and half-way for midpoint.
static void apply(const tn_model_body *body, const tn_state *state, int index, const tn_balance *out, double force[6])
{
    tn_pose at = state->pose[index];
    if (body->pushed) {
        tn_body_advance(body, state->v + 3 * body->block, (1.0 - out->theta) * out->h, &at, NULL);
    }
    tn_force_applied(body, &state->pose[index], &at, state->time + out->theta * out->h, force);
}

// What the input says of gravity less what the scene does [m/s^2].
static void extra_gravity(const tn_model *model, const tn_input *input, double out[3])
{
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    if (input && input->gravity) {
        tn_vec3_sub(out, input->gravity, model->settings.gravity);
    }
}

// What the input exerts on a body, added.
static void apply_input(const tn_model *model, const tn_state *state, int index, const tn_input *input, double force[6])
{
    const tn_model_body *body = &model->bodies[index];
    double g[3], weight[6], whole[6] = {0.0};
    extra_gravity(model, input, g);
    tn_force_gravity(body, g, weight);
    if (input->wrench) {
        const double *wrench = input->wrench + 6 * (size_t)index;
        tn_force_generalize(body, &state->pose[index], wrench, wrench + 3, whole);
    }
    for (int i = 0; i < 3 * body->n_blocks; i++) {
        force[i] += weight[i] + whole[i];
    }
}

// One body's rows of M, f, v^ predicted and b.
static void fill_body(const tn_model *model, const tn_state *state, int index, tn_balance *out)
{
    const tn_model_body *body = &model->bodies[index];
    int at = 3 * body->block, n = 3 * body->n_blocks;
    double h = out->h, theta = out->theta, mass[6], weight[6], applied[6], predicted[6];
    tn_body_mass(body, mass);
    tn_force_gravity(body, model->settings.gravity, weight);
    apply(body, state, index, out, applied);
    if (out->input) {
        apply_input(model, state, index, out->input, applied);
    }
    for (int i = 0; i < n; i++) {
        double force = weight[i] + applied[i], v = state->v[at + i];
        predicted[i] = v + theta * h * force / mass[i];
        out->b[at + i] = mass[i] * v / (theta * h) + force;
    }
    keep(out->mass, at, n, mass);
    keep(out->applied, at, n, applied);
    keep(out->predicted, at, n, predicted);
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
                            .swing = out->swing,
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

static void put_inertia(const tn_model_body *body, const tn_balance *balance, tn_blocks *A)
{
    double mass[6];
    tn_body_mass(body, mass);
    for (int i = 0; i < body->n_blocks; i++) {
        double *value = tn_blocks_find(A, body->block + i, body->block + i);
        for (int k = 0; k < 3; k++) {
            value[4 * k] = mass[3 * i + k] / (balance->theta * balance->h);
        }
    }
}

typedef struct inertias {
    const tn_model *model;
    const tn_balance *balance;
    tn_blocks *A;
} inertias;

static void put_inertias(const void *context, int first, int end, int thread)
{
    const inertias *i = context;
    for (int k = first; k < end; k++) {
        put_inertia(&i->model->bodies[i->model->mover[k]], i->balance, i->A);
    }
}

// What elements, which write all blocks between nodes (kernels/tets/tets.h), do not: rows and columns of rigid bodies.
static void clear_rigid(const tn_model *model, tn_blocks *A)
{
    int n_rigid = model->n_softs > 0 ? model->n_rigid_blocks : A->n_rows;
    memset(A->value, 0, 9 * (size_t)A->start[n_rigid] * sizeof *A->value);
    for (int i = n_rigid; n_rigid > 0 && i < A->n_rows; i++) {
        for (int k = A->start[i]; k < A->start[i + 1] && A->column[k] < n_rigid; k++) {
            memset(A->value + 9 * (size_t)k, 0, 9 * sizeof *A->value);
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
    A->value = TN_PUSH_RAW(arena, double, 9 * (size_t)A->start[A->n_rows]);
    if (!A->value) {
        return NULL;
    }
    clear_rigid(model, A);
    tn_team_share(model->settings.solve.n_threads, model->n_movers, 256, put_inertias, &(inertias){model, balance, A});
    return A;
}

// (3 n_blocks) for fill_body, which leaves the nodes' part alone: that starts at zero.
static double *push_velocity(const tn_model *model, tn_arena *arena)
{
    size_t n = 3 * (size_t)model->n_blocks;
    return model->n_softs > 0 ? TN_PUSH(arena, double, n) : TN_PUSH_RAW(arena, double, n);
}

// What v^ will be about, 3 n numbers of one body from `at` on.
static void expected_velocity(const tn_balance *balance, const tn_state *state, int at, int n, double *out)
{
    for (int i = at; i < at + n; i++) {
        *out++ = balance->theta == 1.0 ? state->v[i] : 2.0 * state->v[i] - state->v_hat[i];
    }
}

static void fill_swing(const tn_model *model, const tn_state *state, tn_balance *out)
{
    for (int b = 0; out->swing && b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        if (body->n_blocks == 2) {
            double omega[3];
            int at = 3 * body->block + 3;
            expected_velocity(out, state, at, 3, omega);
            tn_gyro_swing(body->inertia, omega, out->h, out->swing + at);
        }
    }
}

typedef struct filling {
    const tn_model *model;
    const tn_state *state;
    tn_balance *out;
} filling;

static void fill_bodies(const void *context, int first, int end, int thread)
{
    const filling *f = context;
    for (int k = first; k < end; k++) {
        int b = f->model->mover[k];
        if (f->model->bodies[b].n_blocks > 0) {
            fill_body(f->model, f->state, b, f->out);
        }
    }
}

// The arrays that this step has use for (balance.h).
static bool push_velocities(const tn_model *model, tn_arena *arena, tn_balance *out)
{
    bool soft = model->n_softs > 0, held = soft || model->n_joints > 0 || model->any_bounce || out->theta != 1.0;
    bool swings = out->theta < 1.0 && model->any_oblong && (out->n_springs > 0 || model->n_joints > 0);
    struct {
        double **array;
        bool wanted;
    } all[] = {{&out->b, true},
               {&out->mass, held},
               {&out->applied, soft || model->any_pushed || out->input},
               {&out->predicted, soft || model->any_bounce || model->settings.align == TN_FACETS_SLIP}};
    out->swing = swings ? TN_PUSH(arena, double, 3 * (size_t)model->n_blocks) : NULL;
    bool ok = out->swing || !swings;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i].array = all[i].wanted ? push_velocity(model, arena) : NULL;
        ok = ok && (*all[i].array || !all[i].wanted);
    }
    return ok;
}

tn_status tn_balance_build(const tn_model *model, const tn_state *state, const tn_tets_elastic *elastic,
                           const double *moved, const tn_input *input, tn_arena *arena, tn_balance *out,
                           tn_error *error)
{
    double theta = model->settings.scheme == TN_SCHEME_MIDPOINT ? 0.5 : 1.0;
    size_t n = 3 * (size_t)model->n_blocks;
    *out = (tn_balance){.theta = theta,
                        .kappa = theta,
                        .h = model->settings.step,
                        .n_springs = model->scene->n_springs,
                        .elastic = elastic,
                        .moved = moved,
                        .input = input,
                        .hints = {.parts = &model->parts, .layout = model->layout}};
    if (!push_velocities(model, arena, out)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the momentum balance of %zu velocities", n);
    }
    tn_team_share(model->settings.solve.n_threads, model->n_movers, 128, fill_bodies, &(filling){model, state, out});
    fill_swing(model, state, out);
    out->A = start_matrix(model, arena, out);
    bool rods = model->any_elastic;
    if (!out->A || add_springs(model, state, arena, out) != TN_OK ||
        (rods && tn_balance_add_elastic_joints(model, state, arena, out) != TN_OK)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the balance matrix of %zu velocities", n);
    }
    if (model->n_joint_rows > 0 && theta == 1.0) {
        tn_status status = tn_balance_add_joint_stiffness(model, state, arena, out, error);
        if (status) {
            return status;
        }
    }
    tn_status status = model->n_softs > 0 ? tn_balance_add_softs(model, state, arena, out, error) : TN_OK;
    if (status == TN_OK && input && input->effort) {
        status = tn_balance_add_efforts(model, state, input->effort, arena, out, error);
    }
    return status;
}

double *tn_balance_push_mass(const tn_model *model, tn_arena *arena)
{
    double *mass = TN_PUSH(arena, double, 3 * (size_t)model->n_blocks);
    for (int b = 0; mass && b < model->n_bodies; b++) {
        if (model->bodies[b].n_blocks > 0) {
            tn_body_mass(&model->bodies[b], mass + 3 * (size_t)model->bodies[b].block);
        }
    }
    for (int i = 0; mass && i < 3 * model->n_nodes; i++) {
        if (model->nodes[i / 3].block >= 0) {
            mass[3 * (size_t)model->nodes[i / 3].block + (size_t)(i % 3)] = model->node_mass[i / 3];
        }
    }
    return mass;
}
