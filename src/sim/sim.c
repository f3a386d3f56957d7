#include "sim/sim.h"

#include "base/memory.h"

#include <string.h>

// Elements take 900 bytes a node. In a mesh of that size evaluating them again costs less than a hundredth of a step.
enum { LEND_FROM = 200000 };

tn_sim *tn_sim_create(const tn_model *model, tn_error *error)
{
    if (!model) {
        tn_error_set(error, TN_BAD_INPUT, "no model to simulate: compiling it failed, and said why");
        return NULL;
    }
    const tn_solver *solver = tn_solver_find(model->settings.solver);
    if (!solver) {
        tn_error_set(error, TN_BAD_INPUT, "there is no solver '%s': tenon info lists them", model->settings.solver);
        return NULL;
    }
    tn_sim *sim = tn_calloc(1, sizeof *sim);
    if (sim) {
        sim->setup.arena = tn_arena_create(0);
        sim->memory.scratch = tn_arena_create(0);
        sim->awake.arena = tn_arena_create(0);
        sim->sensor_velocity = tn_calloc(6 * (size_t)model->n_sensors + 1, sizeof *sim->sensor_velocity);
    }
    if (!sim || !sim->setup.arena || !sim->memory.scratch || !sim->awake.arena || !sim->sensor_velocity) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for a simulation");
        tn_sim_destroy(sim);
        return NULL;
    }
    sim->setup.model = sim->whole = sim->given = model;
    sim->setup.memory = &sim->memory;
    sim->setup.solver = solver;
    sim->memory.lend_from = LEND_FROM;
    return sim;
}

void tn_sim_destroy(tn_sim *sim)
{
    if (sim) {
        tn_arena_destroy(sim->setup.arena);
        tn_arena_destroy(sim->memory.scratch);
        tn_arena_destroy(sim->awake.arena);
        tn_model_destroy(sim->own);
        tn_free(sim->moved.body);
        tn_free(sim->moved.way);
        tn_free(sim->sensor_velocity);
        tn_free(sim);
    }
}

bool tn_sim_set_solver(tn_sim *sim, const char *name)
{
    const tn_solver *solver = tn_solver_find(name);
    sim->setup.solver = solver ? solver : sim->setup.solver;
    return solver != NULL;
}

void tn_sim_forget(tn_step_solving *solving, tn_step_next *next)
{
    tn_step_equations *eq = &solving->eq;
    eq->rows.contacts.n_triples = eq->rows.contacts.n_frictions = eq->rows.n_balls = 0;
    eq->joints.rows.n_singles = 0;
    eq->balance.elastics = NULL;
    solving->answer.solution.lambda = NULL;
    next->joints_end.rows.n_singles = 0;
    next->joint_rest = next->joint_held = NULL;
    next->holds = NULL;
}

tn_status tn_sim_keep_poses(const tn_step_setup *setup, tn_step_equations *eq, const tn_state *state, tn_error *error)
{
    size_t n = (size_t)setup->model->n_bodies;
    eq->start_pose = NULL;
    if (!setup->model->any_foundation) {
        return TN_OK;
    }
    eq->start_pose = TN_PUSH_RAW(setup->arena, tn_pose, n);
    if (!eq->start_pose) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the poses of %zu bodies", n);
    }
    memcpy(eq->start_pose, state->pose, n * sizeof *state->pose);
    return TN_OK;
}

void tn_sim_keep_sensors(const tn_model *model, const tn_state *state, double *velocity)
{
    for (int i = 0; i < model->n_sensors; i++) {
        const tn_model_sensor *sensor = &model->sensors[i];
        double *to = velocity + 6 * (size_t)i;
        tn_state_frame_velocity(state, sensor->body, &sensor->mount, to, to + 3);
    }
}

const tn_problem *tn_sim_problem(const tn_sim *sim, const tn_solution **solution)
{
    bool reduced = sim && sim->solving.answer.reduced;
    if (sim && solution) {
        *solution = reduced ? &sim->solving.answer.reduced->solution : &sim->solving.answer.solution;
    }
    return reduced ? &sim->solving.answer.reduced->problem : sim ? &sim->solving.eq.problem : NULL;
}
