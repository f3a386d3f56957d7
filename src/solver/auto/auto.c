// auto: routes by the kind of problem, in turn until one gets there (auto/route.h; kinds in auto/kinds.h).
//
// The report names the solver that did the last part of the work; its iterations count all parts.
#include "problem/rows.h"
#include "solver/auto/best.h"
#include "solver/auto/elastic.h"
#include "solver/auto/go_on.h"
#include "solver/auto/kinds.h"
#include "solver/auto/sweeps.h"
#include "solver/chain/chain.h"
#include "solver/dense/dense.h"
#include "solver/ipm/ipm.h"
#include "solver/multipliers.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

static tn_status solve_free(tn_traits *t, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                            tn_solve_report *report, tn_error *error)
{
    const double TOLERANCE = 1e-8; // nearly as a factorisation would leave: two digits better than beside contacts
    tn_solve_options tight = *options;
    if (!(options->tolerance.momentum > 0.0 && options->tolerance.momentum < TOLERANCE)) {
        tight.tolerance.momentum = TOLERANCE;
    }
    return tn_solver_nodal.solve(t->problem, &tight, arena, solution, report, error);
}

static tn_status solve_dense(tn_traits *t, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                             tn_solve_report *report, tn_error *error)
{
    bool fits;
    return tn_dense_try(t->problem, options, arena, solution, report, &fits, error);
}

// What is enough where more is not reached.
static tn_tolerance coarse_tolerance(const tn_solve_options *options)
{
    tn_tolerance coarse = options->tolerance;
    coarse.natural = fmax(coarse.natural, options->enough);
    return coarse;
}

static tn_status solve_hard(tn_traits *t, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                            tn_solve_report *report, tn_error *error)
{
    tn_solve_options coarse = *options;
    coarse.tolerance = coarse_tolerance(options);
    return solve_dense(t, &coarse, arena, solution, report, error);
}

// qp, or lemke where there is no quadratic program; ipm where rows that nearly depend on one another lead qp astray.
static tn_status solve_polyhedral(tn_traits *t, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                                  tn_solve_report *report, tn_error *error)
{
    const tn_problem *problem = t->problem;
    const tn_solver *solver = tn_solver_refusal(&tn_solver_qp, problem) ? &tn_solver_lemke : &tn_solver_qp;
    report->solver = solver->name;
    tn_status status = tn_solver_call(solver, problem, options, arena, solution, report, error);
    bool failed = status == TN_NUMERICS || (status == TN_OK && !report->converged);
    if (failed && !tn_solver_refusal(&tn_solver_ipm, problem)) {
        memset(solution->v, 0, 3 * (size_t)problem->A->n_rows * sizeof *solution->v);
        memset(solution->lambda, 0, tn_row_count(problem->rows) * sizeof *solution->lambda);
        status =
            tn_auto_go_on(&tn_solver_ipm, problem, options, options->max_iterations, arena, solution, report, error);
    }
    return status;
}

// Rows that nearly depend on one another lead qp astray: what follows is for others then.
static tn_status solve_program(tn_traits *t, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                               tn_solve_report *report, tn_error *error)
{
    tn_status status = tn_solver_qp.solve(t->problem, options, arena, solution, report, error);
    return status == TN_NUMERICS ? TN_OK : status;
}

static tn_status solve_by_multipliers(tn_traits *t, const tn_solve_options *options, tn_arena *arena,
                                      tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    return tn_multipliers_solve(&tn_solver_pgs, t->problem, options, arena, solution, report, error);
}

// What it leaves open goes on from the start: nodal leads newton astray.
static tn_status solve_thick(tn_traits *t, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                             tn_solve_report *report, tn_error *error)
{
    tn_solution start;
    tn_status status = tn_auto_keep(t->problem, solution, arena, &start, error);
    status = status == TN_OK ? tn_multipliers_try(&tn_solver_nodal, t->problem, options, arena, solution, report, error)
                             : status;
    if (status == TN_OK && !report->converged) {
        tn_auto_copy(t->problem, &start, solution);
    }
    return status;
}

static tn_status solve_elastic(tn_traits *t, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                               tn_solve_report *report, tn_error *error)
{
    return tn_auto_elastic_solve(t->problem, options, arena, solution, report, error);
}

// Of Newton's method before ipm's interior point solve, for what is nearly at rest (rigid/stack100 at 1e-6: twice as
// fast).
static int near_steps(const tn_traits *t)
{
    enum { NEAR_STEPS = 12 };
    return t->tame && !t->moves ? NEAR_STEPS : 0;
}

// ipm for a moment. What it has not solved in 60 steps it mostly never does where contacts are few (the falling boxes
// of rigid/box_heap: 500 steps).
static tn_status solve_slow(tn_traits *t, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                            tn_solve_report *report, tn_error *error)
{
    enum { STEPS = 60 };
    bool is_few = t->n <= TN_AUTO_EARLY_CONTACTS;
    const tn_ipm_options limits = {.shifts = 3, .near_steps = near_steps(t), .work = is_few ? 1e8 : 0.0};
    tn_solve_options part = *options;
    part.max_iterations = is_few && STEPS < options->max_iterations ? STEPS : options->max_iterations;
    return tn_ipm_solve(t->problem, &part, &limits, arena, solution, report, error);
}

// All of ipm but its sweeps, which have been; the strict law's path is for piles of spheres (rigid/brick_wall at 1e-8:
// 0.3 s, with it 4.6 s). So is a second shift in any case (rigid/balls1000, step 99 at 1e-8: a third of the time;
// mixed1000, step 176: missed; stacks take up to 1.4 times as long with it).
static tn_status solve_stubborn(tn_traits *t, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                                tn_solve_report *report, tn_error *error)
{
    const tn_ipm_options all = {.shifts = 9,
                                .sure_shifts = t->stacked ? 1 : 2,
                                .near_steps = near_steps(t),
                                .work = 2.3e10,
                                .path = !t->stacked};
    return tn_ipm_solve(t->problem, options, &all, arena, solution, report, error);
}

// Before dense, which takes over from there: 20 are too few for step 99 of lcp/disks21 (six times), 100 take as long.
enum { PLANAR_SWEEPS = 40 };
// Before dense, whose steps on 100 contacts take as long as hundreds of sweeps.
enum { CROWD_SWEEPS = 300 };
// Small islands that are not solved by then take the others less (rigid/box_heap: 1.2 times with 100 steps).
enum { SMALL_STEPS = 30 };

static const tn_route ROUTES[] = {
    {"soft bodies alone", "soft/dropped_ball, first steps: 60 times slower", tn_is_large_and_free, &tn_solver_nodal,
     200, solve_free},
    {"mechanisms", "joints/slider_crank: 2 times", tn_is_mechanism, &tn_solver_dense, 0, solve_dense},
    {"no contacts", "the only one", tn_is_free, &tn_solver_direct, 0, NULL},
    {"polyhedral cones", "the only one", tn_is_for_pivots, &tn_solver_lemke, 0, solve_polyhedral},
    {"joints and dozens of contacts", "ten ragdolls on 500 boxes: 2.4 times", tn_is_jointed_and_crowded, &tn_solver_pgs,
     CROWD_SWEEPS, tn_auto_sweep},
    {"joints and contacts, few rows", "joints/ragdoll: 12 times", tn_is_jointed_and_small, &tn_solver_dense, 0,
     solve_dense},
    {"joints with dry friction", "chains of spherical joints: sweeps alone leave 1e-3 in a third of the steps",
     tn_is_jointed_and_rubs, &tn_solver_pgs, 0, solve_by_multipliers},
    {"joints, many contacts or friction", "the only one", tn_is_jointed_for_sweeps, &tn_solver_pgs, 0, tn_auto_sweep},
    {"joints on thick soft bodies", "cond/arm_mat: 10 times", tn_is_jointed_and_thick, &tn_solver_nodal, 200,
     solve_thick},
    {"joints on soft bodies", "the only one", tn_is_jointed_and_elastic, &tn_solver_newton, 0, NULL},
    {"joints that others do not hold", "500 spokes that jam on a hub: 0.02 to 0.7 of the fastest velocity left",
     tn_is_jointed, &tn_solver_ipm, 0, NULL},
    {"rolling and torsional friction", "the only one", tn_rolls, &tn_solver_pgs, 0, tn_auto_sweep},
    {"soft bodies", "cond/soft_ball at 1e-6: 7 times", tn_is_elastic, &tn_solver_nodal, 0, solve_elastic},
    {"a few contacts", "rigid/mixed1000, step 33, FC3D_Example1: 2 times", tn_is_a_few, &tn_solver_few, 0, NULL},
    {"crowds and stacks of soft contacts", "compliant/foundation at 1e-6: 70 times", tn_is_crowd, &tn_solver_newton, 30,
     NULL},
    {"small planar islands", "lcp/disks21 at 1e-6, steps 74, 99, 100: 2 to 7 times", tn_is_planar_and_small,
     &tn_solver_pgs, PLANAR_SWEEPS, NULL},
    {"small islands", "lcp/disks21 at 1e-6: 6 times", tn_is_small, &tn_solver_dense, SMALL_STEPS, solve_dense},
    {"planar grains, convex law", "lcp/brazil_nut at 1e-6: 7 times", tn_is_program, &tn_solver_qp, 0, solve_program},
    {"contacts", "rigid/balls1000: the only one", tn_has_rows, &tn_solver_pgs, 0, tn_auto_sweep},
    {"slow sweeps", "rigid/kapla: 4 times; rigid/card_house, rigid/brick_wall: missed by 500 sweeps", tn_is_slow,
     &tn_solver_ipm, 0, solve_slow},
    {"hard, few contacts", "rigid/box_heap: 2e-4 left instead of 5e-5", tn_is_hard, &tn_solver_dense, 0, solve_hard},
    {"hard, or to the last digits", "ccp/heap at 1e-6: missed, rigid/arch at 1e-8: missed", tn_is_stubborn,
     &tn_solver_ipm, 0, solve_stubborn},
    {"hard, by rows of W", "the only one where sweeps of W stall", tn_is_stubborn_and_local, &tn_solver_newton, 0,
     NULL},
};
enum { N_ROUTES = sizeof ROUTES / sizeof ROUTES[0] };

static int next_route(const tn_traits *t, int from)
{
    while (from < N_ROUTES && !ROUTES[from].fits(t)) {
        from++;
    }
    return from;
}

// On top of the iterations that the report has; *left: iterations for this route and those after it. Solvers that
// solve for joints over and over may take more than they are given; that is not for those after them to pay.
static tn_status run_route(const tn_route *route, tn_traits *t, int *left, tn_arena *arena, tn_solution *solution,
                           tn_solve_report *report, tn_error *error)
{
    int before = report->iterations;
    tn_solve_options part = *t->options;
    part.max_iterations = route->most > 0 && route->most < *left ? route->most : *left;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    report->solver = route->solver->name;
    report->iterations = 0;
    report->converged = false;
    tn_status status = route->solve ? route->solve(t, &part, arena, solution, report, error)
                                    : tn_solver_call(route->solver, t->problem, &part, arena, solution, report, error);
    tn_arena_release(arena, mark);
    *left -= report->iterations < part.max_iterations ? report->iterations : part.max_iterations;
    report->iterations += before;
    return status;
}

static tn_status is_enough(const tn_problem *problem, const tn_solve_options *options, const tn_solution *solution,
                           tn_arena *arena, bool *enough, tn_error *error)
{
    double score = HUGE_VAL;
    tn_tolerance coarse = coarse_tolerance(options);
    tn_status status = tn_auto_score(problem, &coarse, solution, arena, &score, error);
    *enough = score <= 1.0;
    return status;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_traits t = tn_traits_of(problem, options, arena);
    tn_auto_best best = {.score = HUGE_VAL};
    bool solved = false; // by chain, the only one that leaves no point to go on from where it fails
    tn_status status = t.elastic ? tn_chain_try(problem, options, arena, solution, report, &solved, error) : TN_OK;
    if (status != TN_OK || solved) {
        return status;
    }
    report->iterations = 0;
    report->converged = false;
    // Solvers stop a little below what is demanded. A step that ends just at it leaves sweeps to the next one
    // (rigid/card_house: 1.1 times as long); for a problem alone it is enough (rigid/arch, step 100 at 1e-6).
    bool is_alone = options->enough == 0.0;
    int k = next_route(&t, 0), left = options->max_iterations;
    while (k < N_ROUTES && status == TN_OK && !report->converged) {
        status = run_route(&ROUTES[k], &t, &left, arena, solution, report, error);
        bool open = status == TN_OK && !report->converged && left > 0;
        if (open && options->enough > 0.0 && !t.enough && t.n <= TN_AUTO_EARLY_CONTACTS) { // others do not ask
            status = is_enough(problem, options, solution, arena, &t.enough, error);
        }
        k = open ? next_route(&t, k + 1) : N_ROUTES;
        if (status == TN_OK && !report->converged && (k < N_ROUTES || best.solution.lambda)) {
            status = tn_auto_best_go_back(&best, problem, &options->tolerance, solution, arena, error);
            report->converged = best.score <= 1.0 && is_alone;
        }
    }
    return status;
}

static const char *refuses(const tn_problem *problem)
{
    bool pivots = tn_is_polyhedral(problem) && tn_solver_refusal(&tn_solver_qp, problem);
    return pivots ? tn_solver_refusal(&tn_solver_lemke, problem) : NULL;
}

const tn_solver tn_solver_auto = {
    .name = "auto",
    .summary = "chooses by structure: few, dense, direct, nodal, pgs, ipm, newton; with facets qp, lemke",
    .sets = TN_TAKES_CONES | TN_TAKES_POLYHEDRA | TN_TAKES_FRICTIONS | TN_TAKES_SINGLES,
    .by_islands = true,
    .refuses = refuses,
    .solve = solve,
};
