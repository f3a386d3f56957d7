#include "solver/auto/sweeps.h"

#include "solver/auto/band.h"
#include "solver/ipm/ipm.h"
#include "solver/pgs/pgs.h"
#include "solver/solvers.h"

// Boxes in a heap, whose pairs touch at several points: moments pass from box to box, and sweeps need thousands where
// one interior point solve does. 1000 boxes at rest (4100 contacts): 500 sweeps, 20 ms, leave 3e-4 of the forces and a
// heap that never stops swaying; ipm 1e-6 in 60 ms. Those are what comes first and what ipm may take.
enum { STACKED_SWEEPS = 100, STACKED_SHIFTS = 2 };
// An interior point solve takes about so many factorisations, a sweep as long as so many operations a contact. Towers
// and walls cost less than the sweeps that are left; 13000 contacts of 1000 boxes would cost 50 times as much.
static const double FACTORS = 25.0, SWEEP_FLOPS = 100.0, STACKED_COST = 5.0;

// Work after which options->enough counts, in sweeps times contacts: some 20 ms. 1000 boxes at rest, 13 400 contacts,
// get from 9.5e-5 to 9e-5 in 80 sweeps, and not to 5e-5 in 500. Fewer than ENOUGH_SWEEPS leave single boxes trembling
// that the sum over all contacts does not show.
static const double ENOUGH_WORK = 1e6;
enum { ENOUGH_SWEEPS = 60 };

typedef struct judge {
    const tn_problem *problem;
    const tn_solve_options *options;
    tn_arena *arena;
    int enough_after; // sweeps
    bool may_stack;   // and nobody has looked yet whether it is a slender stack
    bool slender;
} judge;

// Most contacts share their bodies with the one before.
static bool is_stacked(const tn_problem *problem)
{
    const tn_rows *c = problem->rows;
    int beside = 0;
    for (int m = 1; m < c->n_triples; ++m) {
        int n = c->start[m + 1] - c->start[m];
        bool same = n == c->start[m] - c->start[m - 1];
        for (int e = 0; e < n && same; ++e) {
            same = c->block[c->start[m] + e] == c->block[c->start[m - 1] + e];
        }
        beside += same;
    }
    return 2 * beside > c->n_triples;
}

// Whether ipm costs at most STACKED_COST times as much as the sweeps that are left.
static bool is_slender(const judge *j)
{
    double sweeps = SWEEP_FLOPS * (j->options->max_iterations - STACKED_SWEEPS) * j->problem->rows->n_triples;
    tn_arena_mark mark = tn_arena_get_mark(j->arena);
    bool slender = FACTORS * tn_band_flops(j->problem, j->arena) <= STACKED_COST * sweeps;
    tn_arena_release(j->arena, mark);
    return slender;
}

static bool is_enough(void *context, int sweeps, double natural)
{
    judge *j = context;
    bool late = sweeps >= j->enough_after;
    if (j->may_stack && (late || sweeps >= STACKED_SWEEPS)) { // only here: most solves are done before
        j->slender = is_stacked(j->problem) && is_slender(j);
        j->may_stack = false;
    }
    if (j->slender) {
        return sweeps >= STACKED_SWEEPS;
    }
    return late && natural <= j->options->enough;
}

static tn_status interior(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                          tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_ipm_options limits = {.shifts = STACKED_SHIFTS};
    tn_solve_options part = *options;
    int before = report->iterations;
    part.max_iterations -= before;
    report->solver = tn_solver_ipm.name;
    tn_status status = tn_ipm_solve(problem, &part, &limits, arena, solution, report, error);
    report->iterations += before;
    return status;
}

tn_status tn_auto_sweep(const tn_problem *problem, const tn_solve_options *options, int stall_sweeps, bool may_stack,
                        tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    int before = report->iterations;
    double share = ENOUGH_WORK / (problem->rows->n_triples + 1.0);
    judge j = {.problem = problem,
               .options = options,
               .arena = arena,
               .enough_after = share > ENOUGH_SWEEPS ? (int)share : ENOUGH_SWEEPS,
               .may_stack = may_stack};
    tn_gauss_seidel_run run = {
        .max_sweeps = options->max_iterations - before, .stall_sweeps = stall_sweeps, .ask = is_enough, .context = &j};
    tn_arena_mark mark = tn_arena_get_mark(arena);
    report->solver = tn_solver_pgs.name;
    tn_status status = tn_pgs_run(problem, options, &run, arena, solution, report, error);
    tn_arena_release(arena, mark);
    report->iterations += before;
    bool open = status == TN_OK && !report->converged && report->iterations < options->max_iterations;
    return open && j.slender ? interior(problem, options, arena, solution, report, error) : status;
}
