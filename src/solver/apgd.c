// apgd: accelerated projected gradient (Nesterov 1983; for contact Mazhar, Heyn, Negrut, Tasora 2015).
//
// The convex law is the quadratic program  min 1/2 lambda^T N lambda + q^T lambda  over the cones. The strict law is a
// fixed point of such programs with q_n + mu |u_t| in place of q_n, u_t being the last one's (De Saxce). Forces are
// scaled contact by contact, lambda_m = s_m y_m with s_m^2 the inverse of the contact's own mobility: a scalar, so the
// cone stays what it is (of the touched nodes alone where N is applied through a factor). One product with N an
// iteration; the step 1/L by backtracking; the momentum is dropped when it points uphill (O'Donoghue and Candes 2015).
// The fixed point is watched (shift.h): where it does not contract the solve ends, not converged.
#include "base/timer.h"
#include "math/blocks.h"
#include "problem/bound.h"
#include "problem/delassus.h"
#include "solver/check.h"
#include "solver/shift.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

// Block rows of A a contact from which on N is built (time over that through the factor, measured: at 58 a third to a
// half, at 11 half to the same, at 4 twice).
static const double FEW = 8.0;

// Updates of the shift without progress: programs are solved roughly, often by one iteration each.
enum { PATIENCE = 4000 };

typedef struct gradient {
    const tn_problem *problem;
    tn_delassus delassus;
    tn_check check; // of the problem's law
    tn_check inner; // of the convex program being solved
    tn_problem program;
    int n_contacts;
    int n;              // 3 contacts
    double *scale;      // (n) s
    tn_shift shift;     // mu |u_t| of the strict law [m/s]
    double *y, *y_last; // (n) iterate and the one before
    double *g, *g_last; // (n) gradients there, scale * (N lambda + q), without the shift
    double *z, *gz;     // (n) extrapolated point and its gradient
    double *lambda, *u; // (n) of y, unscaled
    double *best;       // (n)
    double score;       // of best
    double inner_score;
    double L;
    double theta;
} gradient;

static bool allocate(gradient *s, tn_arena *arena)
{
    bool ok = TN_PUSH_EACH(arena, s->n, &s->scale, &s->y, &s->y_last, &s->g, &s->g_last, &s->z, &s->gz, &s->lambda,
                           &s->u, &s->best) &&
              tn_shift_create(&s->shift, s->problem, arena);
    s->shift.patience = PATIENCE;
    return ok;
}

// lambda, u and g of y.
static tn_status evaluate(gradient *s, tn_arena *arena, tn_error *error)
{
    for (int i = 0; i < s->n; ++i) {
        s->lambda[i] = s->scale[i] * s->y[i];
    }
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = tn_delassus_velocity(&s->delassus, s->lambda, s->u, arena, error);
    tn_arena_release(arena, mark);
    for (int i = 0; i < s->n; ++i) {
        s->g[i] = s->scale[i] * s->u[i];
    }
    return status;
}

// y within the cones.
static void project(gradient *s)
{
    for (int m = 0; m < s->n_contacts; ++m) {
        tn_bound bound = tn_problem_bound(s->problem, m, NULL);
        bound.associated = true;
        tn_set_project(&bound, s->y + 3 * (size_t)m);
    }
}

// y = P(z - (gz + shift) / L)
static void descend(gradient *s)
{
    for (int k = 0; k < s->n; ++k) {
        s->y[k] = s->z[k] - (s->gz[k] + (k % 3 == 0 ? s->scale[k] * s->shift.value[k / 3] : 0.0)) / s->L;
    }
    project(s);
}

// One accepted step; s->y and s->z are the same point at a start. Counts products with N.
static tn_status step(gradient *s, int *iterations, tn_arena *arena, tn_error *error)
{
    memcpy(s->y_last, s->y, (size_t)s->n * sizeof *s->y);
    memcpy(s->g_last, s->g, (size_t)s->n * sizeof *s->g);
    for (int trial = 0; trial < 60; ++trial) {
        descend(s);
        tn_status status = evaluate(s, arena, error);
        ++*iterations;
        if (status != TN_OK) {
            return status;
        }
        // The quadratic model holds when d^T N d <= L d^T d; N d is a difference of gradients.
        double curvature = 0.0, length = 0.0;
        for (int i = 0; i < s->n; ++i) {
            double d = s->y[i] - s->z[i];
            curvature += d * (s->g[i] - s->gz[i]);
            length += d * d;
        }
        if (curvature <= s->L * length * (1.0 + 1e-12)) {
            break;
        }
        s->L = fmax(2.0 * s->L, 1.01 * curvature / length);
    }
    return TN_OK;
}

static void extrapolate(gradient *s)
{
    double uphill = 0.0;
    for (int i = 0; i < s->n; ++i) {
        // z - y is, times L, the projected gradient at z.
        uphill += (s->z[i] - s->y[i]) * (s->y[i] - s->y_last[i]);
    }
    double t2 = s->theta * s->theta;
    double next = 0.5 * (sqrt(t2 * t2 + 4.0 * t2) - t2);
    double beta = s->theta * (1.0 - s->theta) / (t2 + next);
    s->theta = next;
    if (uphill > 0.0) {
        beta = 0.0;
        s->theta = 1.0;
    }
    for (int i = 0; i < s->n; ++i) {
        s->z[i] = s->y[i] + beta * (s->y[i] - s->y_last[i]);
        s->gz[i] = s->g[i] + beta * (s->g[i] - s->g_last[i]);
    }
    s->L *= 0.97; // try longer steps now and then
}

// The scores of y: its own law's, and that of the program with the present shift. u is used up for the latter.
static double judge(gradient *s)
{
    double score = tn_check_score(&s->check, s->lambda, s->u);
    if (score < s->score) {
        s->score = score;
        memcpy(s->best, s->lambda, (size_t)s->n * sizeof *s->best);
    }
    for (int m = 0; m < s->n_contacts; ++m) {
        s->u[3 * m] += s->shift.value[m];
    }
    s->inner_score = tn_check_score(&s->inner, s->lambda, s->u);
    for (int m = 0; m < s->n_contacts; ++m) {
        s->u[3 * m] -= s->shift.value[m];
    }
    return score;
}

static void restart(gradient *s)
{
    memcpy(s->z, s->y, (size_t)s->n * sizeof *s->z);
    memcpy(s->gz, s->g, (size_t)s->n * sizeof *s->gz);
    s->theta = 1.0;
}

static bool prepare(gradient *s, const tn_solve_options *options, const tn_solution *start, tn_arena *arena)
{
    if (!allocate(s, arena) || !tn_check_create(&s->check, s->problem, s->delassus.q, &options->tolerance, arena)) {
        return false;
    }
    // The program's own residual: natural only, since fclib speaks of the strict law.
    s->program = *s->problem;
    s->program.law = s->problem->law == TN_LAW_FRICTIONLESS ? TN_LAW_FRICTIONLESS : TN_LAW_CONVEX;
    s->inner = s->check;
    s->inner.problem = &s->program;
    double tightest = options->tolerance.natural > 0.0 ? options->tolerance.natural : 1e-8;
    if (options->tolerance.fclib > 0.0) {
        tightest = fmin(tightest, options->tolerance.fclib);
    }
    s->inner.tolerance = (tn_tolerance){.natural = tightest};
    const double *softness = s->problem->rows->softness;
    for (int i = 0; i < 3 * s->n_contacts; ++i) {
        const double *own = s->delassus.diagonal ? s->delassus.diagonal + 9 * (i / 3) : NULL;
        const double *extra = softness ? softness + 9 * (i / 3) : NULL;
        double mobility = 0.0, nodes = own ? 0.0 : 1.0 / s->check.rho[i / 3];
        for (int k = 0; k < 9; k += 4) {
            mobility = fmax(mobility, (own ? own[k] : nodes) + (extra ? extra[k] : 0.0));
        }
        s->scale[i] = mobility > 0.0 ? 1.0 / sqrt(mobility) : 1.0;
        s->y[i] = start->lambda[i] / s->scale[i];
    }
    project(s);
    s->score = HUGE_VAL;
    s->L = 1.0;
    return true;
}

// Programs are solved a tenth as far as the strict law is fulfilled, not further.
static tn_status iterate(gradient *s, int max_iterations, int *iterations, tn_arena *arena, tn_error *error)
{
    bool strict = s->problem->law == TN_LAW_COULOMB;
    *iterations = 0;
    tn_status status = evaluate(s, arena, error);
    if (status == TN_OK) {
        judge(s);
    }
    if (strict) {
        tn_shift_set(&s->shift, s->u);
    }
    restart(s);
    bool contracts = true;
    while (contracts && status == TN_OK && s->score > 1.0 && *iterations < max_iterations) {
        status = step(s, iterations, arena, error);
        extrapolate(s);
        double score = judge(s);
        if (strict && s->inner_score <= fmax(0.1 * score, 0.3)) {
            contracts = tn_shift_update(&s->shift, s->u);
            restart(s);
        }
    }
    return status;
}

static tn_status solve_with(const tn_problem *problem, tn_delassus_kind kind, const tn_solve_options *options,
                            tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    gradient s = {.problem = problem, .n_contacts = problem->rows->n_triples, .n = 3 * problem->rows->n_triples};
    double start = tn_timer_now();
    tn_status status = tn_delassus_create(problem, kind, arena, &s.delassus, error);
    report->setup_s = tn_timer_now() - start;
    if (status == TN_OK && !prepare(&s, options, solution, arena)) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'apgd'");
    }
    status = status == TN_OK ? iterate(&s, options->max_iterations, &report->iterations, arena, error) : status;
    if (status == TN_OK) {
        memcpy(solution->lambda, s.best, (size_t)s.n * sizeof *s.best);
        report->converged = s.score <= 1.0;
        if (problem->A) {
            status = tn_delassus_recover(&s.delassus, s.best, solution->v, arena, error);
        }
    }
    tn_delassus_destroy(&s.delassus);
    return status;
}

// Through a factor each product costs two triangular solves with all of A; with few contacts N itself is soon paid for.
static tn_delassus_kind choose(const tn_problem *problem, tn_arena *arena)
{
    tn_delassus_kind kind = tn_delassus_choose(problem, arena);
    bool few = kind == TN_DELASSUS_FACTORED && FEW * (double)problem->rows->n_triples <= problem->A->n_rows;
    return few && problem->rows->n_triples <= TN_DELASSUS_DENSE_CONTACTS ? TN_DELASSUS_DENSE : kind;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_delassus_kind kind = choose(problem, arena);
    return solve_with(problem, kind, options, arena, solution, report, error);
}

static tn_status solve_dense(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                             tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    return solve_with(problem, TN_DELASSUS_COLUMNS, options, arena, solution, report, error);
}

static const char *refuses(const tn_problem *problem)
{
    if (problem->W && !tn_blocks_is_symmetric(problem->W, 1e-9)) {
        return "W is not symmetric, so there is no function to minimise; use pgs, newton or auto";
    }
    return NULL;
}

const tn_solver tn_solver_apgd = {
    .name = "apgd",
    .summary = "accelerated projected gradient; strict law by De Saxce's fixed point; symmetric problems",
    .sets = TN_TAKES_CONES | TN_TAKES_SINGLES,
    .by_multipliers = true,
    .refuses = refuses,
    .solve = solve,
};

const tn_solver tn_solver_apgd_dense = {
    .name = "apgd-dense",
    .summary = "apgd on the dense matrix J A^-1 J^T, built column by column: the literature's baseline",
    .sets = TN_TAKES_CONES,
    .global = true,
    .refuses = tn_dense_delassus_refuses,
    .solve = solve_dense,
};
