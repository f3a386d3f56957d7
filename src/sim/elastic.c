// The elements' evaluation, kept from a step's end (for its energy) to the next one's start; memory shared with the
// solver.
#include "sim/sim.h"

#include "base/memory.h"

#include <string.h>

// The elements at elastic_x.
static tn_status evaluate(tn_sim *sim, tn_error *error)
{
    const tn_model *model = sim->model;
    if (tn_tets_evaluate(model->elements, sim->elastic_x, model->settings.solve.n_threads, sim->elastic_arena,
                         &sim->elastic) != TN_OK) {
        sim->elastic = NULL;
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d tetrahedra", model->n_tets);
    }
    return TN_OK;
}

tn_status tn_sim_elastic(tn_sim *sim, const double *x, tn_error *error)
{
    const tn_model *model = sim->model;
    size_t bytes = 3 * (size_t)model->n_nodes * sizeof *x;
    if (model->n_softs == 0 || (sim->elastic && memcmp(x, sim->elastic_x, bytes) == 0)) {
        return TN_OK;
    }
    sim->elastic = NULL;
    tn_arena_reset(sim->elastic_arena);
    sim->elastic_x = TN_PUSH_RAW(sim->elastic_arena, double, 3 * (size_t)model->n_nodes);
    if (!sim->elastic_x) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the places of %d nodes", model->n_nodes);
    }
    memcpy(sim->elastic_x, x, bytes);
    sim->elastic_mark = tn_arena_get_mark(sim->elastic_arena);
    tn_status status = evaluate(sim, error);
    sim->elastic_energy = status == TN_OK ? tn_tets_energy(model->elements, sim->elastic) : 0.0;
    return status;
}

tn_arena *tn_sim_scratch(tn_sim *sim)
{
    if (sim->elastic && sim->model->n_tets >= sim->lend_from) {
        sim->elastic = NULL;
        sim->balance.elastic = NULL;
        tn_arena_release(sim->elastic_arena, sim->elastic_mark);
    }
    return sim->elastic_arena;
}

tn_status tn_sim_elastic_again(tn_sim *sim, tn_error *error)
{
    tn_status status = sim->elastic ? TN_OK : evaluate(sim, error);
    sim->balance.elastic = sim->elastic;
    return status;
}

tn_status tn_sim_elastic_halfway(tn_sim *sim, const tn_state *state, const double **moved, tn_error *error)
{
    size_t n = 3 * (size_t)sim->model->n_nodes;
    double *v = TN_PUSH(sim->arena, double, n), *x = TN_PUSH(sim->arena, double, n);
    if (!v || !x) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the middle of the step of %d nodes",
                            sim->model->n_nodes);
    }
    double half = 0.5 * sim->model->settings.step;
    for (int i = 0; i < sim->model->n_nodes; i++) {
        tn_state_node_velocity(state, i, state->v_hat, v + 3 * (size_t)i);
    }
    for (size_t i = 0; i < n; i++) {
        x[i] = state->x[i] + half * v[i];
    }
    *moved = v;
    return tn_sim_elastic(sim, x, error);
}
