#include "solver/auto/go_on.h"

#include "problem/rows.h"

#include <string.h>

tn_status tn_auto_go_on(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                        int max_iterations, tn_arena *arena, tn_solution *solution, tn_solve_report *report,
                        tn_error *error)
{
    int before = report->iterations, left = options->max_iterations - before;
    tn_solve_options part = *options;
    part.max_iterations = max_iterations < left ? max_iterations : left;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = tn_solver_call(solver, problem, &part, arena, solution, report, error);
    tn_arena_release(arena, mark);
    report->iterations += before;
    report->solver = solver->name;
    return status;
}

void tn_auto_copy(const tn_problem *problem, const tn_solution *from, tn_solution *to)
{
    memcpy(to->v, from->v, 3 * (size_t)problem->A->n_rows * sizeof *to->v);
    memcpy(to->lambda, from->lambda, tn_row_count(problem->rows) * sizeof *to->lambda);
}

tn_status tn_auto_keep(const tn_problem *problem, const tn_solution *from, tn_arena *arena, tn_solution *to,
                       tn_error *error)
{
    *to = (tn_solution){.v = TN_PUSH_RAW(arena, double, 3 * (size_t)problem->A->n_rows),
                        .lambda = TN_PUSH_RAW(arena, double, tn_row_count(problem->rows))};
    if (!to->v || !to->lambda) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'auto'");
    }
    tn_auto_copy(problem, from, to);
    return TN_OK;
}
