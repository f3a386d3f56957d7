// The elements' evaluation, kept from a step's end (for its energy) to the next one's start.
#include "sim/sim.h"

#include "base/memory.h"

#include <string.h>

tn_status tn_sim_elastic(tn_sim *sim, const double *x, tn_error *error)
{
    const tn_model *model = sim->model;
    size_t bytes = 3 * (size_t)model->n_nodes * sizeof *x;
    if (model->n_softs == 0 || (sim->elastic && memcmp(x, sim->elastic_x, bytes) == 0)) {
        return TN_OK;
    }
    sim->elastic = NULL;
    tn_arena_reset(sim->elastic_arena);
    sim->elastic_x = TN_PUSH(sim->elastic_arena, double, 3 * (size_t)model->n_nodes);
    if (!sim->elastic_x || tn_tets_evaluate(model->elements, x, model->settings.solve.n_threads, sim->elastic_arena,
                                            &sim->elastic) != TN_OK) {
        sim->elastic = NULL;
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d tetrahedra", model->n_tets);
    }
    memcpy(sim->elastic_x, x, bytes);
    sim->elastic_energy = tn_tets_energy(model->elements, sim->elastic);
    return TN_OK;
}
