#include "solver/proximal.h"

#include "solver/newton/velocity.h"

#include <math.h>
#include <string.h>

enum { NEWTON_STEPS = 8 }; // of one proximal step; more mean that sigma is too large
static const double SIGMA_LEAST = 1e-2, SIGMA_MOST = 1e9;
static const double ACCURACY = 1e-2; // of a proximal step: |R| against |change of lambda| / sigma
static const double PROGRESS = 0.7;  // of the score
static const double SHRINK = 0.25, GROW = 1.5;
static const double PER_CONTACT = 5e4; // operations of a Newton step outside the factor

typedef struct proximal {
    tn_newton_velocity newton;
    const tn_delassus *delassus;
    tn_proximal_run *run;
    tn_arena *arena;
    tn_error *error;
    int n; // numbers in lambda
    double *now, *v, *u;
    double *best;
    double milestone, progressed; // the score at the last progress, and the work done by then
} proximal;

static double work(const proximal *s)
{
    const tn_newton_velocity *n = &s->newton;
    double flops = n->factor ? tn_cholesky_flops(n->factor) : n->bodies.flops;
    double entries = n->factor ? tn_cholesky_entries(n->factor) : n->bodies.entries;
    return n->factorisations * (flops + PER_CONTACT * n->n) + 4.0 * n->solves * entries;
}

static bool has_budget(const proximal *s)
{
    return s->newton.factorisations < s->run->max_steps && work(s) - s->progressed < s->run->max_work;
}

// Keeps the forces of the Newton iteration if they are better.
static tn_status judge(proximal *s)
{
    const double *lambda = s->newton.lambda;
    tn_status status = tn_delassus_velocity(s->delassus, lambda, s->u, s->arena, s->error);
    double score = status == TN_OK ? tn_check_score(s->newton.check, lambda, s->u) : HUGE_VAL;
    if (score < s->run->score) {
        s->run->score = score;
        memcpy(s->best, lambda, (size_t)s->n * sizeof *lambda);
    }
    if (s->run->score < PROGRESS * s->milestone) {
        s->milestone = s->run->score;
        s->progressed = work(s);
    }
    return status;
}

static double change(const proximal *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->n; ++i) {
        double d = s->newton.lambda[i] - s->now[i];
        sum += d * d;
    }
    return sqrt(sum);
}

// One proximal step from `now`. *steps of Newton, or 0 where it did not get there (now stays).
static tn_status step(proximal *s, double sigma, int *steps)
{
    tn_newton_velocity *n = &s->newton;
    tn_status status = tn_delassus_recover(s->delassus, s->now, s->v, s->arena, s->error);
    tn_newton_velocity_start(n, s->v, s->now);
    tn_newton_velocity_set_rho(n, sigma);
    tn_newton_velocity_evaluate(n);
    *steps = 0;
    for (int k = 1; k <= NEWTON_STEPS && status == TN_OK && has_budget(s) && s->run->score > 1.0; ++k) {
        status = tn_newton_velocity_move(n, s->error);
        status = status == TN_OK ? judge(s) : status;
        double residual = tn_newton_velocity_momentum(n) * n->b_norm;
        if (status == TN_OK && residual <= fmax(ACCURACY * change(s) / sigma, 1e-14 * n->b_norm)) {
            memcpy(s->now, n->lambda, (size_t)s->n * sizeof *s->now);
            *steps = k;
            break;
        }
    }
    return status;
}

static double next_sigma(double sigma, int steps)
{
    if (steps == 0) {
        sigma *= SHRINK;
    } else if (steps <= 6) {
        sigma *= steps <= 3 ? GROW * GROW : GROW;
    }
    return fmin(fmax(sigma, SIGMA_LEAST), SIGMA_MOST);
}

tn_status tn_proximal_solve(const tn_problem *problem, const tn_check *check, const tn_delassus *delassus,
                            tn_proximal_run *run, tn_arena *arena, double *lambda, tn_error *error)
{
    proximal s = {.delassus = delassus, .run = run, .arena = arena, .error = error, .n = 3 * problem->rows->n_triples};
    s.now = TN_PUSH(arena, double, s.n);
    s.u = TN_PUSH(arena, double, s.n);
    s.v = TN_PUSH(arena, double, 3 * (size_t)problem->A->n_rows);
    s.best = lambda;
    s.milestone = run->score;
    if (!s.now || !s.u || !s.v) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for proximal steps");
    }
    memcpy(s.now, lambda, (size_t)s.n * sizeof *lambda);
    const tn_solution start = {.v = s.v, .lambda = s.now};
    memset(s.v, 0, 3 * (size_t)problem->A->n_rows * sizeof *s.v);
    tn_status status = tn_newton_velocity_create(&s.newton, problem, check, &start, 1, arena, error);
    double sigma = run->sigma;
    while (status == TN_OK && run->score > 1.0 && has_budget(&s)) {
        int steps = 0;
        status = step(&s, sigma, &steps);
        sigma = next_sigma(sigma, steps);
    }
    run->steps = s.newton.factorisations;
    run->setup = s.newton.setup;
    tn_newton_velocity_destroy(&s.newton);
    return status == TN_NUMERICS ? TN_OK : status; // a factor that broke down: the best so far stands
}
