// auto: the solver by the problem's structure.
//
//     joints and contacts                auto_joints.c
//     chains of bodies (rods)            chain.h, a step or two; what it leaves open goes on below
//     no contacts                        direct: one factorisation; nodal to 1e-11 where A is elastic and large and
//                                        nothing has joints, several times as fast
//     at most ten contacts, bodies free  few: exact to rounding in microseconds; what it leaves open goes on below
//     A couples many blocks (elastic)    auto/elastic.c: nodal, then pgs where contacts are few, then newton; what they
//                                        leave open goes on below with at most 200 contacts
//     crowds of soft contacts            newton in the velocities, 30 steps at most
//     everything else                    pgs, by components or on the rows of W
//     pgs is slow, at most 100 contacts  ipm early: stacks with the heavy bodies on top, towers
//     boxes on boxes                     auto/sweeps.c: ipm where sweeps are slow, unless it would cost far more than
//                                        sweeps (large heaps)
//     pgs stalls and the problem is      ipm in global form, else newton and pgs in turn from pgs' best point: stacks,
//       small: 600 contacts in local       rank-deficient or unsymmetric W. A step of a simulation is not worth the
//       form, 200 in global form           seconds that a hard problem from a file may take. 4000 rigid ones where 1e-7
//                                          or less is demanded: sweeps do not get there soon, ipm mostly does; sweeps
//                                          go on where it does not.
//
// The report names the solver that did the last part of the work; its iterations count all parts.
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/auto/afresh.h"
#include "solver/auto/elastic.h"
#include "solver/auto/go_on.h"
#include "solver/auto/joints.h"
#include "solver/auto/sweeps.h"
#include "solver/chain/chain.h"
#include "solver/check.h"
#include "solver/dense/dense.h"
#include "solver/ipm/ipm.h"
#include "solver/newton/newton.h"
#include "solver/pgs/pgs.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

// Sweeps without progress by a factor 0.7 before a small problem is handed to newton.
enum { STALL_SWEEPS = 600, GLOBAL_CONTACTS = 200, TIGHT_CONTACTS = 4000 };
// Demanded, or where what is left open later will not be enough (bench rigid --only routes: 512 spheres at rest).
static const double TIGHT = 1e-7, TIGHT_ALL = 1e-6;

// Rigid bodies with few contacts: ipm comes soon, for no longer than EARLY_FLOPS. Masses that double upward over ten
// cubes (40 contacts): 10 steps, 20 us each, where 3000 sweeps leave a hundredth of the error.
// What it has not solved in EARLY_STEPS it mostly never does (the falling boxes of rigid/box_heap: 500 steps).
enum {
    EARLY_CONTACTS = 100,
    EARLY_SWEEPS = 40,
    EARLY_SWEEPS_A_CONTACT = 2,
    EARLY_SHIFTS = 3,
    EARLY_STEPS = 60,
    EARLY_NEAR = 12
};
static const double EARLY_FLOPS = 1e8;
// Ratio of contacts' inertias from which it goes first.
static const double HEAVY = 50.0;
// Figures are relative to the largest forces: the light body's share of them needs more digits.
static const double HEAVY_ACCURACY = 1e-3;

// Without contacts: block rows from which nodal is faster than a factorisation, its tolerance and its steps.
enum { LARGE_ROWS = 400, FREE_STEPS = 200 };
enum { CROWD_STEPS = 30 };
static const double FREE_TOLERANCE = 1e-11;

// Bodies that carry far heavier ones: the largest rho over the smallest. Sweeps need as many times more, and where they
// stop early their forces wander from one contact of a pair to another until the stack rocks.
static bool carries_heavy(const tn_problem *problem)
{
    double least = HUGE_VAL, most = 0.0;
    for (int m = 0; m < problem->rows->n_triples; ++m) {
        double rho = tn_check_rho(problem, m);
        least = fmin(least, rho);
        most = fmax(most, rho);
    }
    // The heaviest body, where both sides of its contacts are light ones.
    if (problem->velocity_scale > 0.0) {
        most = fmax(most, problem->force_scale / problem->velocity_scale);
    }
    return most > HEAVY * least;
}

// ipm for a moment: one interior point solve needs no start and takes 10 to 25 steps. accuracy: of the natural figure,
// relative to what is demanded, tried first.
static tn_status interior(const tn_problem *problem, const tn_solve_options *options, double accuracy, tn_arena *arena,
                          tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_ipm_options limits = {.shifts = EARLY_SHIFTS, .near_steps = EARLY_NEAR, .work = EARLY_FLOPS};
    tn_solve_options part = *options;
    part.tolerance.natural *= accuracy;
    report->solver = tn_solver_ipm.name;
    tn_status status;
    do {
        int before = report->iterations;
        int left = options->max_iterations - before;
        part.max_iterations = left < EARLY_STEPS ? left : EARLY_STEPS;
        tn_arena_mark mark = tn_arena_get_mark(arena);
        status = tn_ipm_solve(problem, &part, &limits, arena, solution, report, error);
        tn_arena_release(arena, mark);
        report->iterations += before;
        accuracy = accuracy < 1.0 ? 1.0 : 2.0;
        part.tolerance = options->tolerance; // what is reached may be enough: then the second solve is none
    } while (status == TN_OK && !report->converged && accuracy <= 1.0);
    return status;
}

// What neither sweeps nor ipm (other) have solved: the better of theirs where that is enough, else dense. Boxes that
// tumble through one another (rigid/box_heap, 20 to 40 contacts): one island in fifty.
static tn_status solve_hard(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                            const tn_solution *other, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    double own = HUGE_VAL, others = HUGE_VAL;
    tn_solve_options rest = *options;
    rest.max_iterations -= report->iterations;
    rest.tolerance.natural = fmax(rest.tolerance.natural, options->enough);
    tn_status status = tn_auto_score(problem, &rest.tolerance, solution, arena, &own, error);
    status = status == TN_OK ? tn_auto_score(problem, &rest.tolerance, other, arena, &others, error) : status;
    if (others < own) {
        tn_auto_copy(problem, other, solution);
    }
    report->converged = fmin(own, others) <= 1.0;
    if (status != TN_OK || report->converged || tn_solver_dense.refuses(problem)) {
        return status;
    }
    bool fits;
    int before = report->iterations;
    status = tn_dense_try(problem, &rest, arena, solution, report, &fits, error);
    report->iterations += before;
    return status;
}

// Sweeps, then ipm for a moment; ipm first where bodies carry heavy ones. What the sweeps found stays if ipm fails too.
static tn_status solve_few(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                           tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    int n = problem->rows->n_triples, patience = EARLY_SWEEPS + EARLY_SWEEPS_A_CONTACT * n;
    tn_solution other;
    tn_status status = tn_auto_keep(problem, solution, arena, &other, error);
    if (status != TN_OK) {
        return status;
    }
    tn_solve_options first = *options;
    first.max_iterations = patience < options->max_iterations ? patience : options->max_iterations;
    bool heavy = carries_heavy(problem);
    if (!heavy) {
        status = tn_auto_sweep(problem, &first, 0, TN_AUTO_TO_CALLER, arena, solution, report, error);
        if (status != TN_OK || report->converged || report->iterations >= options->max_iterations) {
            return status;
        }
        tn_auto_copy(problem, solution, &other);
    }
    status = interior(problem, options, heavy ? HEAVY_ACCURACY : 1.0, arena, &other, report, error);
    if (status == TN_OK && report->converged) {
        tn_auto_copy(problem, &other, solution);
    }
    return status != TN_OK || report->converged || report->iterations >= options->max_iterations
               ? status
               : solve_hard(problem, options, arena, &other, solution, report, error);
}

// A figure is demanded that sweeps hardly reach in a heap of rigid bodies.
static bool is_tight(const tn_solve_options *options)
{
    const tn_tolerance *t = &options->tolerance;
    double natural = options->enough > 0.0 ? TIGHT : TIGHT_ALL;
    return (t->fclib > 0.0 && t->fclib <= TIGHT) || (t->natural > 0.0 && t->natural <= natural);
}

// ipm, and where it fails too sweeps from where they were: in a pile at rest they creep to the end, in some 1e5 sweeps.
static tn_status solve_tightly(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                               tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_solution swept;
    tn_status status = tn_auto_keep(problem, solution, arena, &swept, error);
    if (status == TN_OK) {
        status =
            tn_auto_go_on(&tn_solver_ipm, problem, options, options->max_iterations, arena, solution, report, error);
    }
    if (status != TN_OK || report->converged || report->iterations >= options->max_iterations) {
        return status;
    }
    status = tn_auto_sweep(problem, options, 0, TN_AUTO_NEVER, arena, &swept, report, error);
    if (status == TN_OK && report->converged) {
        tn_auto_copy(problem, &swept, solution);
    }
    return status;
}

static tn_status sweep_then_newton(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                                   tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    int n = problem->rows->n_triples;
    bool rigid = problem->A && !tn_problem_is_elastic(problem, arena);
    bool tight = rigid && is_tight(options);
    int most = tight ? TIGHT_CONTACTS : GLOBAL_CONTACTS;
    bool small = !tn_solver_newton.refuses(problem) && (problem->W || n <= most);
    tn_status status = TN_OK;
    if (rigid && n <= EARLY_CONTACTS) {
        status = solve_few(problem, options, arena, solution, report, error);
        if (status != TN_OK || report->converged || report->iterations >= options->max_iterations) {
            return status;
        }
    }
    tn_auto_hand_over to = rigid && n > EARLY_CONTACTS ? TN_AUTO_TO_IPM : TN_AUTO_NEVER;
    status = tn_auto_sweep(problem, options, small ? STALL_SWEEPS : 0, to, arena, solution, report, error);
    bool open = status == TN_OK && !report->converged && report->iterations < options->max_iterations;
    if (!open || !small || report->solver == tn_solver_ipm.name) {
        return status;
    }
    return tight ? solve_tightly(problem, options, arena, solution, report, error)
                 : tn_auto_go_on(rigid ? &tn_solver_ipm : &tn_solver_newton, problem, options, options->max_iterations,
                                 arena, solution, report, error);
}

// Up to ten contacts; the rest of the iterations as for more of them where that fails.
static tn_status solve_fewest(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                              tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    report->solver = tn_solver_few.name;
    tn_status status = tn_solver_few.solve(problem, options, arena, solution, report, error);
    int done = status == TN_OK ? report->iterations : 0;
    if (status == TN_OK && (report->converged || done >= options->max_iterations)) {
        return status;
    }
    tn_solve_options rest = *options;
    rest.max_iterations -= done;
    report->iterations = 0;
    status = sweep_then_newton(problem, &rest, arena, solution, report, error);
    report->iterations += done;
    return status;
}

static tn_status solve_free(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                            tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    bool large = problem->A && problem->A->n_rows > LARGE_ROWS && tn_joint_row_count(problem) == 0;
    if (large && tn_problem_is_elastic(problem, arena)) {
        tn_solve_options tight = *options;
        if (!(options->tolerance.momentum > 0.0 && options->tolerance.momentum < FREE_TOLERANCE)) {
            tight.tolerance.momentum = FREE_TOLERANCE;
        }
        tn_status status = tn_auto_go_on(&tn_solver_nodal, problem, &tight, FREE_STEPS, arena, solution, report, error);
        if (status != TN_OK || report->converged) {
            return status;
        }
    }
    if (problem->A && tn_joint_row_count(problem) > 0 && !tn_solver_dense.refuses(problem)) {
        bool fits;
        tn_status status = tn_dense_try(problem, options, arena, solution, report, &fits, error);
        if (status != TN_OK || report->converged) {
            return status;
        }
    }
    report->solver = tn_solver_direct.name;
    return tn_solver_call(&tn_solver_direct, problem, options, arena, solution, report, error);
}

// Friction beside the contacts' is for pgs, which takes polyhedra too.
static bool takes_polyhedral(const tn_problem *problem)
{
    return problem->facets > 0 && problem->law != TN_LAW_FRICTIONLESS && problem->rows->n_frictions == 0;
}

// qp, or lemke where there is no quadratic program; ipm where rows that nearly depend on one another lead qp astray.
static tn_status solve_polyhedral(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                                  tn_solution *solution, tn_solve_report *report, tn_error *error)
{
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

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    if (problem->A && tn_problem_is_elastic(problem, arena)) {
        bool fits;
        tn_status status = tn_chain_try(problem, options, arena, solution, report, &fits, error);
        if (status != TN_OK || fits) {
            return status;
        }
    }
    report->iterations = 0;
    if (problem->rows->n_triples == 0) {
        return solve_free(problem, options, arena, solution, report, error);
    }
    if (takes_polyhedral(problem)) {
        return solve_polyhedral(problem, options, arena, solution, report, error);
    }
    if (tn_joint_row_count(problem) > 0) {
        return tn_auto_joints_solve(problem, options, arena, solution, report, error);
    }
    if (problem->rows->n_frictions > 0) {
        return tn_auto_sweep(problem, options, 0, TN_AUTO_NEVER, arena, solution, report, error);
    }
    if (!tn_solver_few.refuses(problem)) {
        return solve_fewest(problem, options, arena, solution, report, error);
    }
    if (tn_problem_is_elastic(problem, arena) && !tn_solver_nodal.refuses(problem)) {
        tn_status status = tn_auto_elastic_solve(problem, options, arena, solution, report, error);
        bool small = problem->rows->n_triples <= TN_AUTO_FEW_CONTACTS; // an explicit N is affordable
        if (status != TN_OK || report->converged || !small || report->iterations >= options->max_iterations) {
            return status;
        }
    }
    if (tn_newton_suits_velocities(problem)) {
        tn_status status =
            tn_auto_go_on(&tn_solver_newton, problem, options, CROWD_STEPS, arena, solution, report, error);
        if (status != TN_OK || report->converged || report->iterations >= options->max_iterations) {
            return status;
        }
    }
    return sweep_then_newton(problem, options, arena, solution, report, error);
}

static const char *refuses(const tn_problem *problem)
{
    bool polyhedral = takes_polyhedral(problem) && tn_solver_refusal(&tn_solver_qp, problem);
    return polyhedral ? tn_solver_refusal(&tn_solver_lemke, problem) : NULL;
}

const tn_solver tn_solver_auto = {
    .name = "auto",
    .summary = "chooses by structure: few, direct, nodal, pgs, ipm, newton; with facets qp, lemke",
    .sets = TN_TAKES_CONES | TN_TAKES_POLYHEDRA | TN_TAKES_FRICTIONS | TN_TAKES_SINGLES,
    .by_islands = true,
    .refuses = refuses,
    .solve = solve,
};
