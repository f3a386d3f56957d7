#include "solver/nodal/nodal.h"

#include "base/assert.h"
#include "kernels/mixer/mixer.h"
#include "solver/nodal/iterate.h"
#include "solver/nodal/system.h"
#include "solver/solvers.h"

#include <math.h>

tn_nodal_options tn_nodal_options_default(void)
{
    return (tn_nodal_options){.depth = 4, .check_every = 6, .coarse_after = TN_NODAL_COARSE_WHEN_IT_PAYS};
}

tn_status tn_nodal_solve(const tn_problem *problem, const tn_solve_options *options, const tn_nodal_options *nodal,
                         tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    TN_ASSERT(nodal->depth >= 1 && nodal->depth <= TN_MIXER_DEPTH_MAX && nodal->check_every >= 1);
    report->converged = false;
    report->iterations = 0;
    report->theta = NAN;
    tn_solve_options demanded = *options;
    tn_tolerance *t = &demanded.tolerance;
    // Neither does the balance alone see general contacts, nor do the contacts see the balance.
    if (!(t->natural > 0.0) && !(t->fclib > 0.0)) {
        t->natural = t->momentum;
    } else if (!(t->momentum > 0.0)) {
        t->momentum = t->natural > 0.0 ? t->natural : t->fclib;
    }
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_nodal_system system;
    tn_status status = tn_nodal_system_create(problem, options->n_threads, arena, &system, error);
    status = status == TN_OK ? tn_nodal_iterate(&system, &demanded, nodal, arena, solution, report, error) : status;
    tn_arena_release(arena, mark);
    return status;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_nodal_options nodal = tn_nodal_options_default();
    return tn_nodal_solve(problem, options, &nodal, arena, solution, report, error);
}

const tn_solver tn_solver_nodal = {
    .name = "nodal",
    .summary = "coloured projected Gauss-Seidel on nodal velocities, Anderson acceleration: made for elastic bodies",
    .sets = TN_TAKES_CONES,
    .global = true,
    .solve = solve,
};
