#include "solver/cond/cond.h"

#include "base/assert.h"
#include "kernels/mixer/mixer.h"
#include "solver/cond/iterate.h"
#include "solver/cond/system.h"
#include "solver/solvers.h"

#include <math.h>

tn_cond_options tn_cond_options_default(void)
{
    return (tn_cond_options){.acceleration = TN_COND_ADAPTIVE,
                             .relaxation = 1.0,
                             .chebyshev_start = 3,
                             .depth = 8,
                             .check_every = 4,
                             .invert_bodies = true,
                             .single_from = 256};
}

tn_status tn_cond_solve(const tn_problem *problem, const tn_solve_options *options, const tn_cond_options *cond,
                        tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    TN_ASSERT(cond->depth >= 1 && cond->depth <= TN_MIXER_DEPTH_MAX && cond->check_every >= 1);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    report->converged = false;
    report->iterations = 0;
    report->theta = NAN;
    tn_solve_options demanded = *options;
    if (!(demanded.tolerance.natural > 0.0) && !(demanded.tolerance.fclib > 0.0)) {
        demanded.tolerance.natural = demanded.tolerance.momentum; // the balance alone does not see condensed contacts
    }
    tn_cond_system system;
    tn_status status = tn_cond_system_create(problem, cond, options->n_threads, arena, &system, error);
    status = status == TN_OK ? tn_cond_iterate(&system, &demanded, cond, arena, solution, report, error) : status;
    tn_arena_release(arena, mark);
    return status;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_cond_options cond = tn_cond_options_default();
    return tn_cond_solve(problem, options, &cond, arena, solution, report, error);
}

const tn_solver tn_solver_cond = {
    .name = "cond",
    .summary = "velocity fixed point iteration on contact nodes: no factorisation, made for elastic bodies",
    .sets = TN_TAKES_CONES,
    .global = true,
    .solve = solve,
};
