// pgs: block projected Gauss-Seidel with the exact one-contact solve, accelerated. Any law, any structure: by
// components it keeps v up to date, otherwise it sweeps over the rows of N or W (which need not be symmetric). Joints
// of rigid bodies are swept too, others held by the method of multipliers.
//
// pgs-dense: the same sweeps, plain, over the dense N built column by column, whatever the structure: the literature's
// baseline.
#include "solver/pgs/pgs.h"

#include "base/timer.h"
#include "problem/rows.h"
#include "solver/multipliers.h"
#include "solver/packed/solve.h"
#include "solver/solvers.h"

#include <math.h>

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'pgs'");
}

// On the rows of N or W.
static tn_status solve_rows(const tn_problem *problem, tn_delassus_kind kind, tn_gauss_seidel_run *run,
                            const tn_tolerance *tolerance, tn_arena *arena, tn_solution *solution,
                            tn_solve_report *report, tn_error *error)
{
    tn_gauss_seidel gs;
    tn_check check;
    double start = tn_timer_now();
    tn_status status = tn_gauss_seidel_create(&gs, problem, kind, solution->lambda, arena, error);
    report->setup_s = tn_timer_now() - start;
    if (status == TN_OK && (!tn_check_create(&check, problem, gs.q, tolerance, arena) ||
                            tn_gauss_seidel_solve(&gs, &check, run, arena) != TN_OK)) {
        status = no_memory(error);
    }
    status = status == TN_OK ? tn_gauss_seidel_finish(&gs, run, solution, report, arena, error) : status;
    tn_gauss_seidel_destroy(&gs);
    return status;
}

// Joints once more, contacts held: cheap, and they hold then.
static tn_status settle_joints(const tn_packed *packed, const tn_solve_options *options, tn_gauss_seidel_run *run,
                               tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    if (packed->problem->rows->n_singles == 0) {
        return TN_OK;
    }
    double tolerance = options->tolerance.joint > 0.0 ? options->tolerance.joint : 1e-8;
    double limit = tolerance * tn_check_fastest(packed->problem, solution->v); // of what rows may lack [m/s]
    double left = tn_packed_settle_joints(packed, 0.5 * limit, solution, arena);
    run->unsettled = !(left <= limit);
    report->converged = report->converged && !run->unsettled;
    return isnan(left) ? no_memory(error) : TN_OK;
}

static tn_status solve_packed(const tn_problem *problem, const tn_solve_options *options, tn_gauss_seidel_run *run,
                              tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_packed packed;
    double start = tn_timer_now();
    tn_status status = tn_packed_create(&packed, problem, solution, options->n_threads, arena, error);
    if (status != TN_OK) {
        return status;
    }
    report->setup_s = tn_timer_now() - start;
    double q_norm = options->tolerance.fclib > 0.0 ? tn_packed_q_norm(&packed, arena) : 0.0;
    tn_check check = tn_check_of_sums(problem, q_norm, &options->tolerance);
    if (isnan(q_norm) || tn_packed_solve(&packed, &check, run, arena) != TN_OK) {
        return no_memory(error);
    }
    tn_packed_get(&packed, solution->lambda);
    tn_packed_recover(&packed, solution->lambda, solution->v);
    report->iterations = run->sweeps;
    report->converged = run->score <= 1.0;
    return settle_joints(&packed, options, run, arena, solution, report, error);
}

tn_status tn_pgs_run(const tn_problem *problem, const tn_solve_options *options, tn_gauss_seidel_run *run,
                     tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_delassus_kind kind = tn_gauss_seidel_choose(problem, arena);
    if (kind == TN_DELASSUS_COMPONENTS) {
        return solve_packed(problem, options, run, arena, solution, report, error);
    }
    return problem->rows->n_singles > 0
               ? tn_multipliers_solve(&tn_solver_pgs, problem, options, arena, solution, report, error)
               : solve_rows(problem, kind, run, &options->tolerance, arena, solution, report, error);
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_gauss_seidel_run run = {.max_sweeps = options->max_iterations};
    return tn_pgs_run(problem, options, &run, arena, solution, report, error);
}

static tn_status solve_dense(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                             tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_gauss_seidel_run run = {.max_sweeps = options->max_iterations, .plain = true};
    return solve_rows(problem, TN_DELASSUS_COLUMNS, &run, &options->tolerance, arena, solution, report, error);
}

const char *tn_dense_delassus_refuses(const tn_problem *problem)
{
    return problem->rows->n_triples > TN_DELASSUS_DENSE_CONTACTS ? "too many contacts for a dense matrix; take pgs"
                                                                 : NULL;
}

const tn_solver tn_solver_pgs = {
    .name = "pgs",
    .summary = "block Gauss-Seidel, each contact solved exactly, Anderson acceleration; any law, global and local form",
    .sets = TN_TAKES_CONES | TN_TAKES_POLYHEDRA | TN_TAKES_FRICTIONS | TN_TAKES_SINGLES,
    .solve = solve,
};

const tn_solver tn_solver_pgs_dense = {
    .name = "pgs-dense",
    .summary = "plain pgs on the dense matrix J A^-1 J^T, built column by column: the literature's baseline",
    .sets = TN_TAKES_CONES,
    .global = true,
    .refuses = tn_dense_delassus_refuses,
    .solve = solve_dense,
};
