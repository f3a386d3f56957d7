// path: where other solvers leave the strict law at 1e-6. What ipm reaches by half of the steps is taken if it will do;
// else many ways along its path are tried (ipm/interior_ways.h) with most of what is left, and with the rest the exact
// path (pieces.h), a factorisation a step. Whether one of them comes there, and how soon, nobody knows beforehand.
#include "problem/delassus.h"
#include "problem/problem.h"
#include "solver/check.h"
#include "solver/ipm/interior_ways.h"
#include "solver/pieces/pieces.h"
#include "solver/shift.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

static const double WAYS_SHARE = 0.7; // of the steps that ipm leaves

// (n) De Saxce's shift at velocities v; NULL: no memory.
static double *shift_at(const tn_problem *problem, const double *v, tn_arena *arena)
{
    size_t n = (size_t)problem->rows->n_triples;
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

typedef struct path {
    const tn_problem *problem;
    tn_delassus delassus;
    tn_check check;
    tn_arena *arena;
    tn_solution *solution;
    tn_solve_report *report;
    tn_error *error;
} path;

static tn_status go_many_ways(path *s, int max_steps)
{
    tn_interior_ways run = {.max_steps = max_steps};
    tn_arena_mark mark = tn_arena_get_mark(s->arena);
    tn_status status =
        tn_interior_ways_solve(s->problem, &s->check, &s->delassus, &run, s->arena, s->solution->lambda, s->error);
    tn_arena_release(s->arena, mark);
    s->report->iterations += run.steps;
    s->report->setup_s += run.setup;
    s->report->converged = run.arrived;
    return status == TN_OK ? tn_delassus_recover(&s->delassus, s->solution->lambda, s->solution->v, s->arena, s->error)
                           : status;
}

static tn_status go_exactly(path *s, int max_steps)
{
    tn_pieces_run run = {.max_steps = max_steps, .shift = shift_at(s->problem, s->solution->v, s->arena)};
    if (!run.shift) {
        return tn_error_set(s->error, TN_NO_MEMORY, "no memory for solver 'path'");
    }
    tn_status status = tn_pieces_solve(s->problem, &s->check, &run, s->arena, s->solution->lambda, s->error);
    s->report->iterations += run.steps;
    s->report->setup_s += run.setup;
    if (status == TN_OK && run.arrived) {
        s->report->converged = true; // the certificate looks
        status = tn_delassus_recover(&s->delassus, s->solution->lambda, s->solution->v, s->arena, s->error);
    }
    return status;
}

static tn_status go_on(path *s, const tn_solve_options *options)
{
    tn_status status =
        tn_delassus_create(s->problem, tn_delassus_choose(s->problem, s->arena), s->arena, &s->delassus, s->error);
    if (status != TN_OK) {
        return status;
    }
    if (!tn_check_create(&s->check, s->problem, s->delassus.q, &options->tolerance, s->arena)) {
        return tn_error_set(s->error, TN_NO_MEMORY, "no memory for solver 'path'");
    }
    status = go_many_ways(s, (int)(WAYS_SHARE * (options->max_iterations - s->report->iterations)));
    int left = options->max_iterations - s->report->iterations;
    return status == TN_OK && !s->report->converged && left > 0 ? go_exactly(s, left) : status;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_solve_options half = *options;
    half.max_iterations = (options->max_iterations + 1) / 2;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = tn_solver_ipm.solve(problem, &half, arena, solution, report, error);
    tn_arena_release(arena, mark);
    if (status != TN_OK || report->converged || report->iterations >= options->max_iterations) {
        return status;
    }
    path s = {.problem = problem, .arena = arena, .solution = solution, .report = report, .error = error};
    status = go_on(&s, options);
    tn_delassus_destroy(&s.delassus);
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
    .summary = "ipm, then many ways along its path, then the strict law's exact path: hard piles, in minutes",
    .sets = TN_TAKES_CONES,
    .refuses = refuses,
    .solve = solve,
};
