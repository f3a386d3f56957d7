// path: where every other way leaves the strict law at 1e-6. What ipm reaches by half of the steps is taken if it will
// do; else the exact path (pieces.h) gets the other half, a factorisation each. Its end is the solution to rounding.
// Whether it comes there, and how soon, nobody knows beforehand: minutes on some piles of 216 spheres.
#include "problem/delassus.h"
#include "problem/problem.h"
#include "solver/check.h"
#include "solver/pieces/pieces.h"
#include "solver/shift.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

// (n) De Saxce's shift at velocities v; NULL: no memory.
static double *shift_at(const tn_problem *problem, const double *v, tn_arena *arena)
{
    size_t n = (size_t)problem->contacts->n;
    double *shift = TN_PUSH(arena, double, n), *u = TN_PUSH(arena, double, 3 * n);
    if (!shift || !u) {
        return NULL;
    }
    tn_problem_velocity(problem, v, NULL, u);
    for (size_t m = 0; m < n; ++m) {
        shift[m] = tn_shift_of(problem, (int)m, u + 3 * m);
    }
    return shift;
}

static tn_status go_exactly(const tn_problem *problem, const tn_solve_options *options, int max_steps,
                            const tn_delassus *delassus, tn_arena *arena, tn_solution *solution,
                            tn_solve_report *report, tn_error *error)
{
    tn_check check;
    tn_pieces_run run = {.max_steps = max_steps, .shift = shift_at(problem, solution->v, arena)};
    if (!run.shift || !tn_check_create(&check, problem, delassus->q, &options->tolerance, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'path'");
    }
    tn_status status = tn_pieces_solve(problem, &check, &run, arena, solution->lambda, error);
    report->iterations += run.steps;
    report->setup_s += run.setup;
    if (status == TN_OK && run.arrived) {
        report->converged = true; // the certificate looks
        status = tn_delassus_recover(delassus, solution->lambda, solution->v, arena, error);
    }
    return status;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_solve_options half = *options;
    half.max_iterations = (options->max_iterations + 1) / 2;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = tn_solver_ipm.solve(problem, &half, arena, solution, report, error);
    tn_arena_release(arena, mark);
    int left = options->max_iterations - half.max_iterations;
    if (status != TN_OK || report->converged || left == 0) {
        return status;
    }
    tn_delassus delassus;
    status = tn_delassus_create(problem, tn_delassus_choose(problem, arena), arena, &delassus, error);
    if (status == TN_OK) {
        status = go_exactly(problem, options, left, &delassus, arena, solution, report, error);
    }
    tn_delassus_destroy(&delassus);
    return status;
}

static const char *refuses(const tn_problem *problem)
{
    return tn_pieces_takes(problem) ? NULL
                                    : "it takes the strict law on rigid bodies in global form, with isotropic "
                                      "friction and at least one contact; try ipm";
}

const tn_solver tn_solver_path = {
    .name = "path",
    .summary = "ipm, then the strict law's exact path contact by contact: to rounding, in minutes",
    .refuses = refuses,
    .solve = solve,
};
