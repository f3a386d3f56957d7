// Options changed for a running simulation: the scene compiled anew with overrides, which may change nothing that the
// states are made of.
#include "base/hash.h"
#include "model/compile.h"
#include "sim/sim.h"

#include <string.h>

static tn_model *compile(const tn_sim *sim, int n_set, const char *const *set, tn_error *error)
{
    const tn_scene *scene = sim->given->scene;
    tn_scene *changed = tn_scene_parse(scene->text, scene->path, n_set, set, error);
    return changed ? tn_model_create(changed, error) : NULL;
}

static bool is_same_world(const tn_model *a, const tn_model *b)
{
    return a->settings.step == b->settings.step && a->n_blocks == b->n_blocks &&
           tn_model_hash_world(a, TN_HASH_START) == tn_model_hash_world(b, TN_HASH_START);
}

tn_status tn_sim_set(tn_sim *sim, int n_set, const char *const *set, tn_error *error)
{
    if (!sim || n_set < 0) {
        return tn_error_set(error, TN_BAD_INPUT, "options need a simulation and a number of overrides");
    }
    tn_error own = {0};
    tn_model *model = n_set > 0 ? compile(sim, n_set, set, &own) : NULL;
    bool known = !model || tn_solver_find(model->settings.solver);
    if (n_set > 0 && (!model || !known || !is_same_world(model, sim->given))) {
        if (model) {
            tn_error_set(&own, TN_BAD_INPUT, "%s",
                         known ? "the overrides change more than how the scene is simulated"
                               : "there is no such solver: tenon info lists them");
        }
        tn_model_destroy(model);
        if (error) {
            *error = own;
        }
        return own.status;
    }
    tn_model_destroy(sim->own);
    sim->own = model;
    sim->setup.model = sim->whole = model ? model : sim->given;
    sim->setup.solver = tn_solver_find(sim->whole->settings.solver);
    // What the last step left is of the old model.
    tn_sim_forget(&sim->solving, &sim->next);
    sim->solving.answer.reduced = NULL;
    sim->at_rest = (tn_forces_left){NULL, NULL};
    sim->memory.elements = NULL;
    sim->n_asleep = 0;
    sim->awake.made = false;
    tn_arena_reset(sim->setup.arena);
    tn_arena_reset(sim->memory.scratch);
    return TN_OK;
}
