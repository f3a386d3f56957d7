#include "record/soft_columns.h"

#include "math/vec3.h"
#include "state/state.h"

#include <string.h>

// Velocity of one body's frame, kept for the next node that is fastened to it.
typedef struct frame_motion {
    int body; // -1: none yet
    double position[3], linear[3], angular[3];
} frame_motion;

static void find_motion(const tn_state *state, int body, frame_motion *motion)
{
    double quaternion[4];
    if (motion->body != body) {
        motion->body = body;
        tn_state_body_pose(state, body, motion->position, quaternion);
        tn_state_body_velocity(state, body, motion->linear, motion->angular);
    }
}

void tn_soft_velocities_at(const tn_state *state, double *velocities)
{
    const tn_model *model = state->model;
    frame_motion motion = {.body = -1};
    for (size_t i = 0; i < (size_t)model->n_nodes; i++) {
        const tn_model_node *node = &model->nodes[i];
        double *out = velocities + 3 * i;
        if (node->block >= 0) {
            tn_vec3_copy(out, state->v + 3 * (size_t)node->block);
            continue;
        }
        double arm[3];
        find_motion(state, node->body, &motion);
        tn_vec3_sub(arm, state->x + 3 * i, motion.position);
        tn_vec3_cross(out, motion.angular, arm);
        tn_vec3_add(out, motion.linear, out);
    }
}

void tn_soft_mean(const tn_model *model, int s, const double *of_nodes, double mean[3])
{
    const tn_model_soft *soft = &model->softs[s];
    tn_vec3_set(mean, 0.0, 0.0, 0.0);
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        tn_vec3_madd(mean, mean, model->node_mass[i], of_nodes + 3 * (size_t)i);
    }
    tn_vec3_scale(mean, 1.0 / soft->mass, mean);
}

// The elements as the step left them, NULL where these do not serve.
static const tn_tets_elastic *kept(const tn_sim *sim, const tn_state *state, bool stress)
{
    size_t bytes = 3 * (size_t)state->model->n_nodes * sizeof *state->x;
    bool same = sim && sim->setup.model == sim->whole && sim->given == state->model && sim->memory.elements &&
                memcmp(sim->memory.x, state->x, bytes) == 0;
    return same && (sim->memory.whole || !stress) ? sim->memory.elements : NULL;
}

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory left for the recording");
}

static tn_status fill_energy(const tn_model *model, const tn_tets_elastic *elastic, tn_arena *arena, double *energy,
                             tn_error *error)
{
    double *of_tets = TN_PUSH(arena, double, model->n_tets);
    if (!of_tets) {
        return no_memory(error);
    }
    tn_tets_energies(model->elements, elastic, of_tets);
    for (int s = 0; s < model->n_softs; s++) {
        const tn_model_soft *soft = &model->softs[s];
        for (int t = soft->first_tet; t < soft->first_tet + soft->n_tets; t++) {
            energy[s] += of_tets[t];
        }
    }
    return TN_OK;
}

static tn_status fill(const tn_model *model, const tn_tets_elastic *elastic, bool stress, tn_arena *arena,
                      tn_soft_columns *out, tn_error *error)
{
    double *energy = TN_PUSH(arena, double, model->n_softs);
    double *stresses = stress ? TN_PUSH(arena, double, 6 * (size_t)model->n_tets) : NULL;
    if (!energy || (stress && !stresses)) {
        return no_memory(error);
    }
    if (stress) {
        tn_tets_stress(model->elements, elastic, stresses);
    }
    *out = (tn_soft_columns){energy, stresses};
    return fill_energy(model, elastic, arena, energy, error);
}

tn_status tn_soft_columns_at(const tn_sim *sim, const tn_state *state, bool stress, tn_arena *arena,
                             tn_soft_columns *out, tn_error *error)
{
    const tn_model *model = state->model;
    const tn_tets_elastic *elastic = kept(sim, state, stress);
    if (elastic && model->n_softs == 1 && !stress) {
        *out = (tn_soft_columns){&sim->memory.energy, NULL}; // the sum over all elements is at hand
        return TN_OK;
    }
    if (elastic) {
        return fill(model, elastic, stress, arena, out, error);
    }
    // Seldom (the initial state, the stress of scheme midpoint), so its memory is not kept.
    tn_arena *own = tn_arena_create(0);
    tn_tets_elastic *evaluated = NULL;
    tn_status status =
        own ? tn_tets_evaluate(model->elements, state->x, model->settings.solve.n_threads, own, &evaluated)
            : TN_NO_MEMORY;
    status = status == TN_OK ? fill(model, evaluated, stress, arena, out, error) : no_memory(error);
    tn_arena_destroy(own);
    return status;
}
