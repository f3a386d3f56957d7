#include "solver/auto/go_on.h"

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
