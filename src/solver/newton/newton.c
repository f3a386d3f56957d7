// newton: semismooth Newton. Where A couples many blocks (elastic bodies), and where soft contacts crowd, on the
// velocities (sparse.h, crowd.h). Else, and where that stops short, on the forces with a dense matrix,
// for small problems that Gauss-Seidel cannot finish: stacks, rank-deficient or unsymmetric W. The rest of this file is
// the latter.
//
// Pure semismooth Newton (step.h) cycles between stick and slip. So it goes by rounds: Newton until three steps
// in a row fail, with another rho each round; then Gauss-Seidel, longer each time; and after six rounds without
// progress another start. The best point inside the cones is kept throughout.
#include "solver/newton/newton.h"

#include "base/random.h"
#include "math/vec3.h"
#include "problem/problem.h"
#include "solver/newton/crowd.h"
#include "solver/newton/sparse.h"
#include "solver/newton/step.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

enum {
    STEPS_PER_ROUND = 30,
    STEPS_MAX = 600,
    ROUNDS_PER_START = 6, // without progress, before another start is tried
    SWEEPS_FIRST = 100,
    SWEEPS_MAX = 1600,
};
static const double FLOPS_MAX = 2e11; // of all factorisations together: about ten seconds of one core

typedef struct best_point {
    double *lambda; // (n, 3)
    double score;
} best_point;

// Keep what gs holds if it is better.
static void keep_best(const tn_newton *s, best_point *best)
{
    double score = tn_check_score(s->check, s->gs->lambda, s->gs->u);
    if (score < best->score) {
        best->score = score;
        memcpy(best->lambda, s->gs->lambda, (size_t)(3 * s->n) * sizeof *best->lambda);
    }
}

// The same for P(y - rho u), which lies in the cones where y itself need not.
static void keep_projected(tn_newton *s, best_point *best)
{
    tn_newton_evaluate(s, s->y, s->residual, false);
    for (int i = 0; i < 3 * s->n; ++i) {
        s->gs->lambda[i] = s->scale[i] * (s->y[i] - s->residual[i]);
    }
    tn_gauss_seidel_velocity(s->gs);
    keep_best(s, best);
}

static double length_of(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// Newton from the forces in gs. rho_factor changes which contacts the projection sees as open, sticking or sliding;
// it does not move the solution. Returns the steps done.
static int newton_round(tn_newton *s, double rho_factor, int max_steps, best_point *best)
{
    double damping = 1e-3;
    tn_newton_take(s);
    for (int m = 0; m < s->n; ++m) {
        double largest = fmax(s->gs->own[9 * m], fmax(s->gs->own[9 * m + 4], s->gs->own[9 * m + 8]));
        s->rho[m] = largest > 0.0 ? rho_factor / largest : 1.0;
    }
    double norm = tn_newton_evaluate(s, s->y, s->residual, false);
    int k = 0, failed = 0;
    while (k < max_steps && best->score > 1.0 && failed < 3) {
        double relative = norm / fmax(length_of(3 * s->n, s->y), norm);
        bool moved = tn_newton_step(s, fmax(1e-13, damping * relative), &norm);
        ++k;
        keep_projected(s, best);
        failed = moved ? 0 : failed + 1;
        damping = moved ? fmax(damping * 0.1, 1e-3) : damping * 100.0;
    }
    return k;
}

static int minimum(int a, int b)
{
    return a < b ? a : b;
}

// Another place to start from: no forces at all, then the best point with every contact's force changed at random (the
// same numbers every time) by up to its own size and a share of the mean.
static void start_elsewhere(tn_newton *s, int attempt, const best_point *best)
{
    double mean = 0.0;
    for (int m = 0; m < s->n; ++m) {
        mean += best->lambda[3 * m] / s->n;
    }
    double strength = attempt == 1 ? 0.0 : ldexp(1.0, -((attempt - 2) % 4));
    for (int m = 0; m < s->n; ++m) {
        double factor =
            attempt == 1 ? 0.0 : 1.0 + strength * (tn_random_uniform(1, (uint64_t)attempt, (uint64_t)m) - 0.5);
        tn_vec3_scale(s->trial + 3 * m, factor, best->lambda + 3 * m);
        s->trial[3 * m] += 0.1 * strength * mean * tn_random_uniform(2, (uint64_t)attempt, (uint64_t)m);
    }
    tn_gauss_seidel_set(s->gs, s->trial);
}

static tn_status sweep_round(tn_newton *s, int sweeps, tn_gauss_seidel_run *run, best_point *best, tn_arena *arena)
{
    tn_gauss_seidel_run swept = {.max_sweeps = minimum(sweeps, run->max_sweeps - run->sweeps)};
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = tn_gauss_seidel_solve(s->gs, s->check, &swept, arena);
    tn_arena_release(arena, mark);
    run->sweeps += swept.sweeps;
    if (status == TN_OK) {
        keep_best(s, best);
    }
    return status;
}

// From gs->lambda (explicit N) on, until score <= 1 or run->max_sweeps (a Newton step counts as one). The best iterate
// is in gs at the end. TN_NO_MEMORY only.
static tn_status solve_forces(tn_gauss_seidel *gs, const tn_check *check, tn_gauss_seidel_run *run, tn_arena *arena)
{
    static const double factors[] = {1.0, 0.1, 10.0};
    tn_newton s;
    best_point best = {.lambda = TN_PUSH(arena, double, 3 * gs->problem->rows->n_triples), .score = HUGE_VAL};
    if (!best.lambda || !tn_newton_create(&s, gs, check, arena)) {
        return TN_NO_MEMORY;
    }
    tn_gauss_seidel_velocity(gs);
    keep_best(&s, &best);
    double milestone = best.score, flops = 18.0 * s.n * (double)s.n * s.n;
    int steps_left = (int)fmin(STEPS_MAX, FLOPS_MAX / flops), attempt = 0, round = 0;
    run->sweeps = 0;
    while (best.score > 1.0 && run->sweeps < run->max_sweeps) {
        int allowed = minimum(minimum(STEPS_PER_ROUND, steps_left), run->max_sweeps - run->sweeps);
        int steps = newton_round(&s, factors[round % 3], allowed, &best);
        steps_left -= steps;
        run->sweeps += steps;
        if (best.score <= 1.0 || run->sweeps >= run->max_sweeps) {
            break;
        }
        // Elsewhere: sweeps from the best point, or from where Newton ended, longer each time round.
        if (round % 2 == 0 && attempt == 0) {
            tn_gauss_seidel_set(gs, best.lambda);
        }
        int sweeps = minimum(SWEEPS_FIRST << minimum(round / 3, 10), SWEEPS_MAX);
        tn_status status = sweep_round(&s, sweeps, run, &best, arena);
        if (status != TN_OK) {
            return status;
        }
        ++round;
        if (best.score < 0.7 * milestone) {
            milestone = best.score;
            round = 0;
        } else if (round >= ROUNDS_PER_START) {
            start_elsewhere(&s, ++attempt, &best);
            round = 0;
        }
    }
    run->score = best.score;
    tn_gauss_seidel_set(gs, best.lambda);
    tn_gauss_seidel_velocity(gs);
    return TN_OK;
}

static tn_status solve_dense(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                             tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_gauss_seidel gs;
    tn_check check;
    tn_gauss_seidel_run run = {.max_sweeps = options->max_iterations};
    tn_status status = tn_gauss_seidel_create(&gs, problem, TN_DELASSUS_EXPLICIT, solution->lambda, arena, error);
    if (status == TN_OK && (!tn_check_create(&check, problem, gs.q, &options->tolerance, arena) ||
                            solve_forces(&gs, &check, &run, arena) != TN_OK)) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'newton'");
    }
    status = status == TN_OK ? tn_gauss_seidel_finish(&gs, &run, solution, report, arena, error) : status;
    tn_gauss_seidel_destroy(&gs);
    return status;
}

bool tn_newton_suits_velocities(const tn_problem *problem)
{
    enum { CROWD = 8 }; // contacts a block row
    int n = problem->rows->n_triples, rows = problem->A ? problem->A->n_rows : 0;
    return problem->A && problem->rows->softness && (n >= CROWD * rows || 2 * n <= rows);
}

// Both figures of the form in the velocities where only one is demanded.
static tn_tolerance both_tolerances(tn_tolerance t)
{
    if (!(t.natural > 0.0) && !(t.fclib > 0.0)) {
        t.natural = t.momentum > 0.0 ? t.momentum : 1e-8;
    }
    if (!(t.momentum > 0.0)) {
        t.momentum = fmax(t.natural, t.fclib);
    }
    return t;
}

static tn_status solve_velocities(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                                  tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_solve_options both = *options;
    both.tolerance = both_tolerances(options->tolerance);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    bool crowd = tn_newton_suits_velocities(problem) && tn_newton_crowd_takes(problem, &both.tolerance);
    tn_status status = crowd ? tn_newton_crowd_solve(problem, &both, arena, solution, report, error)
                             : tn_newton_sparse_solve(problem, &both, arena, solution, report, error);
    tn_arena_release(arena, mark);
    return status;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    bool dense = !problem->A || (problem->rows->n_triples <= TN_NEWTON_CONTACTS &&
                                 !tn_newton_suits_velocities(problem) && !tn_problem_is_elastic(problem, arena));
    if (dense) {
        return solve_dense(problem, options, arena, solution, report, error);
    }
    tn_status status = solve_velocities(problem, options, arena, solution, report, error);
    int before = report->iterations;
    bool may_go_on = problem->rows->n_triples <= TN_NEWTON_CONTACTS && before < options->max_iterations;
    if (status != TN_OK || report->converged || !may_go_on) {
        return status;
    }
    tn_solve_options rest = *options;
    rest.max_iterations -= before;
    status = solve_dense(problem, &rest, arena, solution, report, error);
    report->iterations += before;
    return status;
}

static const char *refuses(const tn_problem *problem)
{
    return !problem->A && problem->rows->n_triples > TN_NEWTON_CONTACTS
               ? "more than 600 contacts in local form need a solver without a dense matrix: pgs"
               : NULL;
}

const tn_solver tn_solver_newton = {
    .name = "newton",
    .summary = "semismooth Newton: sparse Cholesky where bodies are elastic, else dense for small hard problems",
    .sets = TN_TAKES_CONES | TN_TAKES_SINGLES,
    .by_multipliers = true,
    .refuses = refuses,
    .solve = solve,
};
