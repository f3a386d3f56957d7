// pgs: block projected Gauss-Seidel with the exact one-contact solve, accelerated. Any law, any structure: by
// components it keeps v up to date, otherwise it sweeps over the rows of N or W (which need not be symmetric).
#include "solver/gauss_seidel.h"
#include "solver/solvers.h"

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_gauss_seidel gs;
    tn_check check;
    tn_gauss_seidel_run run = {.max_sweeps = options->max_iterations};
    tn_delassus_kind kind = tn_gauss_seidel_choose(problem, arena);
    tn_status status = tn_gauss_seidel_create(&gs, problem, kind, solution->lambda, arena, error);
    if (status == TN_OK && (!tn_check_create(&check, problem, gs.q, &options->tolerance, arena) ||
                            tn_gauss_seidel_solve(&gs, &check, &run, arena) != TN_OK)) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'pgs'");
    }
    if (status == TN_OK) {
        status = tn_gauss_seidel_finish(&gs, &run, solution, report, arena, error);
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
