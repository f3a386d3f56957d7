#include "solver/nodal/run.h"

#include <math.h>
#include <string.h>

static bool push_arrays(tn_nodal_run *it)
{
    tn_arena *arena = it->arena;
    it->x = TN_PUSH(arena, float, it->n);
    it->g = TN_PUSH(arena, float, it->n);
    it->r = TN_PUSH(arena, float, it->n_v);
    it->lambda = TN_PUSH(arena, double, 3 * it->system->general.n);
    return it->x && it->g && it->r && it->lambda;
}

void tn_nodal_run_restart(tn_nodal_run *it)
{
    memset(it->x, 0, (size_t)it->n * sizeof *it->x);
    memset(it->g, 0, (size_t)it->n * sizeof *it->g);
    double balance = tn_nodal_set_reference(it->system, it->solution);
    it->looked_merit = tn_nodal_check_balance(&it->check, balance);
    it->v = tn_nodal_check_size(it->system);
}

tn_status tn_nodal_run_create(tn_nodal_system *system, const tn_solve_options *options, const tn_nodal_options *nodal,
                              tn_solution *solution, tn_arena *arena, tn_nodal_run *it, tn_error *error)
{
    const tn_nodal_general *general = &system->general;
    int n_v = tn_sell_packed_size(system->order);
    *it = (tn_nodal_run){.system = system,
                         .tolerance = options->tolerance,
                         .options = *nodal,
                         .arena = arena,
                         .solution = solution,
                         .n_v = n_v,
                         .n = tn_mixer_room(n_v + 3 * general->n),
                         .looked_merit = INFINITY,
                         .best_merit = INFINITY,
                         .least = INFINITY,
                         .third = INFINITY};
    tn_mixer_options mixing = {.n = it->n, .depth = nodal->depth, .n_threads = options->n_threads};
    if (!push_arrays(it) || !tn_mixer_create(&it->mixer, &mixing, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to iterate");
    }
    it->v_floor = tn_nodal_check_floor(system);
    tn_status status = tn_nodal_check_create(system, &options->tolerance, arena, &it->check, error);
    if (status == TN_OK) {
        tn_nodal_run_restart(it);
    }
    return status;
}

void tn_nodal_run_begin(tn_nodal_run *it)
{
    const tn_nodal_general *general = &it->system->general;
    for (int g = 0; g < 3 * general->n; g++) {
        double scale = general->scale[g / 3];
        it->lambda[g] = scale > 0.0 ? general->lambda[g] + (double)it->x[it->n_v + g] / scale : 0.0;
    }
    tn_nodal_set_force(it->system, it->lambda);
}

void tn_nodal_run_store_forces(tn_nodal_run *it)
{
    const tn_nodal_general *general = &it->system->general;
    for (int g = 0; g < 3 * general->n; g++) {
        it->g[it->n_v + g] = (float)(general->scale[g / 3] * (it->lambda[g] - general->lambda[g]));
    }
}

void tn_nodal_run_move_reference(tn_nodal_run *it, int l)
{
    tn_nodal_run_store_forces(it);
    tn_nodal_move_reference(it->system, it->g, it->lambda);
    for (int i = 0; i < it->n; i++) {
        it->x[i] -= it->g[i];
        it->g[i] = 0.0F;
    }
    it->v = tn_nodal_check_size(it->system);
    it->reference_at = l;
    it->farthest = 0.0;
    it->unbalanced = true;
}

double tn_nodal_run_balance(tn_nodal_run *it)
{
    double balance = tn_nodal_set_balance(it->system);
    for (int i = 0; i < it->n_v; i++) {
        it->r[i] = -it->system->b[i];
    }
    it->unbalanced = false;
    return balance;
}

void tn_nodal_run_keep(tn_nodal_run *it, double merit)
{
    if (merit <= it->best_merit) {
        it->kept = true;
        it->best_merit = merit;
        tn_nodal_end_velocity(it->system, it->g, it->solution->v);
        tn_nodal_forces(it->system, it->lambda, it->solution->lambda);
    }
}
