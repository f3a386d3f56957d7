// A model and a state as they are at rest: shallow copies in which nothing moves and nothing bounces.
#include "sim/still.h"

#include "base/arena.h"

static tn_surface *still_surfaces(const tn_model *model, bool elastic, tn_arena *arena)
{
    size_t n = (size_t)model->n_materials * (size_t)model->n_materials;
    tn_surface *surfaces = TN_PUSH_RAW(arena, tn_surface, n);
    for (size_t i = 0; surfaces && i < n; i++) {
        surfaces[i] = model->surfaces[i];
        surfaces[i].restitution = 0.0;
        surfaces[i].contact = elastic ? surfaces[i].contact : TN_CONTACT_RIGID;
    }
    return surfaces;
}

static tn_model_body *still_bodies(const tn_model *model, tn_arena *arena)
{
    tn_model_body *bodies = TN_PUSH_RAW(arena, tn_model_body, model->n_bodies);
    for (int b = 0; bodies && b < model->n_bodies; b++) {
        bodies[b] = model->bodies[b];
        bodies[b].kind = bodies[b].kind == TN_BODY_KINEMATIC ? TN_BODY_FIXED : bodies[b].kind;
    }
    return bodies;
}

tn_still *tn_still_of(const tn_state *state, bool elastic, tn_arena *arena)
{
    const tn_model *model = state->model;
    tn_still *still = TN_PUSH(arena, tn_still, 1);
    double *zeros = TN_PUSH(arena, double, 3 * (size_t)model->n_blocks);
    double *forces = TN_PUSH(arena, double, tn_model_joint_force_count(model));
    double *bend = TN_PUSH(arena, double, model->n_joint_coordinates);
    if (!still || !zeros || !forces || !bend) {
        return NULL;
    }
    still->model = *model;
    still->state = *state;
    tn_settings *settings = &still->model.settings;
    settings->scheme = TN_SCHEME_EULER;
    settings->gap_term = TN_GAP_NONE;
    settings->omega = 0.0;
    settings->align = TN_FACETS_FIXED;
    still->model.surfaces = still_surfaces(model, elastic, arena);
    still->model.bodies = still_bodies(model, arena);
    still->state.model = &still->model;
    still->state.v = still->state.v_hat = still->state.v_hat_before = zeros;
    still->state.joint_force = forces;
    still->state.joint_bend = bend;
    still->state.n_memory = 0;
    still->state.time = state->time - settings->step; // scheme euler applies forces as at the step's end
    return still->model.surfaces && still->model.bodies ? still : NULL;
}
