#include "record/soft_columns.h"

#include "state/state.h"

#include <string.h>

static const tn_tets_elastic *kept(const tn_sim *sim, const tn_state *state)
{
    size_t bytes = 3 * (size_t)state->model->n_nodes * sizeof *state->x;
    bool same = sim && sim->model == state->model && sim->elastic && memcmp(sim->elastic_x, state->x, bytes) == 0;
    return same ? sim->elastic : NULL;
}

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory left for the recording");
}

static tn_status fill(const tn_model *model, const tn_tets_elastic *elastic, bool stress, tn_arena *arena,
                      tn_soft_columns *out, tn_error *error)
{
    double *energy = TN_PUSH(arena, double, model->n_softs), *of_tets = TN_PUSH(arena, double, model->n_tets);
    double *stresses = stress ? TN_PUSH(arena, double, 6 * (size_t)model->n_tets) : NULL;
    if (!energy || !of_tets || (stress && !stresses)) {
        return no_memory(error);
    }
    tn_tets_energies(model->elements, elastic, of_tets);
    for (int s = 0; s < model->n_softs; s++) {
        const tn_model_soft *soft = &model->softs[s];
        for (int t = soft->first_tet; t < soft->first_tet + soft->n_tets; t++) {
            energy[s] += of_tets[t];
        }
    }
    if (stress) {
        tn_tets_stress(model->elements, elastic, stresses);
    }
    *out = (tn_soft_columns){energy, stresses};
    return TN_OK;
}

tn_status tn_soft_columns_at(const tn_sim *sim, const tn_state *state, bool stress, tn_arena *arena,
                             tn_soft_columns *out, tn_error *error)
{
    const tn_model *model = state->model;
    const tn_tets_elastic *elastic = kept(sim, state);
    if (elastic) {
        return fill(model, elastic, stress, arena, out, error);
    }
    // Seldom (the initial state), so its memory is not kept.
    tn_arena *own = tn_arena_create("elements", 0);
    tn_tets_elastic *evaluated = NULL;
    tn_status status =
        own ? tn_tets_evaluate(model->elements, state->x, model->settings.solve.n_threads, own, &evaluated)
            : TN_NO_MEMORY;
    status = status == TN_OK ? fill(model, evaluated, stress, arena, out, error) : no_memory(error);
    tn_arena_destroy(own);
    return status;
}
