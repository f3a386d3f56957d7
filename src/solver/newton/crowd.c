// Primal-dual Newton steps with a dense matrix of the velocities (kernels/crowd.h), by rounds: where they cycle,
// damped ones and another rho, which moves the border between stick and slip but not the solution.
#include "solver/newton/crowd.h"

#include "kernels/block_product.h"
#include "kernels/crowd.h"
#include "kernels/dense_solve.h"
#include "math/sums.h"
#include "solver/newton/newton.h"

#include <math.h>
#include <string.h>

enum {
    NUMBERS = 96,    // of the velocities at most; beyond, a sparse factor is faster
    STRAIGHT = 8,    // steps that are not damped, at first
    STEPS = 15,      // of another round at most
    STALL = 5,       // steps without progress by a factor 0.7 that end a round
    ROUNDS_MAX = 12, // without progress by a factor 0.7: give up
};

// Solvers stop a little below the demanded figure, so that rounding in the certificate does not undo it.
static const double MARGIN = 0.9;

typedef struct state {
    const tn_problem *problem;
    tn_tolerance tolerance;
    tn_crowd crowd;
    int n, stride;           // numbers in v; of a row of the matrix, which has the right hand side in column n
    double *A, *K;           // (n, stride)
    double *v, *best_v;      // (n)
    double *residual, *push; // (n) b - A v; forces on the bodies
    double *step;            // (stride)
    double b_norm, score;    // |b|, floored by the force scale [N]; of the best point
    int iterations, n_threads;
} state;

bool tn_newton_crowd_takes(const tn_problem *problem, const tn_tolerance *tolerance)
{
    return 3 * problem->A->n_rows <= NUMBERS && !(tolerance->fclib > 0.0) && tn_crowd_takes(problem->rows);
}

static void spread(const tn_blocks *A, int stride, double *out)
{
    for (int i = 0; i < A->n_rows; i++) {
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            for (int e = 0; e < 9; e++) {
                out[(ptrdiff_t)stride * (3 * i + e / 3) + 3 * A->column[k] + e % 3] = A->value[9 * (size_t)k + e];
            }
        }
    }
}

static bool create(state *s, const tn_problem *problem, const tn_solve_options *options, const tn_solution *start,
                   tn_arena *arena)
{
    int n = 3 * problem->A->n_rows;
    *s = (state){.problem = problem, .tolerance = options->tolerance, .n = n, .stride = (n / 8 + 1) * 8};
    s->n_threads = options->n_threads;
    s->score = HUGE_VAL;
    s->A = TN_PUSH(arena, double, n * s->stride);
    s->K = TN_PUSH_RAW(arena, double, n * s->stride);
    double **vectors[] = {&s->v, &s->best_v, &s->residual, &s->push};
    bool ok = s->A && s->K && (s->step = TN_PUSH(arena, double, s->stride));
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        ok = (*vectors[i] = TN_PUSH_RAW(arena, double, n)) && ok;
    }
    if (!ok || !tn_crowd_create(&s->crowd, problem, start->lambda, NULL, arena)) {
        return false;
    }
    spread(problem->A, s->stride, s->A);
    memcpy(s->v, start->v, (size_t)n * sizeof *s->v);
    s->b_norm = fmax(sqrt(tn_dot((size_t)n, problem->b, problem->b)), problem->force_scale);
    return true;
}

// residual / scale; a scale of zero counts as one, a NaN as the worst.
static double relative(double residual, double scale)
{
    double figure = scale > 0.0 ? residual / scale : residual;
    return isnan(figure) ? HUGE_VAL : figure;
}

// Forces and figures at v; keeps the best point. The larger ratio of figure to tolerance.
static double look(state *s)
{
    memset(s->push, 0, (size_t)s->n * sizeof *s->push);
    tn_crowd_figures at = tn_crowd_look(&s->crowd, s->v, s->push);
    tn_block_product(s->problem->A, s->v, s->residual, s->n_threads);
    double momentum = 0.0;
    for (int i = 0; i < s->n; i++) {
        s->residual[i] = s->problem->b[i] - s->residual[i];
        momentum += (s->residual[i] + s->push[i]) * (s->residual[i] + s->push[i]);
    }
    double natural = relative(sqrt(at.natural), fmax(sqrt(at.force), s->problem->force_scale));
    double score = fmax(natural / s->tolerance.natural, relative(sqrt(momentum), s->b_norm) / s->tolerance.momentum);
    if (score / MARGIN < s->score) {
        s->score = score / MARGIN;
        memcpy(s->best_v, s->v, (size_t)s->n * sizeof *s->v);
        tn_crowd_keep(&s->crowd);
    }
    return score;
}

// v and the forces held by one Newton step. False: the matrix is singular.
static bool move(state *s)
{
    memcpy(s->K, s->A, (size_t)(s->n * s->stride) * sizeof *s->K);
    tn_crowd_linearise(&s->crowd, s->stride, s->K, s->residual);
    for (int i = 0; i < s->n; i++) {
        s->K[i * s->stride + s->n] = s->residual[i];
    }
    if (!tn_dense_eliminate(s->n, s->stride, s->K, s->step)) {
        return false;
    }
    for (int i = 0; i < s->n; i++) {
        s->v[i] += s->step[i];
    }
    tn_crowd_follow(&s->crowd, s->step);
    return true;
}

static void go_round(state *s, double rho, bool damped, int max_iterations)
{
    double milestone = HUGE_VAL;
    bool quick = !damped;
    s->crowd.factor = rho;
    s->crowd.damped = damped;
    look(s);
    for (int k = 0, stalled = 0;
         k < (damped ? STEPS : STRAIGHT) && stalled < STALL && s->score > (quick ? TN_NEWTON_FINE : 1.0); k++) {
        if (s->iterations >= max_iterations || !move(s)) {
            return;
        }
        s->iterations++;
        double score = look(s);
        quick = quick && score < TN_NEWTON_QUICK * milestone;
        stalled = score < 0.7 * milestone ? 0 : stalled + 1;
        milestone = fmin(milestone, score);
    }
}

tn_status tn_newton_crowd_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                                tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    static const double rhos[] = {0.3, 1.0, 0.1};
    state s;
    if (!create(&s, problem, options, solution, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'newton'");
    }
    go_round(&s, rhos[0], false, options->max_iterations);
    if (s.score > 1.0) { // where straight steps cycle, their best point leads damped ones astray
        memcpy(s.v, solution->v, (size_t)s.n * sizeof *s.v);
        tn_crowd_hold(&s.crowd, solution->lambda);
    }
    double milestone = HUGE_VAL;
    for (int round = 0, stalled = 0; stalled < ROUNDS_MAX; round++) {
        if (s.score <= 1.0 || s.score == HUGE_VAL || s.iterations >= options->max_iterations) {
            break;
        }
        go_round(&s, rhos[round % 3], true, options->max_iterations);
        memcpy(s.v, s.best_v, (size_t)s.n * sizeof *s.v);
        tn_crowd_go_back(&s.crowd);
        stalled = s.score < 0.7 * milestone ? 0 : stalled + 1;
        milestone = fmin(milestone, s.score);
    }
    if (s.score < HUGE_VAL) {
        memcpy(solution->v, s.best_v, (size_t)s.n * sizeof *s.v);
        tn_crowd_forces(&s.crowd, solution->lambda);
    }
    report->iterations = s.iterations;
    report->converged = s.score <= 1.0;
    return TN_OK;
}
