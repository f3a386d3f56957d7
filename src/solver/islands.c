// Islands one after the other, each taken out of the problem, solved and put back. A problem that is one island is
// solved as it stands, but for its scales: so an island's solution is the same alone and in company.
#include "solver/islands.h"

#include "problem/islands.h"
#include "problem/rows.h"

#include <math.h>

static int row_count(const tn_islands *islands, int k)
{
    return 3 * (islands->triple_start[k + 1] - islands->triple_start[k]) + islands->single_start[k + 1] -
           islands->single_start[k];
}

static void add_report(tn_solve_report *sum, const tn_solve_report *one, bool largest)
{
    sum->solver = largest ? one->solver : sum->solver;
    sum->theta = largest ? one->theta : sum->theta;
    sum->iterations = one->iterations > sum->iterations ? one->iterations : sum->iterations;
    sum->setup_s += one->setup_s;
    sum->converged = sum->converged && one->converged;
}

tn_status tn_islands_solve(tn_island_solve *solve, const tn_solver *solver, const tn_problem *problem,
                           const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                           tn_solve_report *report, tn_error *error)
{
    tn_islands islands;
    if (tn_islands_find(problem, arena, &islands) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the islands of %d contacts", problem->rows->n_triples);
    }
    if (islands.n <= 1) {
        tn_problem alone = *problem;
        tn_island_set_scales(&alone);
        return solve(solver, &alone, options, arena, solution, report, error);
    }
    tn_solve_report sum = {.solver = solver->name, .converged = true, .theta = NAN};
    tn_status status = TN_OK;
    int most = -1;
    for (int k = 0; status == TN_OK && k < islands.n; k++) {
        tn_arena_mark mark = tn_arena_get_mark(arena);
        tn_island island;
        tn_solve_report one = {.solver = solver->name, .theta = NAN};
        status = tn_island_take(problem, &islands, k, solution, arena, &island);
        status = status == TN_OK
                     ? solve(solver, &island.problem, options, arena, &island.solution, &one, error)
                     : tn_error_set(error, TN_NO_MEMORY, "no memory for an island of %d rows", row_count(&islands, k));
        if (status == TN_OK) {
            tn_island_put(problem, &islands, k, &island, solution);
            add_report(&sum, &one, row_count(&islands, k) > most);
            most = row_count(&islands, k) > most ? row_count(&islands, k) : most;
        }
        tn_arena_release(arena, mark);
    }
    *report = sum;
    return status;
}
