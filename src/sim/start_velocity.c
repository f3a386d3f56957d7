// Whether velocities are such as rigid joints allow, and the nearest that are.
#include "tenon/check.h"

#include "discretize/joints.h"
#include "math/blocks.h"
#include "problem/rows.h"
#include "solver/solver.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

static const double WORTH = 1e-3;  // part of the kinetic energy
static const double NOISE = 1e-12; // likewise, below which velocities are complete

// M v = M v_0 + G^T f with the rows at the start.
static tn_status solve(const tn_state *state, const tn_rows *rows, const double *mass, tn_arena *arena, double *v,
                       tn_error *error)
{
    const tn_model *model = state->model;
    size_t n = 3 * (size_t)model->n_blocks;
    double *b = TN_PUSH(arena, double, n), *diagonal = TN_PUSH(arena, double, 3 * n);
    for (size_t i = 0; b && diagonal && i < n; i++) {
        b[i] = mass[i] * state->v[i];
        diagonal[9 * (i / 3) + 4 * (i % 3)] = mass[i];
    }
    tn_problem problem = {.A = diagonal ? tn_blocks_from_diagonal(model->n_blocks, diagonal, arena) : NULL,
                          .b = b,
                          .rows = rows,
                          .step = 1.0};
    tn_solution solution = {.v = v, .lambda = TN_PUSH(arena, double, rows->n_singles)};
    if (!b || !problem.A || !solution.lambda) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the velocities of %d bodies", model->n_bodies);
    }
    memcpy(v, state->v, n * sizeof *v);
    tn_solve_report report = {.converged = true};
    return tn_solver_call(tn_solver_find("direct"), &problem, &model->settings.solve, arena, &solution, &report, error);
}

static void judge(const tn_state *state, const tn_rows *rows, const double *mass, const double *v,
                  tn_velocity_mismatch *out)
{
    for (int i = 0; i < rows->n_singles; i++) {
        double across = fabs(tn_single_velocity(rows, i, state->v));
        if (across > out->mismatch) {
            out->mismatch = across;
            out->joint = rows->joint[i];
        }
    }
    for (int i = 0; i < 3 * state->model->n_blocks; i++) {
        double change = v[i] - state->v[i];
        out->kinetic += 0.5 * mass[i] * state->v[i] * state->v[i];
        out->allowed += 0.5 * mass[i] * v[i] * v[i];
        out->change += 0.5 * mass[i] * change * change;
    }
    out->matters = out->change > WORTH * fmax(out->kinetic, out->allowed);
}

static tn_status find(const tn_state *state, tn_arena *arena, double *v, tn_velocity_mismatch *out, tn_error *error)
{
    const tn_model *model = state->model;
    tn_joint_step step;
    tn_status status = tn_joint_step_start(model, state, arena, &step, error);
    double *mass = tn_balance_push_mass(model, arena), *own = TN_PUSH(arena, double, 3 * (size_t)model->n_blocks);
    if (status != TN_OK || !mass || !own) {
        return status != TN_OK ? status
                               : tn_error_set(error, TN_NO_MEMORY, "no memory for %d velocities", 3 * model->n_blocks);
    }
    v = v ? v : own;
    memcpy(v, state->v, 3 * (size_t)model->n_blocks * sizeof *v);
    if (step.rows.n_singles > 0 && model->n_blocks > 0) {
        status = solve(state, &step.rows, mass, arena, v, error);
    }
    if (status == TN_OK) {
        judge(state, &step.rows, mass, v, out);
    }
    return status;
}

// v (3 n_blocks, or NULL): the nearest.
static tn_status project(const tn_state *state, double *v, tn_velocity_mismatch *out, tn_error *error)
{
    const tn_model *model = state->model;
    *out = (tn_velocity_mismatch){.joint = -1};
    if (model->n_joints == 0) {
        if (v) {
            memcpy(v, state->v, 3 * (size_t)model->n_blocks * sizeof *v);
        }
        return TN_OK;
    }
    tn_arena *arena = tn_arena_create(0);
    tn_status status = arena ? find(state, arena, v, out, error)
                             : tn_error_set(error, TN_NO_MEMORY, "no memory for the velocities at the start");
    tn_arena_destroy(arena);
    return status;
}

tn_status tn_state_velocity_mismatch(const tn_state *state, tn_velocity_mismatch *out, tn_error *error)
{
    if (!state || !out) {
        return tn_error_set(error, TN_BAD_INPUT, "no state whose velocities are wanted");
    }
    return project(state, NULL, out, error);
}

tn_status tn_state_project_velocities(tn_state *state, tn_error *error)
{
    if (!state) {
        return tn_error_set(error, TN_BAD_INPUT, "no state whose velocities are to be such as joints allow");
    }
    const tn_model *model = state->model;
    size_t n = 3 * (size_t)model->n_blocks;
    if (model->settings.initial_velocities != TN_INITIAL_PROJECT || state->step_count > 0 || model->n_joints == 0) {
        return TN_OK;
    }
    tn_arena *arena = tn_arena_create(0);
    double *v = arena ? TN_PUSH(arena, double, n) : NULL;
    tn_velocity_mismatch start;
    tn_status status =
        v ? project(state, v, &start, error) : tn_error_set(error, TN_NO_MEMORY, "no memory for %zu velocities", n);
    if (status == TN_OK && start.change > NOISE * fmax(start.kinetic, start.allowed)) {
        memcpy(state->v, v, n * sizeof *v);
        memcpy(state->v_hat, v, n * sizeof *v);
        memcpy(state->v_hat_before, v, tn_state_before_size(model) * sizeof *v);
    }
    tn_arena_destroy(arena);
    return status;
}
