// ipm: for heaps of rigid bodies on which Gauss-Seidel stalls.
//
//     sweeps            from the warm start: easy problems end here
//     interior point    on the convex problem with the strict law's shift s held, s = 0 at first, then mu |u_t| of the
//                       last forces (De Saxce's fixed point); not to the end: forces well inside their cones are the
//                       better start for
//     sweeps            which settle the contacts that truly slide
//     proximal steps    of Newton's method, where the forces drift along directions that sweeps hardly feel
//
// The best forces of all stages are kept, by the demanded figures. With elastic bodies newton stands in for the sweeps
// and there are no proximal steps. The convex law is solved by the interior point method to the end.
#include "math/vec3.h"
#include "problem/delassus.h"
#include "problem/problem.h"
#include "solver/interior.h"
#include "solver/proximal.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

enum {
    FIRST_SWEEPS = 100,
    SWEEPS = 400,       // after each interior point solve
    LAST_SWEEPS = 2000, // where all else has left something open
    ELASTIC_STEPS = 30, // of newton in place of sweeps
    INTERIOR_STEPS = 60,
    SHIFTS = 4, // interior point solves with new shifts
    SHORT_STEPS = 3,
};
static const double GAP = 2.5e-6;   // where the interior point method stops under the strict law
static const double SHORT = 1e-3;   // a step this short gets nowhere; after SHORT_STEPS of them it gives up
static const double PROGRESS = 0.7; // of a new shift, else it was the last
static const double WORK = 1e10;    // of the proximal steps: a second or two

typedef struct ipm {
    const tn_problem *problem;
    const tn_solve_options *options;
    tn_arena *arena;
    tn_solve_report *report;
    tn_error *error;
    tn_delassus delassus;
    tn_check check;
    tn_interior interior;
    bool elastic;
    int n;            // numbers in lambda
    double *best, *u; // (n)
    double *shift;    // (n / 3) [m/s]
    tn_solution work; // v, lambda of a stage
    double score;     // of best
    int iterations;
    double setup; // [s]
} ipm;

static tn_status no_memory(const ipm *s)
{
    return tn_error_set(s->error, TN_NO_MEMORY, "no memory for solver 'ipm'");
}

static int minimum(int a, int b)
{
    return a < b ? a : b;
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
    double score = tn_check_score(&s->check, lambda, s->u);
    if (score < s->score) {
        s->score = score;
        memcpy(s->best, lambda, (size_t)s->n * sizeof *lambda);
    }
    return TN_OK;
}

// Another solver from work on, whose best point is in work then.
static tn_status polish(ipm *s, int sweeps)
{
    tn_solve_options options = *s->options;
    options.max_iterations = minimum(s->elastic ? ELASTIC_STEPS : sweeps, left(s));
    tn_solve_report report = {.solver = "ipm"};
    tn_arena_mark mark = tn_arena_get_mark(s->arena);
    const tn_solver *solver = s->elastic ? &tn_solver_newton : &tn_solver_pgs;
    tn_status status = solver->solve(s->problem, &options, s->arena, &s->work, &report, s->error);
    tn_arena_release(s->arena, mark);
    s->iterations += report.iterations;
    s->setup += report.setup_s;
    return status == TN_OK ? judge(s, s->work.lambda) : status;
}

// |y_t| of the forces last judged.
static void take_shift(ipm *s)
{
    for (int m = 0; m < s->n / 3; ++m) {
        const double *S = s->interior.S + 3 * m, *u = s->u + 3 * m;
        double a = S[1] * u[1], b = S[2] * u[2];
        s->shift[m] = s->problem->law == TN_LAW_COULOMB ? sqrt(a * a + b * b) : 0.0;
    }
}

static tn_status run_interior(ipm *s)
{
    tn_interior *in = &s->interior;
    double gap = s->problem->law == TN_LAW_COULOMB ? GAP : 0.0;
    int n_short = 0;
    memset(s->work.v, 0, 3 * (size_t)s->problem->A->n_rows * sizeof *s->work.v);
    tn_interior_start(in, s->work.v);
    tn_status status = TN_OK;
    for (int k = 0; k < INTERIOR_STEPS && goes_on(s) && in->gap > gap && n_short < SHORT_STEPS; ++k) {
        status = tn_interior_step(in, s->shift, s->error);
        ++s->iterations;
        if (status == TN_OK) {
            status = judge(s, in->lambda);
        }
        if (status != TN_OK) {
            break;
        }
        n_short = in->reach < SHORT ? n_short + 1 : 0;
    }
    memcpy(s->work.lambda, in->lambda, (size_t)s->n * sizeof *in->lambda);
    return status == TN_NUMERICS ? TN_OK : status; // the factor broke down: what is reached stands
}

// Interior point solves, each followed by sweeps, while new shifts pay.
static tn_status follow_shifts(ipm *s)
{
    memset(s->shift, 0, (size_t)(s->n / 3) * sizeof *s->shift);
    bool strict = s->problem->law == TN_LAW_COULOMB;
    for (int k = 0; k < (strict ? SHIFTS : 1) && goes_on(s); ++k) {
        double before = s->score;
        tn_status status = run_interior(s);
        if (status == TN_OK && goes_on(s)) {
            status = polish(s, SWEEPS);
        }
        if (status != TN_OK || !(s->score < PROGRESS * before)) {
            return status;
        }
        take_shift(s);
    }
    return TN_OK;
}

static tn_status drift(ipm *s)
{
    tn_proximal_run run = {.max_steps = left(s), .max_work = WORK, .score = s->score};
    tn_arena_mark mark = tn_arena_get_mark(s->arena);
    tn_status status = tn_proximal_solve(s->problem, &s->check, &s->delassus, &run, s->arena, s->best, s->error);
    tn_arena_release(s->arena, mark);
    s->score = run.score;
    s->iterations += run.steps;
    s->setup += run.setup;
    return status;
}

static tn_status run_stages(ipm *s, const tn_solution *start)
{
    memcpy(s->work.lambda, start->lambda, (size_t)s->n * sizeof *start->lambda);
    memcpy(s->work.v, start->v, 3 * (size_t)s->problem->A->n_rows * sizeof *start->v);
    tn_status status = judge(s, s->work.lambda);
    if (status == TN_OK && goes_on(s)) {
        status = polish(s, FIRST_SWEEPS);
    }
    if (status == TN_OK && goes_on(s)) {
        status = tn_interior_create(&s->interior, s->problem, &s->check, s->arena, s->error);
        if (status == TN_OK) {
            status = follow_shifts(s);
        }
        s->setup += s->interior.setup;
        tn_interior_destroy(&s->interior);
    }
    if (status == TN_OK && goes_on(s) && !s->elastic && !s->problem->contacts->omega) {
        status = drift(s);
    }
    if (status == TN_OK && goes_on(s)) {
        memcpy(s->work.lambda, s->best, (size_t)s->n * sizeof *s->best);
        status = polish(s, LAST_SWEEPS);
    }
    return status;
}

static tn_status create(ipm *s, const tn_problem *problem)
{
    tn_delassus_kind kind = tn_delassus_choose(problem, s->arena);
    tn_status status = tn_delassus_create(problem, kind, s->arena, &s->delassus, s->error);
    if (status != TN_OK) {
        return status;
    }
    size_t n_v = 3 * (size_t)problem->A->n_rows;
    s->elastic = kind == TN_DELASSUS_FACTORED;
    s->best = TN_PUSH(s->arena, double, s->n);
    s->u = TN_PUSH(s->arena, double, s->n);
    s->shift = TN_PUSH(s->arena, double, s->n / 3);
    s->work = (tn_solution){.v = TN_PUSH(s->arena, double, n_v), .lambda = TN_PUSH(s->arena, double, s->n)};
    bool ok = s->best && s->u && s->shift && s->work.v && s->work.lambda;
    return ok && tn_check_create(&s->check, problem, s->delassus.q, &s->options->tolerance, s->arena) ? TN_OK
                                                                                                      : no_memory(s);
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    if (problem->contacts->n == 0) {
        report->solver = tn_solver_direct.name;
        return tn_solver_direct.solve(problem, options, arena, solution, report, error);
    }
    ipm s = {.problem = problem, .options = options, .arena = arena, .report = report, .error = error};
    s.n = 3 * problem->contacts->n;
    s.score = HUGE_VAL;
    tn_status status = create(&s, problem);
    if (status == TN_OK) {
        status = run_stages(&s, solution);
    }
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

static const char *refuses(const tn_problem *problem)
{
    return problem->A ? NULL : "an interior point step factorises A; the local form has none: pgs takes it";
}

const tn_solver tn_solver_ipm = {
    .name = "ipm",
    .summary = "interior point, sweeps, proximal Newton steps: heaps that pgs stalls on, the convex law to rounding",
    .refuses = refuses,
    .solve = solve,
};
