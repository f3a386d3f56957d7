// ipm in local form: one interior point solve (interior_local.h), the strict law's shift following; what that leaves
// open goes on with sweeps of pgs from the best point.
#include "solver/ipm/local.h"

#include "math/blocks.h"
#include "problem/problem.h"
#include "solver/ipm/interior_local.h"
#include "solver/ipm/interior_run.h"
#include "solver/pgs/pgs.h"

#include <math.h>
#include <string.h>

enum { STEPS = 100, STALL_SWEEPS = 600 };
static const double SYMMETRIC = 1e-12; // |W - W^T| relative to |W|

typedef struct local_run {
    const tn_problem *problem;
    tn_check check;
    tn_interior_local local;
    tn_interior interior;
    tn_shift shift;
    double *lambda, *u, *best; // (contacts, 3)
    double score;              // of best
} local_run;

static double judge(local_run *s)
{
    tn_problem_velocity(s->problem, NULL, s->lambda, s->u);
    double score = tn_check_score(&s->check, s->lambda, s->u);
    if (score < s->score) {
        s->score = score;
        memcpy(s->best, s->lambda, 3 * (size_t)s->problem->rows->n_triples * sizeof *s->best);
    }
    return score;
}

// The forces are y / S, inside the cone; contacts without friction keep the normal part alone.
static double judge_interior(void *user, const double **u)
{
    local_run *s = user;
    const tn_interior *in = &s->interior;
    bool any = s->problem->law != TN_LAW_FRICTIONLESS;
    for (int m = 0; m < in->n; ++m) {
        const double *mu = s->problem->rows->mu + 2 * (size_t)m;
        bool friction = any && mu[0] > 0.0 && mu[1] > 0.0;
        for (size_t i = 3 * (size_t)m; i < 3 * (size_t)m + 3; ++i) {
            s->lambda[i] = friction || i % 3 == 0 ? in->y[i] / in->S[i] : 0.0;
        }
    }
    *u = s->u;
    return judge(s);
}

static void take_shift(void *user)
{
    local_run *s = user;
    for (size_t m = 0; m < (size_t)s->interior.n; ++m) {
        s->local.b[3 * m] = -s->problem->rows->offset[3 * m] - s->shift.value[m];
    }
}

static tn_status run_interior(local_run *s, const tn_solve_options *options, tn_solve_report *report, tn_arena *arena,
                              tn_error *error)
{
    const tn_problem *p = &s->local.problem;
    tn_check check; // of the exchanged problem
    if (!tn_check_create(&check, p, p->b, &options->tolerance, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'ipm'");
    }
    double velocity = check.q_norm / sqrt((double)p->rows->n_triples); // of what takes a velocity's place: W's force
    tn_status status = tn_interior_create(&s->interior, p, &check, velocity, arena, error);
    if (status == TN_OK) {
        int most = options->max_iterations < STEPS ? options->max_iterations : STEPS;
        tn_interior_run run = {.judge = judge_interior, .shifted = take_shift, .user = s, .max_steps = most};
        tn_interior_start(&s->interior, s->best);
        status = tn_interior_follow(&s->interior, &s->shift, &run, error);
        report->iterations = run.steps;
    }
    report->setup_s = s->interior.setup;
    tn_interior_destroy(&s->interior);
    return status;
}

// pgs from the best point.
static tn_status polish(local_run *s, const tn_solve_options *options, tn_solve_report *report, tn_arena *arena,
                        tn_error *error)
{
    tn_gauss_seidel_run run = {.max_sweeps = options->max_iterations - report->iterations,
                               .stall_sweeps = STALL_SWEEPS};
    if (s->score <= 1.0 || run.max_sweeps <= 0) {
        return TN_OK;
    }
    tn_solve_report swept = {.solver = "ipm"};
    tn_solution solution = {.lambda = s->lambda};
    memcpy(s->lambda, s->best, 3 * (size_t)s->problem->rows->n_triples * sizeof *s->best);
    tn_status status = tn_pgs_run(s->problem, options, &run, arena, &solution, &swept, error);
    report->iterations += swept.iterations;
    if (status == TN_OK) {
        judge(s);
    }
    return status;
}

tn_status tn_ipm_local_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                             tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    size_t n = 3 * (size_t)problem->rows->n_triples;
    report->converged = true;
    if (n == 0) {
        return TN_OK;
    }
    local_run s = {.problem = problem, .score = HUGE_VAL};
    s.lambda = TN_PUSH(arena, double, n);
    s.u = TN_PUSH(arena, double, n);
    s.best = TN_PUSH(arena, double, n);
    if (!s.lambda || !s.u || !s.best || !tn_shift_create(&s.shift, problem, arena) ||
        !tn_check_create(&s.check, problem, problem->rows->offset, &options->tolerance, arena) ||
        !tn_interior_local_create(&s.local, problem, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'ipm'");
    }
    memcpy(s.lambda, solution->lambda, n * sizeof *s.lambda);
    judge(&s);
    tn_status status = s.score > 1.0 ? run_interior(&s, options, report, arena, error) : TN_OK;
    status = status == TN_OK ? polish(&s, options, report, arena, error) : status;
    memcpy(solution->lambda, s.best, n * sizeof *s.best);
    report->converged = s.score <= 1.0;
    return status;
}

const char *tn_ipm_local_refuses(const tn_problem *problem)
{
    return tn_blocks_is_symmetric(problem->W, SYMMETRIC)
               ? NULL
               : "W is not symmetric to 1e-12, so there is no convex problem behind it; pgs, newton or auto take it";
}
