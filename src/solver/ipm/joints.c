// ipm with joint rows. Under the convex law and without friction one interior point solve to the end. Under the strict
// law De Saxce's shift mu |u_t| follows the velocities from step to step; where that does not settle, newton goes on
// from the best point.
#include "solver/ipm/joints.h"

#include "math/vec3.h"
#include "problem/active.h"
#include "problem/delassus.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/check.h"
#include "solver/ipm/interior_run.h"
#include "solver/multipliers.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

enum { STEPS = 100, NEWTON_STEPS = 60 };

typedef struct joints_run {
    const tn_problem *problem;
    const tn_solve_options *options;
    tn_tolerance tolerance;
    tn_check check;
    tn_single_check single_check;
    tn_interior interior;
    tn_shift shift;
    tn_solution now, best;
    double *u;    // (contacts, 3)
    double score; // of best
    int iterations;
} joints_run;

static void copy(const tn_problem *p, const tn_solution *from, tn_solution *to)
{
    memcpy(to->v, from->v, 3 * (size_t)p->A->n_rows * sizeof *to->v);
    memcpy(to->lambda, from->lambda, tn_row_count(p->rows) * sizeof *to->lambda);
}

// The largest ratio of a demanded figure to its tolerance for `now`; keeps the best.
static double judge(joints_run *s)
{
    const tn_problem *p = s->problem;
    double score = 0.0;
    tn_problem_velocity(p, s->now.v, s->now.lambda, s->u);
    if (p->rows->n_triples > 0) {
        score = tn_check_score(&s->check, s->now.lambda, s->u);
    }
    double momentum = tn_single_check_momentum(&s->single_check, &s->now) / (0.9 * s->tolerance.momentum);
    double rows = tn_single_check_rows(&s->single_check, s->now.v, tn_single_forces(p->rows, s->now.lambda)) /
                  (0.9 * s->tolerance.joint);
    score = isnan(momentum + rows) ? HUGE_VAL : fmax(score, fmax(momentum, rows));
    if (score < s->score) {
        s->score = score;
        copy(p, &s->now, &s->best);
    }
    return score;
}

static void take_interior(joints_run *s)
{
    const tn_interior *in = &s->interior;
    memcpy(s->now.v, in->v, (size_t)in->n_v * sizeof *in->v);
    memcpy(s->now.lambda, in->lambda, 3 * (size_t)in->n * sizeof *in->lambda);
    double *singles = tn_single_forces(s->problem->rows, s->now.lambda);
    for (int i = 0; i < in->joints.n; ++i) {
        singles[i] = tn_single_clamp(in->joints.rows, i, in->joints.f[i]);
    }
}

static double judge_interior(void *user, const double **u)
{
    joints_run *s = user;
    take_interior(s);
    *u = s->u;
    return judge(s);
}

// newton from the best point, as long as each of its problems without joints is solved.
static tn_status polish(joints_run *s, tn_arena *arena, tn_error *error)
{
    tn_solve_options options = *s->options;
    int left = options.max_iterations - s->iterations;
    options.max_iterations = left < NEWTON_STEPS ? left : NEWTON_STEPS;
    if (left <= 0 || s->score <= 1.0 || tn_solver_refusal(&tn_solver_newton, s->problem)) {
        return TN_OK;
    }
    copy(s->problem, &s->best, &s->now);
    tn_solve_report report = {.solver = "ipm"};
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = tn_multipliers_try(&tn_solver_newton, s->problem, &options, arena, &s->now, &report, error);
    tn_arena_release(arena, mark);
    s->iterations += report.iterations;
    if (status == TN_OK) {
        judge(s);
    }
    return status;
}

// What the interior point leaves on open contacts and short of bounds goes, as far as the figures allow: large problems
// are not polished.
static void settle(joints_run *s)
{
    const tn_problem *p = s->problem;
    double before = s->score;
    copy(p, &s->best, &s->now);
    for (int m = 0; m < p->rows->n_triples; ++m) {
        if (!tn_contact_is_closed(p, m, s->best.v, s->best.lambda)) {
            tn_vec3_set(s->now.lambda + 3 * (size_t)m, 0.0, 0.0, 0.0);
        }
    }
    const double *best = tn_single_forces(p->rows, s->best.lambda);
    double *f = tn_single_forces(p->rows, s->now.lambda);
    for (int i = 0; i < tn_joint_row_count(p); ++i) {
        tn_active at = tn_single_active(p->rows, i, p->A, s->best.v, best[i]);
        f[i] = at == TN_ACTIVE_LOW ? p->rows->lower[i] : at == TN_ACTIVE_HIGH ? p->rows->upper[i] : f[i];
    }
    double score = judge(s);
    if (score <= fmax(before, 1.0)) {
        s->score = score;
        copy(p, &s->now, &s->best);
    }
}

// Root mean square of the contacts' and bounded rows' velocities at v without forces.
static double velocity_of(const tn_problem *p, const double *q, const double *v)
{
    double sum = 0.0;
    int n = 3 * p->rows->n_triples;
    for (int i = 0; i < n; ++i) {
        sum += q[i] * q[i];
    }
    n /= 3;
    for (int i = 0; i < tn_joint_row_count(p); ++i) {
        if (tn_single_is_bounded(p->rows, i)) {
            double y = tn_single_velocity(p->rows, i, v);
            sum += y * y;
            ++n;
        }
    }
    return n > 0 ? sqrt(sum / n) : 0.0;
}

static bool push_solution(const tn_problem *p, tn_arena *arena, tn_solution *out)
{
    out->v = TN_PUSH(arena, double, 3 * (size_t)p->A->n_rows);
    out->lambda = TN_PUSH(arena, double, tn_row_count(p->rows));
    return out->v && out->lambda;
}

static double demanded(double tolerance, double otherwise)
{
    return tolerance > 0.0 ? tolerance : otherwise;
}

static tn_status create(joints_run *s, double *velocity, tn_arena *arena, tn_error *error)
{
    const tn_problem *p = s->problem;
    tn_delassus delassus = {0};
    tn_status status = tn_delassus_create(p, tn_delassus_choose(p, arena), arena, &delassus, error);
    if (status == TN_OK) {
        s->u = TN_PUSH(arena, double, 3 * (size_t)p->rows->n_triples);
        bool ok = s->u && tn_shift_create(&s->shift, p, arena) && push_solution(p, arena, &s->now) &&
                  push_solution(p, arena, &s->best) &&
                  tn_check_create(&s->check, p, delassus.q, &s->tolerance, arena) &&
                  tn_single_check_create(&s->single_check, p, arena);
        *velocity = ok ? velocity_of(p, delassus.q, delassus.free) : 0.0;
        if (!ok) {
            tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'ipm'");
            status = TN_NO_MEMORY;
        }
    }
    tn_delassus_destroy(&delassus);
    return status;
}

tn_status tn_ipm_joints_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                              tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    joints_run s = {.problem = problem, .options = options, .tolerance = options->tolerance, .score = HUGE_VAL};
    s.tolerance.joint = demanded(s.tolerance.joint, 1e-8);
    s.tolerance.momentum = demanded(s.tolerance.momentum, 1e-8);
    double velocity;
    tn_status status = create(&s, &velocity, arena, error);
    if (status != TN_OK) {
        return status;
    }
    copy(problem, solution, &s.now);
    judge(&s);
    if (s.score > 1.0) {
        status = tn_interior_create(&s.interior, problem, &s.check, velocity, arena, error);
        if (status == TN_OK) {
            int most = options->max_iterations < STEPS ? options->max_iterations : STEPS;
            tn_interior_run run = {.judge = judge_interior, .user = &s, .max_steps = most};
            tn_interior_start(&s.interior, s.best.v);
            status = tn_interior_follow(&s.interior, &s.shift, &run, error);
            s.iterations = run.steps;
        }
        report->setup_s = s.interior.setup;
        tn_interior_destroy(&s.interior);
    }
    status = status == TN_OK ? polish(&s, arena, error) : status;
    if (status == TN_OK) {
        settle(&s);
        copy(problem, &s.best, solution);
    }
    report->iterations = s.iterations;
    report->converged = s.score <= 1.0;
    return status;
}
