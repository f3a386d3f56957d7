// pgs: block projected Gauss-Seidel with the exact one-contact solve, accelerated. Any law, any structure: by
// components it keeps v up to date, otherwise it sweeps over the rows of N or W (which need not be symmetric).
//
// pgs-dense: the same sweeps, plain, over the dense N built column by column, whatever the structure: the literature's
// baseline.
#include "base/timer.h"
#include "solver/gauss_seidel.h"
#include "solver/solvers.h"

static tn_status solve_with(const tn_problem *problem, tn_delassus_kind kind, tn_gauss_seidel_run *run,
                            const tn_tolerance *tolerance, tn_arena *arena, tn_solution *solution,
                            tn_solve_report *report, tn_error *error)
{
    tn_gauss_seidel gs;
    tn_check check;
    double start = tn_timer_now();
    tn_status status = tn_gauss_seidel_create(&gs, problem, kind, solution->lambda, arena, error);
    report->setup_s = gs.by_components ? 0.0 : tn_timer_now() - start;
    if (status == TN_OK && (!tn_check_create(&check, problem, gs.q, tolerance, arena) ||
                            tn_gauss_seidel_solve(&gs, &check, run, arena) != TN_OK)) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'pgs'");
    }
    if (status == TN_OK) {
        status = tn_gauss_seidel_finish(&gs, run, solution, report, arena, error);
    }
    tn_gauss_seidel_destroy(&gs);
    return status;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_gauss_seidel_run run = {.max_sweeps = options->max_iterations};
    tn_delassus_kind kind = tn_gauss_seidel_choose(problem, arena);
    return solve_with(problem, kind, &run, &options->tolerance, arena, solution, report, error);
}

static tn_status solve_dense(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                             tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_gauss_seidel_run run = {.max_sweeps = options->max_iterations, .plain = true};
    return solve_with(problem, TN_DELASSUS_COLUMNS, &run, &options->tolerance, arena, solution, report, error);
}

static const char *refuses(const tn_problem *problem)
{
    (void)problem;
    return NULL;
}

static const char *refuses_dense(const tn_problem *problem)
{
    if (!problem->A) {
        return "pgs-dense builds J A^-1 J^T of a global problem; pgs takes the local form";
    }
    return problem->contacts->n > TN_DELASSUS_DENSE_CONTACTS ? "too many contacts for a dense matrix; take cond" : NULL;
}

const tn_solver tn_solver_pgs = {
    .name = "pgs",
    .summary = "block Gauss-Seidel, each contact solved exactly, Anderson acceleration; any law, global and local form",
    .refuses = refuses,
    .takes_moments = true,
    .solve = solve,
};

const tn_solver tn_solver_pgs_dense = {
    .name = "pgs-dense",
    .summary = "plain pgs on the dense matrix J A^-1 J^T, built column by column: the literature's baseline",
    .refuses = refuses_dense,
    .solve = solve_dense,
};
