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

// The state's velocities; at the start, where a step may have left them (model/arrive.h), those along the joints.
static void find_given(const tn_state *state, double *given)
{
    const tn_model *model = state->model;
    memcpy(given, state->v, 3 * (size_t)model->n_blocks * sizeof *given);
    for (int b = 0; model->start_along && state->step_count == 0 && b < model->n_bodies; b++) {
        size_t at = 3 * (size_t)model->bodies[b].block, size = 6 * sizeof *given;
        if (model->bodies[b].n_blocks == 2 && memcmp(given + at, model->start_v + at, size) == 0) {
            memcpy(given + at, model->start_along + at, size);
        }
    }
}

// M v = M v_0 + G^T f with the rows at the start; v holds v_0.
static tn_status solve(const tn_model *model, const tn_rows *rows, const double *mass, tn_arena *arena, double *v,
                       tn_error *error)
{
    size_t n = 3 * (size_t)model->n_blocks;
    double *b = TN_PUSH(arena, double, n), *diagonal = TN_PUSH(arena, double, 3 * n);
    for (size_t i = 0; b && diagonal && i < n; i++) {
        b[i] = mass[i] * v[i];
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
    tn_solve_report report = {.converged = true};
    return tn_solver_call(tn_solver_find("direct"), &problem, &model->settings.solve, arena, &solution, &report, error);
}

static void judge(int n_blocks, const tn_rows *rows, const double *mass, const double *given, const double *v,
                  tn_velocity_mismatch *out)
{
    for (int i = 0; i < rows->n_singles; i++) {
        double across = fabs(tn_single_velocity(rows, i, given));
        if (across > out->mismatch) {
            out->mismatch = across;
            out->joint = rows->joint[i];
        }
    }
    for (int i = 0; i < 3 * n_blocks; i++) {
        double change = v[i] - given[i];
        out->kinetic += 0.5 * mass[i] * given[i] * given[i];
        out->allowed += 0.5 * mass[i] * v[i] * v[i];
        out->change += 0.5 * mass[i] * change * change;
    }
    out->matters = out->change > WORTH * fmax(out->kinetic, out->allowed);
}

// v (3 n_blocks): the nearest to given.
static tn_status find(const tn_state *state, const double *given, tn_arena *arena, double *v, tn_velocity_mismatch *out,
                      tn_error *error)
{
    const tn_model *model = state->model;
    tn_joint_step step;
    tn_status status = tn_joint_step_start(model, state, arena, &step, error);
    double *mass = status == TN_OK ? tn_balance_push_mass(model, arena) : NULL;
    if (!mass) {
        return status != TN_OK ? status
                               : tn_error_set(error, TN_NO_MEMORY, "no memory for %d velocities", 3 * model->n_blocks);
    }
    memcpy(v, given, 3 * (size_t)model->n_blocks * sizeof *v);
    if (step.rows.n_singles > 0 && model->n_blocks > 0) {
        status = solve(model, &step.rows, mass, arena, v, error);
    }
    if (status == TN_OK) {
        judge(model->n_blocks, &step.rows, mass, given, v, out);
    }
    return status;
}

// change (3 n_blocks, or NULL): to the nearest velocities.
static tn_status project(const tn_state *state, double *change, tn_velocity_mismatch *out, tn_error *error)
{
    size_t n = 3 * (size_t)state->model->n_blocks;
    *out = (tn_velocity_mismatch){.joint = -1};
    tn_arena *arena = tn_arena_create(0);
    double *given = arena ? TN_PUSH(arena, double, n) : NULL, *v = given ? TN_PUSH(arena, double, n) : NULL;
    tn_status status = TN_OK;
    if (!v) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for the velocities at the start");
    } else if (state->model->n_joints > 0) {
        find_given(state, given);
        status = find(state, given, arena, v, out, error);
        for (size_t i = 0; change && i < n; i++) {
            change[i] = v[i] - given[i];
        }
    }
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
    double *change = arena ? TN_PUSH(arena, double, n) : NULL;
    tn_velocity_mismatch start;
    tn_status status = change ? project(state, change, &start, error)
                              : tn_error_set(error, TN_NO_MEMORY, "no memory for %zu velocities", n);
    if (status == TN_OK && start.change > NOISE * fmax(start.kinetic, start.allowed)) {
        for (size_t i = 0; i < n; i++) {
            state->v[i] += change[i];
        }
        memcpy(state->v_hat, state->v, n * sizeof *state->v);
        memcpy(state->v_hat_before, state->v, tn_state_before_size(model) * sizeof *state->v);
    }
    tn_arena_destroy(arena);
    return status;
}
