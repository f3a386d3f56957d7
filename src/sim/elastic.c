// The elements' evaluation, kept from a step's end (for its energy) to the next one's start; memory shared with the
// solver.
#include "sim/sim.h"

#include "math/vec3.h"
#include "model/motion.h"

#include <string.h>

// The elements at memory->x.
static tn_status evaluate(const tn_step_setup *setup, bool whole, tn_error *error)
{
    const tn_model *model = setup->model;
    int n_threads = model->settings.solve.n_threads;
    setup->memory->whole = whole;
    if ((whole ? tn_tets_evaluate : tn_tets_evaluate_energy)(
            model->elements, setup->memory->x, n_threads, setup->memory->scratch, &setup->memory->elements) != TN_OK) {
        setup->memory->elements = NULL;
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d tetrahedra", model->n_tets);
    }
    return TN_OK;
}

tn_status tn_sim_elastic(const tn_step_setup *setup, const double *x, bool whole, tn_error *error)
{
    const tn_model *model = setup->model;
    size_t bytes = 3 * (size_t)model->n_nodes * sizeof *x;
    bool enough = setup->memory->elements && (setup->memory->whole || !whole);
    if (model->n_softs == 0 || (enough && memcmp(x, setup->memory->x, bytes) == 0)) {
        return TN_OK;
    }
    setup->memory->elements = NULL;
    tn_arena_reset(setup->memory->scratch);
    setup->memory->x = TN_PUSH_RAW(setup->memory->scratch, double, 3 * (size_t)model->n_nodes);
    if (!setup->memory->x) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the places of %d nodes", model->n_nodes);
    }
    memcpy(setup->memory->x, x, bytes);
    setup->memory->mark = tn_arena_get_mark(setup->memory->scratch);
    tn_status status = evaluate(setup, whole, error);
    setup->memory->energy = status == TN_OK ? tn_tets_energy(model->elements, setup->memory->elements) : 0.0;
    return status;
}

tn_arena *tn_sim_scratch(const tn_step_setup *setup)
{
    if (setup->memory->elements && setup->model->n_tets >= setup->memory->lend_from) {
        setup->memory->elements = NULL;
        tn_arena_release(setup->memory->scratch, setup->memory->mark);
    }
    return setup->memory->scratch;
}

tn_arena *tn_sim_after(const tn_step_setup *setup)
{
    return setup->model->n_softs > 0 ? setup->arena : setup->memory->scratch;
}

tn_status tn_sim_elastic_again(const tn_step_setup *setup, tn_error *error)
{
    return setup->memory->elements ? TN_OK : evaluate(setup, true, error);
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

tn_status tn_sim_elastic_halfway(const tn_step_setup *setup, const tn_state *state, const double **moved,
                                 tn_error *error)
{
    size_t n = 3 * (size_t)setup->model->n_nodes;
    double *v = TN_PUSH_RAW(setup->arena, double, n), *x = TN_PUSH_RAW(setup->arena, double, n);
    if (!v || !x) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the middle of the step of %d nodes",
                            setup->model->n_nodes);
    }
    double half = 0.5 * setup->model->settings.step;
    node_velocities(state, state->v_hat, v);
    for (size_t i = 0; i < n; i++) {
        x[i] = state->x[i] + half * v[i];
    }
    *moved = v;
    return tn_sim_elastic(setup, x, true, error);
}
