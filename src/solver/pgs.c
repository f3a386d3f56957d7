// pgs: block projected Gauss-Seidel with the exact one-contact solve, accelerated. Any law, any structure: by
// components it keeps v up to date, otherwise it sweeps over the rows of N or W (which need not be symmetric).
#include "solver/gauss_seidel.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

static tn_status iterate(tn_gauss_seidel *gs, const tn_problem *problem, const tn_solve_options *options,
                         tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_check check;
    tn_gauss_seidel_run run = {.max_sweeps = options->max_iterations};
    if (!tn_check_create(&check, problem, gs->delassus.q, &options->tolerance, arena) ||
        tn_gauss_seidel_solve(gs, &check, &run, arena) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'pgs'");
    }
    memcpy(solution->lambda, gs->lambda, (size_t)(3 * problem->contacts->n) * sizeof *gs->lambda);
    report->iterations = run.sweeps;
    report->converged = run.score <= 1.0;
    return problem->A ? tn_delassus_recover(&gs->delassus, gs->lambda, solution->v, arena, error) : TN_OK;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_gauss_seidel gs;
    tn_status status = tn_gauss_seidel_create(&gs, problem, solution->lambda, arena, error);
    if (status == TN_OK) {
        status = iterate(&gs, problem, options, arena, solution, report, error);
    }
    tn_gauss_seidel_destroy(&gs);
    return status;
}

static const char *refuses(const tn_problem *problem)
{
    (void)problem;
    return NULL;
}

const tn_solver tn_solver_pgs = {
    .name = "pgs",
    .summary = "block Gauss-Seidel, each contact solved exactly, Anderson acceleration; any law, global and local form",
    .refuses = refuses,
    .solve = solve,
};
