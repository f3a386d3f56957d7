#include "solver/nodal/iterate.h"

#include "problem/problem.h"
#include "solver/nodal/choices.h"

#include <math.h>

// Figures after the sweeps of step l; the reference moves when it is time. True: it moved and all that is demanded
// holds.
static bool look(tn_nodal_run *it, int l, bool look_now, bool last)
{
    bool figures = tn_demands_figures(&it->tolerance);
    double merit = INFINITY;
    if (look_now && figures) {
        double balance = sqrt(tn_nodal_balance(&it->system->rows, it->r));
        merit = it->looked_merit = tn_nodal_check_merit(&it->check, balance, it->g, it->lambda);
        it->best_merit = l == 0 ? fmax(merit, 1.0) : it->best_merit;
    }
    if (!tn_nodal_is_time_to_move(it, l, merit, last)) {
        // The coarse level goes on at once, for which a reference that moved wants its balance: only where it must.
        bool ends = !figures && it->coarse && tn_nodal_may_end(it, l);
        if (ends) {
            tn_nodal_run_keep(it, 0.0);
        }
        return ends;
    }
    tn_nodal_run_move_reference(it, l);
    if (figures || it->coarse) {
        double balance = tn_nodal_run_balance(it);
        merit = figures ? tn_nodal_check_merit(&it->check, balance, it->g, it->lambda) : 0.0;
    } else {
        merit = 0.0; // the length of the step alone decides
    }
    tn_nodal_run_keep(it, merit);
    return merit <= 1.0;
}

// Step l. *good: figures and settled velocities as demanded.
static tn_status step(tn_nodal_run *it, int l, bool last, bool *good)
{
    bool figures = tn_demands_figures(&it->tolerance), look_now = tn_nodal_is_time_to_look(it, l);
    if (it->unbalanced) {
        tn_nodal_run_balance(it);
    }
    tn_nodal_run_begin(it);
    if (it->coarse) {
        tn_nodal_step(it->system, it->g, it->lambda);
    }
    if (it->coarse || (look_now && figures)) {
        tn_nodal_step_residual(it->system, it->g, it->lambda, it->r);
    } else {
        tn_nodal_step(it->system, it->g, it->lambda);
    }
    *good = look(it, l, look_now, last);
    // Settled before this step: what is left of it, and |f|, would change nothing.
    if (*good && figures && l > 0 && !(it->tolerance.theta > 0.0) && tn_nodal_is_settled(it, l, 1.0)) {
        it->lengths[l % TN_NODAL_SPAN] = it->lengths[(l - 1) % TN_NODAL_SPAN];
        return TN_OK;
    }
    if (it->coarse && tn_nodal_cycle_correct(&it->cycle, it->g, it->lambda, it->r) != TN_OK) {
        return TN_NO_MEMORY;
    }
    // Steps with another truncation were other steps: Anderson's memory of them misleads.
    if (it->coarse && it->cycle.changed) {
        tn_mixer_clear(&it->mixer);
    }
    tn_nodal_run_store_forces(it);
    double length = tn_mixer_advance_single(&it->mixer, it->x, it->g);
    it->lengths[l % TN_NODAL_SPAN] = length;
    it->farthest = fmax(it->farthest, length);
    it->looked_length = look_now ? length : it->looked_length;
    *good = *good && (!figures || tn_nodal_is_settled(it, l + 1, 1.0));
    if (it->tolerance.theta > 0.0) {
        *good = *good && length < it->tolerance.theta;
    }
    if (it->coarse) {
        tn_nodal_watch_contacts(it, l);
        tn_nodal_watch_coarse(it, l, length);
    }
    return TN_OK;
}

static tn_status iterate(tn_nodal_run *it, int max_iterations, tn_solve_report *report, tn_error *error)
{
    bool demanded = tn_demands_figures(&it->tolerance) || it->tolerance.theta > 0.0;
    for (int l = 0; l < max_iterations; l++) {
        bool good;
        if (tn_nodal_choose_level(it, l) != TN_OK || step(it, l, l + 1 == max_iterations, &good) != TN_OK) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's coarse level");
        }
        report->iterations = l + 1;
        report->theta = it->lengths[l % TN_NODAL_SPAN];
        if (!isfinite(report->theta)) {
            return l == 0 ? tn_error_set(error, TN_NUMERICS, "nodal: the problem or its warm start holds a NaN")
                          : TN_OK;
        }
        if ((good && demanded) || tn_problem_stopped(it->system->problem)) {
            report->converged = true;
            return TN_OK;
        }
        if (tn_nodal_is_hopeless(it, l) && demanded) {
            return TN_OK;
        }
    }
    // Nothing demanded is nothing missed: a fixed number of iterations was what the caller wanted.
    report->converged = !demanded;
    return TN_OK;
}

// All steps led away from the start: the first one alone is better.
static void take_first_step(tn_nodal_run *it)
{
    tn_nodal_run_restart(it);
    tn_nodal_run_begin(it);
    tn_nodal_step(it->system, it->g, it->lambda);
    tn_nodal_run_move_reference(it, 0);
    double balance = tn_nodal_run_balance(it);
    it->best_merit = INFINITY;
    tn_nodal_run_keep(it, tn_nodal_check_merit(&it->check, balance, it->g, it->lambda));
}

tn_status tn_nodal_iterate(tn_nodal_system *system, const tn_solve_options *options, const tn_nodal_options *nodal,
                           tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_nodal_run it;
    report->theta = NAN;
    tn_status status = tn_nodal_run_create(system, options, nodal, solution, arena, &it, error);
    status = status == TN_OK ? iterate(&it, options->max_iterations, report, error) : status;
    if (status == TN_OK && !it.kept && report->iterations > 0) {
        take_first_step(&it);
    }
    return status;
}
