// The loop around velocity.h, by rounds: primal-dual Newton steps while they get on; where they cycle, the
// safeguarded method of multipliers from the best point so far, longer each time; then primal-dual steps again, with
// another rho, which moves the border between stick and slip but not the solution.
#include "solver/newton/sparse.h"

#include "problem/problem.h"
#include "solver/newton/newton.h"
#include "solver/newton/velocity.h"

#include <math.h>
#include <string.h>

enum {
    DUAL_STEPS = 15, // of a round at most
    DUAL_STALL = 5,  // steps without progress by a factor 0.7 that end a round
    SAFE_STEPS = 10, // Newton steps at one set of multipliers
    ROUNDS_MAX = 12, // without progress by a factor 0.7: give up
};

typedef struct newton {
    tn_newton_velocity velocity;
    tn_check check;
    tn_tolerance tolerance; // of momentum and check
    double *best_v, *best_lambda;
    double score; // of best
    int iterations;
} newton;

static double momentum_score(const newton *s)
{
    double figure = tn_newton_velocity_momentum(&s->velocity);
    return isnan(figure) ? HUGE_VAL : figure / (0.9 * s->tolerance.momentum);
}

// The larger ratio of figure to tolerance; keeps the best iterate. *contact: of the contact figures alone.
static double judge(newton *s, double *contact)
{
    tn_newton_velocity *n = &s->velocity;
    *contact = tn_check_score(&s->check, n->lambda, n->u);
    double score = tn_problem_stopped(n->problem) ? 0.0 : fmax(*contact, momentum_score(s));
    if (score < s->score) {
        s->score = score;
        memcpy(s->best_v, n->v, (size_t)n->n_v * sizeof *n->v);
        memcpy(s->best_lambda, n->lambda, (size_t)(3 * n->n) * sizeof *n->lambda);
    }
    return score;
}

// Primal-dual steps from where v and the multipliers are.
static tn_status dual_round(newton *s, double rho, int max_iterations, tn_error *error)
{
    double contact, milestone = HUGE_VAL;
    int stalled = 0;
    bool quick = !s->velocity.damped;
    tn_newton_velocity_set_rho(&s->velocity, rho);
    tn_newton_velocity_evaluate(&s->velocity);
    judge(s, &contact);
    for (int k = 0; k < DUAL_STEPS && stalled < DUAL_STALL && s->score > (quick ? TN_NEWTON_FINE : 1.0); ++k) {
        if (s->iterations >= max_iterations) {
            break;
        }
        ++s->iterations;
        tn_status status = tn_newton_velocity_dual(&s->velocity, error);
        if (status != TN_OK) {
            return status;
        }
        double score = judge(s, &contact);
        quick = quick && score < TN_NEWTON_QUICK * milestone;
        stalled = score < 0.7 * milestone ? 0 : stalled + 1;
        milestone = fmin(milestone, score);
    }
    return TN_OK;
}

// The method of multipliers from the best point: n_updates times Newton until the momentum residual is well below the
// contacts' error, then new multipliers and a tenfold rho.
static tn_status safe_round(newton *s, int n_updates, int max_iterations, tn_error *error)
{
    tn_newton_velocity *n = &s->velocity;
    tn_newton_velocity_start(n, s->best_v, s->best_lambda);
    double rho = 10.0, contact;
    for (int update = 0; update < n_updates && s->score > 1.0; ++update) {
        tn_newton_velocity_set_rho(n, rho);
        tn_newton_velocity_evaluate(n);
        judge(s, &contact);
        for (int k = 0; k < SAFE_STEPS && s->score > 1.0; ++k) {
            if (s->iterations >= max_iterations || momentum_score(s) <= fmax(0.5, 0.03 * contact)) {
                break;
            }
            ++s->iterations;
            tn_status status = tn_newton_velocity_move(n, error);
            if (status != TN_OK) {
                return status;
            }
            judge(s, &contact);
        }
        memcpy(n->multiplier, n->y, (size_t)(3 * n->n) * sizeof *n->y);
        rho = fmin(10.0 * rho, 1e4);
    }
    return TN_OK;
}

// start: where straight steps began, for damped ones, which their best point leads astray.
static tn_status iterate(newton *s, const tn_solution *start, int max_iterations, tn_error *error)
{
    static const double rhos[] = {0.3, 1.0, 0.1};
    double milestone = HUGE_VAL;
    int stalled = 0;
    s->score = HUGE_VAL;
    for (int round = 0; stalled < ROUNDS_MAX; ++round) {
        bool may_hold = !s->velocity.problem->rows->softness; // Omega would make y implicit in v
        s->velocity.damped = may_hold || round > 0;
        tn_status status =
            dual_round(s, rhos[may_hold || round == 0 ? round % 3 : (round - 1) % 3], max_iterations, error);
        if (status == TN_OK && may_hold && s->score > 1.0 && s->score < HUGE_VAL) {
            status = safe_round(s, 1 + round, max_iterations, error);
        }
        if (status != TN_OK || s->score <= 1.0 || s->iterations >= max_iterations || s->score == HUGE_VAL) {
            return status;
        }
        bool back = !s->velocity.damped;
        tn_newton_velocity_start(&s->velocity, back ? start->v : s->best_v, back ? start->lambda : s->best_lambda);
        stalled = s->score < 0.7 * milestone ? 0 : stalled + 1;
        milestone = fmin(milestone, s->score);
    }
    return TN_OK;
}

tn_status tn_newton_sparse_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                                 tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    newton s = {.tolerance = options->tolerance};
    int n = 3 * problem->rows->n_triples, n_v = 3 * problem->A->n_rows;
    double *q = TN_PUSH(arena, double, n); // zero: on the safe side for the fclib figure
    s.best_v = TN_PUSH(arena, double, n_v);
    s.best_lambda = TN_PUSH(arena, double, n);
    if (!q || !s.best_v || !s.best_lambda || !tn_check_create(&s.check, problem, q, &s.tolerance, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'newton'");
    }
    tn_status status =
        tn_newton_velocity_create(&s.velocity, problem, &s.check, solution, options->n_threads, arena, error);
    status = status == TN_OK ? iterate(&s, solution, options->max_iterations, error) : status;
    tn_newton_velocity_destroy(&s.velocity);
    if (status == TN_OK && s.score < HUGE_VAL) {
        memcpy(solution->v, s.best_v, (size_t)n_v * sizeof *s.best_v);
        memcpy(solution->lambda, s.best_lambda, (size_t)n * sizeof *s.best_lambda);
    }
    report->iterations = s.iterations;
    report->setup_s = s.velocity.setup;
    report->converged = s.score <= 1.0;
    return status;
}
