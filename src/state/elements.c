// Stress and strain of soft bodies' elements.
#include "kernels/tets/tets.h"
#include "state/state.h"

// Hooke's law the other way round, both xx yy zz yz xz xy.
static void strain_of(double young, double poisson, const double *stress, double *strain)
{
    double trace = stress[0] + stress[1] + stress[2];
    for (int i = 0; i < 6; i++) {
        strain[i] = ((1.0 + poisson) * stress[i] - (i < 3 ? poisson * trace : 0.0)) / young;
    }
}

static tn_status fill(const tn_state *state, double *stress, double *strain, tn_arena *arena)
{
    const tn_model *model = state->model;
    tn_tets_elastic *elastic = NULL;
    stress = stress ? stress : TN_PUSH_RAW(arena, double, 6 * (size_t)model->n_tets);
    if (!stress ||
        tn_tets_evaluate(model->elements, state->x, model->settings.solve.n_threads, arena, &elastic) != TN_OK) {
        return TN_NO_MEMORY;
    }
    tn_tets_stress(model->elements, elastic, stress);
    for (int s = 0; strain && s < model->n_softs; s++) {
        const tn_model_soft *soft = &model->softs[s];
        for (int k = 0; k < soft->n_tets; k++) {
            size_t t = 6 * ((size_t)soft->first_tet + (size_t)k);
            strain_of(soft->description->young, soft->description->poisson, stress + t, strain + t);
        }
    }
    return TN_OK;
}

tn_status tn_state_get_elements(const tn_state *state, double *stress, double *strain, tn_error *error)
{
    if (!state) {
        return tn_error_set(error, TN_BAD_INPUT, "there is no state");
    }
    if (state->model->n_tets == 0 || (!stress && !strain)) {
        return TN_OK;
    }
    tn_arena *arena = tn_arena_create(0);
    tn_status status = arena ? fill(state, stress, strain, arena) : TN_NO_MEMORY;
    tn_arena_destroy(arena);
    return status == TN_OK ? TN_OK : tn_error_set(error, status, "no memory for the stress of soft bodies");
}
