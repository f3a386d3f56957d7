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
        sim->arena = tn_arena_create("step", 0);
        sim->elastic_arena = tn_arena_create("elastic", 0);
        sim->awake.arena = tn_arena_create("awake", 0);
        sim->sensor_velocity = tn_calloc(6 * (size_t)model->n_sensors + 1, sizeof *sim->sensor_velocity);
    }
    if (!sim || !sim->arena || !sim->elastic_arena || !sim->awake.arena || !sim->sensor_velocity) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for a simulation");
        tn_sim_destroy(sim);
        return NULL;
    }
    sim->model = sim->whole = sim->given = model;
    sim->solver = solver;
    sim->lend_from = LEND_FROM;
    return sim;
}

void tn_sim_destroy(tn_sim *sim)
{
    if (sim) {
        tn_arena_destroy(sim->arena);
        tn_arena_destroy(sim->elastic_arena);
        tn_arena_destroy(sim->awake.arena);
        tn_model_destroy(sim->own);
        tn_free(sim->moved_body);
        tn_free(sim->moved_way);
        tn_free(sim->sensor_velocity);
        tn_free(sim);
    }
}

bool tn_sim_set_solver(tn_sim *sim, const char *name)
{
    const tn_solver *solver = tn_solver_find(name);
    sim->solver = solver ? solver : sim->solver;
    return solver != NULL;
}

tn_status tn_sim_keep_poses(tn_sim *sim, const tn_state *state, tn_error *error)
{
    size_t n = (size_t)sim->model->n_bodies;
    sim->start_pose = NULL;
    if (!sim->model->any_foundation) {
        return TN_OK;
    }
    sim->start_pose = TN_PUSH_RAW(sim->arena, tn_pose, n);
    if (!sim->start_pose) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the poses of %zu bodies", n);
    }
    memcpy(sim->start_pose, state->pose, n * sizeof *state->pose);
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
    bool reduced = sim && sim->reduced && sim->model->trees->all;
    if (sim && solution) {
        *solution = reduced ? &sim->reduced->solution : &sim->solution;
    }
    return reduced ? &sim->reduced->problem : sim ? &sim->problem : NULL;
}
