// newton: for small problems that Gauss-Seidel cannot finish: stacks, rank-deficient or unsymmetric W.
//
// The law is F(y) = y - P(y - rho u) = 0, u = W y + q (Alart-Curnier 1991 for the strict law: P takes the normal force
// first, then the disc of that radius; the cone's projection for the convex law). One step solves
//
//     ((I - P') + rho P' (W + alpha I)) dy = -F
//
// over the contacts that touch. alpha -> 0 with the residual: it keeps the step finite where W is singular and the
// forces are not unique (a proximal point step). Pure semismooth Newton cycles between stick and slip, so a step that
// does not lessen |F| is cut, and when cutting fails Gauss-Seidel moves the point elsewhere.
//
// Anisotropic friction is made isotropic by scaling the tangents: y = D^-1 lambda, W -> D W D, q -> D q (law/local.c).
#include "solver/newton.h"

#include "base/random.h"
#include "math/dense.h"
#include "math/mat3.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

typedef struct newton {
    tn_gauss_seidel *gs;
    const tn_check *check;
    int n;            // contacts
    double *scale;    // (n, 3) D
    double *mu;       // (n) of the scaled contact; 0 under the frictionless law
    double *rho;      // (n) [kg/s]
    double *y;        // (n, 3) scaled forces
    double *trial;    // (n, 3) of the line search; holds lambda in between
    double *residual; // (n, 3) F
    double *slope;    // (n, 9) P'
    int *active;      // (n) contacts with P' != 0
    int n_active;
    int *place;     // (n) in active, or -1
    double *matrix; // (3 n_active square)
    double *step;   // (3 n_active)
    int *pivot;     // (3 n_active)
} newton;

// P and P' of Alart and Curnier at z; P overwrites z.
static void project_strict(double mu, double z[3], double slope[9])
{
    memset(slope, 0, 9 * sizeof *slope);
    if (z[0] <= 0.0) {
        z[0] = z[1] = z[2] = 0.0;
        return;
    }
    slope[0] = 1.0;
    double radius = mu * z[0], length = sqrt(z[1] * z[1] + z[2] * z[2]);
    if (length <= radius) {
        slope[4] = slope[8] = 1.0;
        return;
    }
    double d[2] = {z[1] / length, z[2] / length}, ratio = radius / length;
    for (int i = 0; i < 2; ++i) {
        slope[3 * (i + 1)] = mu * d[i];
        for (int j = 0; j < 2; ++j) {
            slope[3 * (i + 1) + j + 1] = ratio * ((i == j) - d[i] * d[j]);
        }
        z[i + 1] = radius * d[i];
    }
}

// P and P' of the cone's projection.
static void project_convex(double mu, double z[3], double slope[9])
{
    memset(slope, 0, 9 * sizeof *slope);
    double n = z[0], length = sqrt(z[1] * z[1] + z[2] * z[2]);
    if (mu * length <= -n) {
        z[0] = z[1] = z[2] = 0.0;
        return;
    }
    if (length <= mu * n) {
        slope[0] = slope[4] = slope[8] = 1.0;
        return;
    }
    // p = s (1, mu d) with s = (n + mu |z_t|) / (1 + mu^2).
    double k = 1.0 / (1.0 + mu * mu), s = (n + mu * length) * k;
    double d[3] = {1.0, z[1] / length, z[2] / length};
    double p[3] = {1.0, mu * d[1], mu * d[2]};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            slope[3 * i + j] = k * p[i] * p[j];
            if (i > 0 && j > 0) {
                slope[3 * i + j] += mu * s / length * ((i == j) - d[i] * d[j]);
            }
        }
    }
    z[0] = s;
    z[1] = s * p[1];
    z[2] = s * p[2];
}

static void to_lambda(const newton *s, const double *y, double *lambda)
{
    for (int i = 0; i < 3 * s->n; ++i) {
        lambda[i] = s->scale[i] * y[i];
    }
}

// F at y and, with_slope, P'. gs takes the forces. Returns |F|.
static double evaluate(newton *s, const double *y, double *residual, bool with_slope)
{
    tn_gauss_seidel *gs = s->gs;
    bool strict = gs->problem->law == TN_LAW_COULOMB;
    to_lambda(s, y, gs->lambda);
    tn_gauss_seidel_velocity(gs);
    double sum = 0.0, slope[9];
    for (int m = 0; m < s->n; ++m) {
        double z[3];
        for (int i = 3 * m; i < 3 * m + 3; ++i) {
            z[i - 3 * m] = y[i] - s->rho[m] * s->scale[i] * gs->u[i];
        }
        (strict ? project_strict : project_convex)(s->mu[m], z, slope);
        tn_vec3_sub(residual + 3 * m, y + 3 * m, z);
        sum += tn_vec3_dot(residual + 3 * m, residual + 3 * m);
        if (with_slope) {
            memcpy(s->slope + 9 * m, slope, sizeof slope);
        }
    }
    return sqrt(sum);
}

// Contacts that stay open drop out: their forces go to zero at once.
static void choose_active(newton *s)
{
    s->n_active = 0;
    for (int m = 0; m < s->n; ++m) {
        bool open = s->slope[9 * m] == 0.0;
        s->place[m] = open ? -1 : s->n_active;
        if (open) {
            tn_vec3_set(s->y + 3 * m, 0.0, 0.0, 0.0);
        } else {
            s->active[s->n_active++] = m;
        }
    }
}

// One block of ((I - P') + rho P' (D W D + alpha I)).
static void add_block(newton *s, int row, int column, const double w[9], double alpha)
{
    int m = s->active[row], width = 3 * s->n_active;
    const double *dm = s->scale + 3 * m, *dk = s->scale + 3 * s->active[column];
    double scaled[9], product[9];
    for (int i = 0; i < 9; ++i) {
        scaled[i] = s->rho[m] * (dm[i / 3] * w[i] * dk[i % 3] + (i % 4 == 0 ? alpha : 0.0));
    }
    tn_mat3_mul(product, s->slope + 9 * m, scaled);
    for (int i = 0; i < 9; ++i) {
        s->matrix[(size_t)(3 * row + i / 3) * (size_t)width + (size_t)(3 * column + i % 3)] += product[i];
    }
}

static void assemble(newton *s, double alpha)
{
    const tn_blocks *N = s->gs->delassus.N;
    const double *omega = s->gs->problem->contacts->omega;
    int width = 3 * s->n_active;
    static const double none[9] = {0.0};
    memset(s->matrix, 0, (size_t)width * (size_t)width * sizeof *s->matrix);
    for (int a = 0; a < s->n_active; ++a) {
        int m = s->active[a];
        for (int k = N->start[m]; k < N->start[m + 1]; ++k) {
            if (s->place[N->column[k]] >= 0) {
                add_block(s, a, s->place[N->column[k]], N->value + 9 * k, 0.0);
            }
        }
        // alpha is relative to the contact's own mobility 1 / rho.
        add_block(s, a, a, omega ? omega + 9 * m : none, alpha / s->rho[m]);
        for (int i = 0; i < 9; ++i) {
            size_t at = (size_t)(3 * a + i / 3) * (size_t)width + (size_t)(3 * a + i % 3);
            s->matrix[at] += (i % 4 == 0) - s->slope[9 * m + i];
        }
    }
}

// One damped step of y. False: no step lessened |F|.
static bool newton_step(newton *s, double alpha, double *norm)
{
    evaluate(s, s->y, s->residual, true);
    choose_active(s);
    *norm = evaluate(s, s->y, s->residual, false);
    assemble(s, alpha);
    for (int a = 0; a < s->n_active; ++a) {
        for (int i = 0; i < 3; ++i) {
            s->step[3 * a + i] = -s->residual[3 * s->active[a] + i];
        }
    }
    if (!tn_dense_solve(3 * s->n_active, s->matrix, s->step, s->pivot)) {
        return false;
    }
    double length = 1.0;
    for (int cut = 0; cut < 8; ++cut, length *= 0.5) {
        memcpy(s->trial, s->y, (size_t)(3 * s->n) * sizeof *s->trial);
        for (int a = 0; a < s->n_active; ++a) {
            tn_vec3_madd(s->trial + 3 * s->active[a], s->y + 3 * s->active[a], length, s->step + 3 * a);
        }
        double next = evaluate(s, s->trial, s->residual, false);
        if (next < (1.0 - 0.05 * length) * *norm) {
            memcpy(s->y, s->trial, (size_t)(3 * s->n) * sizeof *s->y);
            *norm = next;
            return true;
        }
    }
    return false;
}

static bool create(newton *s, tn_gauss_seidel *gs, const tn_check *check, tn_arena *arena)
{
    const tn_contacts *c = gs->problem->contacts;
    int n = c->n;
    *s = (newton){.gs = gs, .check = check, .n = n};
    s->scale = TN_PUSH(arena, double, 3 * n);
    s->mu = TN_PUSH(arena, double, n);
    s->rho = TN_PUSH(arena, double, n);
    s->y = TN_PUSH(arena, double, 3 * n);
    s->trial = TN_PUSH(arena, double, 3 * n);
    s->residual = TN_PUSH(arena, double, 3 * n);
    s->slope = TN_PUSH(arena, double, 9 * n);
    s->active = TN_PUSH(arena, int, n);
    s->place = TN_PUSH(arena, int, n);
    s->matrix = TN_PUSH(arena, double, 9 * (size_t)n * (size_t)n);
    s->step = TN_PUSH(arena, double, 3 * n);
    s->pivot = TN_PUSH(arena, int, 3 * n);
    if (!s->scale || !s->mu || !s->rho || !s->y || !s->trial || !s->residual || !s->slope || !s->active || !s->place ||
        !s->matrix || !s->step || !s->pivot) {
        return false;
    }
    for (int m = 0; m < n; ++m) {
        double mu = fmax(c->mu[2 * m], c->mu[2 * m + 1]);
        s->mu[m] = gs->problem->law == TN_LAW_FRICTIONLESS ? 0.0 : mu;
        tn_vec3_set(s->scale + 3 * m, 1.0, mu > 0.0 ? c->mu[2 * m] / mu : 1.0, mu > 0.0 ? c->mu[2 * m + 1] / mu : 1.0);
        const double *own = gs->own + 9 * m;
        double largest = fmax(own[0], fmax(own[4], own[8]));
        s->rho[m] = largest > 0.0 ? 1.0 / largest : 1.0;
    }
    return true;
}

// Take over the forces that gs holds.
static void take(newton *s)
{
    for (int i = 0; i < 3 * s->n; ++i) {
        s->y[i] = s->scale[i] > 0.0 ? s->gs->lambda[i] / s->scale[i] : 0.0;
    }
}

// ---- Newton and sweeps in turn

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
static void keep_best(const newton *s, best_point *best)
{
    double score = tn_check_score(s->check, s->gs->lambda, s->gs->u);
    if (score < best->score) {
        best->score = score;
        memcpy(best->lambda, s->gs->lambda, (size_t)(3 * s->n) * sizeof *best->lambda);
    }
}

// The same for P(y - rho u), which lies in the cones where y itself need not.
static void keep_projected(newton *s, best_point *best)
{
    evaluate(s, s->y, s->residual, false);
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
static int newton_round(newton *s, double rho_factor, int max_steps, best_point *best)
{
    double damping = 1e-3;
    take(s);
    for (int m = 0; m < s->n; ++m) {
        double largest = fmax(s->gs->own[9 * m], fmax(s->gs->own[9 * m + 4], s->gs->own[9 * m + 8]));
        s->rho[m] = largest > 0.0 ? rho_factor / largest : 1.0;
    }
    double norm = evaluate(s, s->y, s->residual, false);
    int k = 0, failed = 0;
    while (k < max_steps && best->score > 1.0 && failed < 3) {
        double relative = norm / fmax(length_of(3 * s->n, s->y), norm);
        bool moved = newton_step(s, fmax(1e-13, damping * relative), &norm);
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
static void start_elsewhere(newton *s, int attempt, const best_point *best)
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

static tn_status sweep_round(newton *s, int sweeps, tn_gauss_seidel_run *run, best_point *best, tn_arena *arena)
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

tn_status tn_newton_solve(tn_gauss_seidel *gs, const tn_check *check, tn_gauss_seidel_run *run, tn_arena *arena)
{
    static const double factors[] = {1.0, 0.1, 10.0};
    newton s;
    best_point best = {.lambda = TN_PUSH(arena, double, 3 * gs->problem->contacts->n), .score = HUGE_VAL};
    if (!best.lambda || !create(&s, gs, check, arena)) {
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

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_gauss_seidel gs;
    tn_check check;
    tn_gauss_seidel_run run = {.max_sweeps = options->max_iterations};
    tn_status status = tn_gauss_seidel_create(&gs, problem, TN_DELASSUS_EXPLICIT, solution->lambda, arena, error);
    if (status == TN_OK && (!tn_check_create(&check, problem, gs.q, &options->tolerance, arena) ||
                            tn_newton_solve(&gs, &check, &run, arena) != TN_OK)) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'newton'");
    }
    if (status == TN_OK) {
        status = tn_gauss_seidel_finish(&gs, &run, solution, report, arena, error);
    }
    tn_gauss_seidel_destroy(&gs);
    return status;
}

static const char *refuses(const tn_problem *problem)
{
    return problem->contacts->n > TN_NEWTON_CONTACTS
               ? "more than 600 contacts need a solver without a dense matrix: pgs"
               : NULL;
}

const tn_solver tn_solver_newton = {
    .name = "newton",
    .summary = "damped semismooth Newton and Gauss-Seidel in turn, dense; for small hard problems",
    .refuses = refuses,
    .solve = solve,
};
