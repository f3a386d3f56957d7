#include "solver/auto/sweeps.h"

#include "solver/auto/band.h"
#include "solver/ipm/ipm.h"
#include "solver/pgs/pgs.h"
#include "solver/solvers.h"

#include <math.h>

// Boxes in a heap, whose pairs touch at several points: moments pass from box to box, and sweeps need thousands where
// Newton steps or one interior point solve do (rigid/brick_wall, rigid/box_heap). Those take over where the sweeps' own
// rate says that more than SHARE of what they cost is left; a rate is taken over RATE_SWEEPS, and most often falls.
enum { RATE_SWEEPS = 20, STACKED_SHIFTS = 2, STACKED_NEAR = 12 };
static const double SHARE = 0.25;
// Five Newton steps or an interior point solve take so many factorisations; beside its factor a step takes so many
// operations a contact, a sweep so many. Towers and walls cost less than the sweeps that are left; 13000 contacts of
// 1000 boxes would cost 50 times as much.
static const double STEPS = 5.0, FACTORS = 25.0, STEP_FLOPS = 1e4, SWEEP_FLOPS = 100.0, STACKED_COST = 5.0;

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
    tn_auto_hand_over to;
    bool looked;    // whether there is anybody to hand over to
    bool hand_over; // there is, where sweeps are slow
    double worth;   // sweeps that cost as much as what takes over
    int since;      // the rate is taken from here on
    double natural;
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

// Whether an interior point solve costs at most STACKED_COST times as much as the sweeps that are left.
static bool is_slender(judge *j)
{
    double sweep = SWEEP_FLOPS * j->problem->rows->n_triples, sweeps = j->options->max_iterations - RATE_SWEEPS;
    tn_arena_mark mark = tn_arena_get_mark(j->arena);
    double factor = tn_band_flops(j->problem, j->arena);
    tn_arena_release(j->arena, mark);
    j->worth = STEPS * (factor / sweep + STEP_FLOPS / SWEEP_FLOPS);
    return FACTORS * factor <= STACKED_COST * sweeps * sweep;
}

// Whether the sweeps of the last RATE_SWEEPS say that others would be cheaper.
static bool is_slow(judge *j, int sweeps, double natural)
{
    if (sweeps - j->since < RATE_SWEEPS) {
        return false;
    }
    double rate = log(j->natural / natural) / (sweeps - j->since);
    const tn_tolerance *goal = &j->options->tolerance;
    double left = log(natural / (goal->natural > 0.0 ? goal->natural : goal->fclib));
    j->since = sweeps;
    j->natural = natural;
    return !(left <= SHARE * j->worth * rate);
}

static bool is_enough(void *context, int sweeps, double natural)
{
    judge *j = context;
    bool late = sweeps >= j->enough_after;
    if (j->natural <= 0.0) {
        j->since = sweeps;
        j->natural = natural;
    }
    if (!j->looked && j->to != TN_AUTO_NEVER && (late || sweeps >= RATE_SWEEPS)) { // most solves are done before
        bool cheap = is_slender(j);
        j->hand_over = j->to == TN_AUTO_TO_CALLER || (cheap && is_stacked(j->problem));
        j->looked = true;
    }
    return j->hand_over ? is_slow(j, sweeps, natural) : late && natural <= j->options->enough;
}

static tn_status interior(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                          tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_ipm_options limits = {.shifts = STACKED_SHIFTS, .near_steps = STACKED_NEAR};
    tn_solve_options part = *options;
    int before = report->iterations;
    part.max_iterations -= before;
    report->solver = tn_solver_ipm.name;
    tn_status status = tn_ipm_solve(problem, &part, &limits, arena, solution, report, error);
    report->iterations += before;
    return status;
}

tn_status tn_auto_sweep(const tn_problem *problem, const tn_solve_options *options, int stall_sweeps,
                        tn_auto_hand_over to, tn_arena *arena, tn_solution *solution, tn_solve_report *report,
                        tn_error *error)
{
    int before = report->iterations;
    double share = ENOUGH_WORK / (problem->rows->n_triples + 1.0);
    judge j = {.problem = problem,
               .options = options,
               .arena = arena,
               .enough_after = share > ENOUGH_SWEEPS ? (int)share : ENOUGH_SWEEPS,
               .to = to};
    tn_gauss_seidel_run run = {
        .max_sweeps = options->max_iterations - before, .stall_sweeps = stall_sweeps, .ask = is_enough, .context = &j};
    tn_arena_mark mark = tn_arena_get_mark(arena);
    report->solver = tn_solver_pgs.name;
    tn_status status = tn_pgs_run(problem, options, &run, arena, solution, report, error);
    tn_arena_release(arena, mark);
    report->iterations += before;
    bool open = status == TN_OK && !report->converged && report->iterations < options->max_iterations;
    return open && j.hand_over && to == TN_AUTO_TO_IPM ? interior(problem, options, arena, solution, report, error)
                                                       : status;
}
