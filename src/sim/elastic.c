// The elements' evaluation, kept from a step's end (for its energy) to the next one's start; memory shared with the
// solver.
#include "sim/sim.h"

#include "math/vec3.h"
#include "model/motion.h"

#include <string.h>

// The elements at elastic_x.
static tn_status evaluate(tn_sim *sim, bool whole, tn_error *error)
{
    const tn_model *model = sim->model;
    int n_threads = model->settings.solve.n_threads;
    sim->elastic_whole = whole;
    if ((whole ? tn_tets_evaluate : tn_tets_evaluate_energy)(model->elements, sim->elastic_x, n_threads,
                                                             sim->elastic_arena, &sim->elastic) != TN_OK) {
        sim->elastic = NULL;
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d tetrahedra", model->n_tets);
    }
    return TN_OK;
}

tn_status tn_sim_elastic(tn_sim *sim, const double *x, bool whole, tn_error *error)
{
    const tn_model *model = sim->model;
    size_t bytes = 3 * (size_t)model->n_nodes * sizeof *x;
    bool enough = sim->elastic && (sim->elastic_whole || !whole);
    if (model->n_softs == 0 || (enough && memcmp(x, sim->elastic_x, bytes) == 0)) {
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
    tn_status status = evaluate(sim, whole, error);
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

tn_arena *tn_sim_after(const tn_sim *sim)
{
    return sim->model->n_softs > 0 ? sim->arena : sim->elastic_arena;
}

tn_status tn_sim_elastic_again(tn_sim *sim, tn_error *error)
{
    tn_status status = sim->elastic ? TN_OK : evaluate(sim, true, error);
    sim->balance.elastic = sim->elastic;
    return status;
}

// Velocities of all nodes at v; motions are evaluated once for each run of nodes on one body.
static void node_velocities(const tn_state *state, const double *v, double *out)
{
    const tn_model *model = state->model;
    double linear[3] = {0.0}, angular[3] = {0.0}, position[3] = {0.0}, quaternion[4];
    for (int i = 0, last = -1; i < model->n_nodes; i++) {
        const tn_model_node *node = &model->nodes[i];
        double *to = out + 3 * (size_t)i;
        if (node->block >= 0) {
            tn_vec3_copy(to, v + 3 * (size_t)node->block);
        } else if (model->bodies[node->body].n_blocks > 0) {
            tn_state_node_velocity(state, i, v, to);
        } else {
            double arm[3], spin[3];
            if (node->body != last) {
                last = node->body;
                tn_motion_velocity(&model->bodies[last], state->time, linear, angular);
                tn_state_body_pose(state, last, position, quaternion);
            }
            tn_vec3_sub(arm, state->x + 3 * (size_t)i, position);
            tn_vec3_cross(spin, angular, arm);
            tn_vec3_add(to, linear, spin);
        }
    }
}

tn_status tn_sim_elastic_halfway(tn_sim *sim, const tn_state *state, const double **moved, tn_error *error)
{
    size_t n = 3 * (size_t)sim->model->n_nodes;
    double *v = TN_PUSH_RAW(sim->arena, double, n), *x = TN_PUSH_RAW(sim->arena, double, n);
    if (!v || !x) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the middle of the step of %d nodes",
                            sim->model->n_nodes);
    }
    double half = 0.5 * sim->model->settings.step;
    node_velocities(state, state->v_hat, v);
    for (size_t i = 0; i < n; i++) {
        x[i] = state->x[i] + half * v[i];
    }
    *moved = v;
    return tn_sim_elastic(sim, x, true, error);
}
