// ipm: for heaps of rigid bodies on which Gauss-Seidel stalls.
//
//     sweeps            from the warm start: easy problems end here
//     interior point    on the convex problem with the strict law's shift s held, s = 0 at first, then mu |u_t| of the
//                       last forces (De Saxce's fixed point); not to the end: forces well inside their cones are the
//                       better start for
//     sweeps            which settle the contacts that truly slide
//     longer sweeps     from the best forces so far, before the strict path
//     the strict path   interior point steps with the shift as an unknown (interior_path.h), where they are cheap
//     proximal steps    of Newton's method, where the forces drift along directions that sweeps hardly feel
//
// The best forces of all stages are kept, by the demanded figures. With elastic bodies newton stands in for the sweeps
// and there are no proximal steps. The convex law is solved by the interior point method to the end.
#include "solver/ipm/ipm.h"

#include "problem/delassus.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/ipm/facets.h"
#include "solver/ipm/interior.h"
#include "solver/ipm/interior_path.h"
#include "solver/ipm/joints.h"
#include "solver/ipm/local.h"
#include "solver/pgs/pgs.h"
#include "solver/proximal.h"
#include "solver/shift.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

enum {
    SWEEPS = 10000,     // after an interior point solve, at most
    STALL_SWEEPS = 300, // without progress end them: 200 lose spheres_216 at 1e-6 (15 times as long), 1000 take 1.3
                        // times as long over all heaps, rigid/boxes1000 three times
    LAST_STALL_SWEEPS = 1000, // where nothing follows (rigid/boxes1000, step 49 at 1e-4)
    // Before the strict path, which takes as long as thousands of sweeps: of 11 steps of lcp/brazil_nut_10hz at 1e-6
    // they spare it 5 (11 instead of 150 ms), with 300 none. Not where fewer iterations are left than LONG_SHARE times
    // as many, which those that follow need (rigid/card_house at 1e-9).
    LONG_STALL_SWEEPS = 1000,
    LONG_SHARE = 4,
    ELASTIC_STEPS = 30, // of newton in place of sweeps
    INTERIOR_STEPS = 60,
    PATH_STEPS = 400, // at most; 40 to 350 lead piles of 64 and 216 spheres to 1e-8
    SHORT_STEPS = 3,
};
static const double GAP = 2.5e-6;       // where the interior point method stops under the strict law
static const double GAP_FALL = 0.03;    // from one shift to the next: well-posed problems are solved to the end
static const double CONVEX_GAP = 1e-15; // under the others
static const double SHORT = 1e-3;       // a step this short gets nowhere; after SHORT_STEPS of them it gives up
static const double PROGRESS = 0.7;     // of a new shift, else it was the last
static const double PER_CONTACT = 1e4;  // operations of an interior point step outside its factor
static const double PATH_SHARE = 1.2;   // of the work: what one way along the path may cost, besides the other stages
static const double PATH_REACH = 2.0;   // of the work: what PATH_STEPS may cost by estimate, else the path is not tried
static const double DRIFT_SHARE = 0.2;  // of the work, for proximal steps at least
static const double SIGMA = 10.0;       // of the first proximal step
// Of a start whose figures are at most NEAR times what is demanded: in a wall at rest the forces need little, but along
// directions that sweeps hardly feel. Four or five Newton steps of proximal ones do where the interior point method,
// which needs a start that is far from all bounds, takes thirteen (rigid/brick_wall).
static const double NEAR = 20.0, NEAR_SIGMA = 1e4;
// From LATE_GAP on an interior point step has to lessen the error to this part of it: what is left is the shift's.
static const double LATE_GAP = 1e-3, LATE_PROGRESS = 0.7;

// Ways along the strict law's path. Which folds it meets is chance: of two ways, either finds what the other misses.
typedef struct path_try {
    double depth; // of the start, interior.h
    double below; // interior_path.h
} path_try;
static const path_try PATH_TRIES[] = {{1.0, 0.5}, {20.0, 0.1}};

typedef struct ipm {
    const tn_problem *problem;
    const tn_ipm_options *limits;
    const tn_solve_options *options;
    tn_arena *arena;
    tn_error *error;
    tn_delassus delassus;
    tn_check check;
    tn_interior interior;
    bool elastic;
    int n;            // numbers in lambda
    double *best, *u; // (n)
    double *shift;    // (n / 3) [m/s]
    double *aside;    // (n) forces that a stage found and the next ones shall not go on from
    double aside_score;
    tn_solution work;  // v, lambda of a stage
    double score, now; // of best, of the forces last judged
    int iterations;
    double spent; // operations
    double setup; // [s]
} ipm;

static tn_status no_memory(const ipm *s)
{
    return tn_error_set(s->error, TN_NO_MEMORY, "no memory for solver 'ipm'");
}

static int left(const ipm *s)
{
    return s->options->max_iterations - s->iterations;
}

static bool goes_on(const ipm *s)
{
    return s->score > 1.0 && left(s) > 0;
}

// u of lambda, and best and score where it is better.
static tn_status judge(ipm *s, const double *lambda)
{
    tn_status status = tn_delassus_velocity(&s->delassus, lambda, s->u, s->arena, s->error);
    if (status != TN_OK) {
        return status;
    }
    s->now = tn_check_score(&s->check, lambda, s->u);
    if (s->now < s->score) {
        s->score = s->now;
        memcpy(s->best, lambda, (size_t)s->n * sizeof *lambda);
    }
    return TN_OK;
}

// Sweeps from work on; newton where bodies are elastic. Its best point is in work then.
static tn_status polish(ipm *s, tn_gauss_seidel_run run)
{
    tn_solve_options options = *s->options;
    options.max_iterations = ELASTIC_STEPS < left(s) ? ELASTIC_STEPS : left(s);
    run.max_sweeps = run.max_sweeps < left(s) ? run.max_sweeps : left(s);
    tn_solve_report report = {.solver = "ipm"};
    tn_arena_mark mark = tn_arena_get_mark(s->arena);
    tn_status status = s->elastic ? tn_solver_newton.solve(s->problem, &options, s->arena, &s->work, &report, s->error)
                                  : tn_pgs_run(s->problem, &options, &run, s->arena, &s->work, &report, s->error);
    tn_arena_release(s->arena, mark);
    s->iterations += report.iterations;
    s->setup += report.setup_s;
    return status == TN_OK ? judge(s, s->work.lambda) : status;
}

// The same as long as it gets on.
static tn_status settle(ipm *s)
{
    int stall = s->limits->work > 0.0 ? STALL_SWEEPS : LAST_STALL_SWEEPS;
    return polish(s, (tn_gauss_seidel_run){.max_sweeps = SWEEPS, .stall_sweeps = stall});
}

// That of the forces last judged.
static void take_shift(ipm *s)
{
    for (int m = 0; m < s->n / 3; ++m) {
        s->shift[m] = tn_shift_of(s->problem, m, s->u + 3 * (size_t)m);
    }
}

static tn_status run_interior(ipm *s, double strict_gap)
{
    tn_interior *in = &s->interior;
    bool strict = s->problem->law == TN_LAW_COULOMB;
    double gap = strict ? strict_gap : CONVEX_GAP;
    int n_short = 0;
    bool late = false;
    memcpy(s->work.lambda, s->best, (size_t)s->n * sizeof *s->best);
    memset(s->work.v, 0, 3 * (size_t)s->problem->A->n_rows * sizeof *s->work.v);
    tn_interior_start(in, s->work.v);
    tn_status status = TN_OK;
    for (int k = 0; k < INTERIOR_STEPS && goes_on(s) && in->gap > gap && n_short < SHORT_STEPS && !late; ++k) {
        double before = s->now;
        status = tn_interior_step(in, s->shift, s->error);
        ++s->iterations;
        s->spent += in->factor.flops + PER_CONTACT * in->n;
        status = status == TN_OK ? judge(s, in->lambda) : status;
        if (status != TN_OK || !(s->now < HUGE_VAL)) {
            break; // rounding has the last word
        }
        memcpy(s->work.lambda, strict ? in->lambda : s->best, (size_t)s->n * sizeof *in->lambda);
        n_short = in->reach < SHORT ? n_short + 1 : 0;
        late = strict && k > 0 && in->gap < LATE_GAP && s->now > LATE_PROGRESS * before;
    }
    return status == TN_NUMERICS ? TN_OK : status; // the factor broke down: what is reached stands
}

static double judge_path(void *user)
{
    ipm *s = user;
    return judge(s, s->interior.lambda) == TN_OK ? s->now : HUGE_VAL;
}

static tn_status sweep_longer(ipm *s)
{
    int most = left(s) / LONG_SHARE;
    if (most < LONG_STALL_SWEEPS) {
        return TN_OK;
    }
    memcpy(s->work.lambda, s->best, (size_t)s->n * sizeof *s->best);
    return polish(s, (tn_gauss_seidel_run){.max_sweeps = most, .stall_sweeps = LONG_STALL_SWEEPS});
}

static bool takes_path(const ipm *s)
{
    const tn_rows *c = s->problem->rows;
    double work = PATH_STEPS * tn_interior_path_work(&s->interior);
    return s->limits->path && s->problem->law == TN_LAW_COULOMB && !s->elastic && !c->softness && c->n_frictions == 0 &&
           work <= PATH_REACH * s->limits->work;
}

// Where the path does not get to its end, the next stages go on as if it had not been: its best forces are put aside.
static void put_aside(ipm *s, double score)
{
    for (int i = 0; i < s->n; ++i) {
        double found = s->best[i];
        s->best[i] = s->aside[i];
        s->aside[i] = found;
    }
    s->aside_score = s->score;
    s->score = score;
}

static tn_status walk_path(ipm *s, const path_try *how)
{
    tn_interior_path path = {
        .below = how->below, .max_work = PATH_SHARE * s->limits->work, .judge = judge_path, .user = s};
    path.max_steps = left(s) < PATH_STEPS ? left(s) : PATH_STEPS;
    tn_arena_mark mark = tn_arena_get_mark(s->arena);
    double depth = s->interior.depth;
    s->interior.depth = how->depth;
    memset(s->work.v, 0, 3 * (size_t)s->problem->A->n_rows * sizeof *s->work.v);
    tn_interior_start(&s->interior, s->work.v);
    s->interior.depth = depth;
    tn_status status = tn_interior_path_solve(&s->interior, &path, s->arena, s->error);
    tn_arena_release(s->arena, mark);
    s->iterations += path.steps;
    return status;
}

static tn_status follow_path(ipm *s)
{
    double before = s->score;
    memcpy(s->aside, s->best, (size_t)s->n * sizeof *s->best);
    tn_status status = TN_OK;
    for (size_t k = 0; k < sizeof PATH_TRIES / sizeof PATH_TRIES[0] && status == TN_OK && goes_on(s); ++k) {
        status = walk_path(s, &PATH_TRIES[k]);
    }
    if (status == TN_OK && goes_on(s)) {
        put_aside(s, before);
        status = judge(s, s->work.lambda); // for its velocities
    }
    return status;
}

// Interior point solves, each followed by sweeps, while new shifts pay; after the first the strict law's path.
static tn_status follow_shifts(ipm *s)
{
    memset(s->shift, 0, (size_t)(s->n / 3) * sizeof *s->shift);
    int shifts = s->problem->law == TN_LAW_COULOMB ? s->limits->shifts : 1;
    double before = HUGE_VAL;
    int sure = s->limits->sure_shifts;
    for (int k = 0; k < shifts && (k < sure || s->score < PROGRESS * before) && goes_on(s); ++k) {
        if (k > 0 && s->spent >= (1.0 - DRIFT_SHARE) * s->limits->work) {
            break;
        }
        before = s->score;
        tn_status status = run_interior(s, GAP * pow(GAP_FALL, k));
        status = status == TN_OK ? settle(s) : status;
        if (status == TN_OK && k == 0 && goes_on(s) && takes_path(s)) {
            status = sweep_longer(s);
            status = status == TN_OK && goes_on(s) ? follow_path(s) : status;
        }
        if (status != TN_OK) {
            return status;
        }
        take_shift(s);
    }
    return TN_OK;
}

static tn_status run_proximal(ipm *s, int max_steps, double max_work, double sigma)
{
    tn_proximal_run run = {.max_steps = max_steps < left(s) ? max_steps : left(s),
                           .max_work = max_work,
                           .sigma = sigma,
                           .score = s->score};
    tn_arena_mark mark = tn_arena_get_mark(s->arena);
    tn_status status = tn_proximal_solve(s->problem, &s->check, &s->delassus, &run, s->arena, s->best, s->error);
    tn_arena_release(s->arena, mark);
    s->score = run.score;
    s->iterations += run.steps;
    s->setup += run.setup;
    return status;
}

static tn_status drift(ipm *s)
{
    double most = fmax(s->limits->work - s->spent, DRIFT_SHARE * s->limits->work);
    return run_proximal(s, left(s), most, SIGMA);
}

static tn_status run_stages(ipm *s, const tn_solution *start)
{
    memcpy(s->best, start->lambda, (size_t)s->n * sizeof *start->lambda);
    memcpy(s->work.lambda, start->lambda, (size_t)s->n * sizeof *start->lambda);
    memcpy(s->work.v, start->v, 3 * (size_t)s->problem->A->n_rows * sizeof *start->v);
    tn_status status = judge(s, s->work.lambda);
    if (status == TN_OK && goes_on(s) && s->limits->first_sweeps > 0) {
        status = polish(s, (tn_gauss_seidel_run){.max_sweeps = s->limits->first_sweeps});
    }
    bool rigid = !s->elastic && !s->problem->rows->softness;
    if (status == TN_OK && goes_on(s) && rigid && s->limits->near_steps > 0 && s->score <= NEAR) {
        status = run_proximal(s, s->limits->near_steps, HUGE_VAL, NEAR_SIGMA);
    }
    if (status == TN_OK && goes_on(s)) {
        status = tn_interior_create(&s->interior, s->problem, &s->check, s->check.q_norm / sqrt(s->n / 3.0), s->arena,
                                    s->error);
        status = status == TN_OK ? follow_shifts(s) : status;
        s->setup += s->interior.setup;
        tn_interior_destroy(&s->interior);
    }
    if (status == TN_OK && goes_on(s) && rigid && s->limits->work > 0.0) {
        status = drift(s);
    }
    if (status == TN_OK && goes_on(s)) {
        memcpy(s->work.lambda, s->best, (size_t)s->n * sizeof *s->best);
        status = settle(s);
    }
    if (s->aside_score < s->score) {
        put_aside(s, s->aside_score);
    }
    return status;
}

static tn_status create(ipm *s)
{
    const tn_problem *problem = s->problem;
    tn_delassus_kind kind = tn_delassus_choose(problem, s->arena);
    tn_status status = tn_delassus_create(problem, kind, s->arena, &s->delassus, s->error);
    if (status != TN_OK) {
        return status;
    }
    size_t n_v = 3 * (size_t)problem->A->n_rows;
    s->elastic = tn_problem_is_elastic(problem, s->arena);
    s->best = TN_PUSH(s->arena, double, s->n);
    s->u = TN_PUSH(s->arena, double, s->n);
    s->aside = TN_PUSH(s->arena, double, s->n);
    s->aside_score = HUGE_VAL;
    s->shift = TN_PUSH(s->arena, double, s->n / 3);
    s->work = (tn_solution){.v = TN_PUSH(s->arena, double, n_v), .lambda = TN_PUSH(s->arena, double, s->n)};
    bool ok = s->best && s->u && s->aside && s->shift && s->work.v && s->work.lambda;
    return ok && tn_check_create(&s->check, problem, s->delassus.q, &s->options->tolerance, s->arena) ? TN_OK
                                                                                                      : no_memory(s);
}

tn_status tn_ipm_solve(const tn_problem *problem, const tn_solve_options *options, const tn_ipm_options *limits,
                       tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    ipm s = {.problem = problem, .limits = limits, .options = options, .arena = arena, .error = error};
    s.n = 3 * problem->rows->n_triples;
    s.score = HUGE_VAL;
    tn_status status = create(&s);
    status = status == TN_OK ? run_stages(&s, solution) : status;
    if (status == TN_OK) {
        memcpy(solution->lambda, s.best, (size_t)s.n * sizeof *s.best);
        status = tn_delassus_recover(&s.delassus, s.best, solution->v, arena, error);
    }
    tn_delassus_destroy(&s.delassus);
    report->iterations = s.iterations;
    report->setup_s = s.setup;
    report->converged = s.score <= 1.0;
    return status;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    if (problem->facets > 0 && problem->rows->n_triples > 0) {
        return tn_ipm_facets_solve(problem, options, arena, solution, report, error);
    }
    if (problem->W) {
        return tn_ipm_local_solve(problem, options, arena, solution, report, error);
    }
    if (tn_joint_row_count(problem) > 0) {
        return tn_ipm_joints_solve(problem, options, arena, solution, report, error);
    }
    if (problem->rows->n_triples == 0) {
        report->solver = tn_solver_direct.name;
        return tn_solver_direct.solve(problem, options, arena, solution, report, error);
    }
    tn_ipm_options limits = {.first_sweeps = 100, .shifts = 9, .work = 2.3e10, .path = true};
    return tn_ipm_solve(problem, options, &limits, arena, solution, report, error);
}

static const char *refuses(const tn_problem *problem)
{
    if (problem->facets > 0) {
        return tn_ipm_facets_refuses(problem);
    }
    return problem->W ? tn_ipm_local_refuses(problem) : NULL;
}

const tn_solver tn_solver_ipm = {
    .name = "ipm",
    .summary = "interior point, sweeps, proximal Newton steps: heaps that pgs stalls on, the convex law to rounding",
    .sets = TN_TAKES_CONES | TN_TAKES_POLYHEDRA | TN_TAKES_SINGLES,
    .refuses = refuses,
    .solve = solve,
};
