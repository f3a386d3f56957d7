#include "solver/ccs.h"

#include "base/timer.h"
#include "kernels/block_product.h"
#include "law/cone.h"
#include "law/local.h"
#include "math/cholesky.h"
#include "math/mat3.h"
#include "problem/problem.h"
#include "solver/check.h"
#include "solver/contact_matrix.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

// Balancing: rho moves when it is off by more than WORTH, by at most LARGEST at once.
static const double WORTH = 2.0, LARGEST = 30.0;
static const double LATER = 0.5;       // the share, in logarithms, of balancings after the first
static const double CORRELATION = 0.2; // of two differences, below which their quotient says nothing

typedef struct splitting {
    const tn_problem *problem;
    const tn_ccs_options *options;
    tn_tolerance tolerance;
    tn_check check;
    int n, n_v;
    double b_norm;         // |b|, floored by the force scale [N]
    double factor_of_rho;  // rho over the inverse mobility
    double *rho;           // (n) [kg/s]
    double *C;             // (n, 9) rho I
    double *v, *v_last;    // (n_v)
    double *force, *right; // (n_v) scratch
    bool refines;          // solves with a step of refinement
    int n_threads;
    double *u;        // (n, 3) J v + w, then with Omega lambda
    double *z;        // (n, 3) the copy that obeys the law
    double *lambda;   // (n, 3)
    double *held;     // (n, 3) forces that v balances
    double *mismatch; // (n, 3) held - lambda
    double *best_v, *best_lambda;
    double score;                       // of best
    double *u_split;                    // (n, 3) J v + w
    double *velocity_then, *force_then; // (n, 3) of an earlier iteration, dimensionless
    double theta;                       // |v - v_last| [m/s]
    tn_contact_matrix K;
    tn_cholesky *cholesky;
    double setup; // time of factorisations [s]
} splitting;

tn_ccs_options tn_ccs_options_default(void)
{
    return (tn_ccs_options){.rho = 0.1, .relaxation = 1.6, .balance_first = 8};
}

static double norm_of(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static bool allocate(splitting *s, tn_arena *arena)
{
    double **per_v[] = {&s->v, &s->v_last, &s->force, &s->right, &s->best_v};
    double **per_contact[] = {&s->u,           &s->z,       &s->lambda,        &s->held,      &s->mismatch,
                              &s->best_lambda, &s->u_split, &s->velocity_then, &s->force_then};
    bool ok = true;
    for (size_t i = 0; i < sizeof per_v / sizeof per_v[0]; ++i) {
        ok = (*per_v[i] = TN_PUSH(arena, double, s->n_v)) && ok;
    }
    for (size_t i = 0; i < sizeof per_contact / sizeof per_contact[0]; ++i) {
        ok = (*per_contact[i] = TN_PUSH(arena, double, 3 * s->n)) && ok;
    }
    s->rho = TN_PUSH(arena, double, s->n);
    s->C = TN_PUSH(arena, double, 9 * (size_t)s->n);
    return ok && s->rho && s->C && tn_contact_matrix_create(&s->K, s->problem, arena);
}

static tn_status factor(splitting *s, tn_error *error)
{
    double start = tn_timer_now();
    for (int m = 0; m < s->n; ++m) {
        s->rho[m] = s->factor_of_rho * s->check.rho[m];
        for (int i = 0; i < 9; i += 4) {
            s->C[9 * (size_t)m + (size_t)i] = s->rho[m];
        }
    }
    tn_contact_matrix_fill(&s->K, s->C);
    if (!s->cholesky) {
        s->cholesky = tn_cholesky_create(&s->K.K, error);
    }
    tn_status status = s->cholesky ? tn_cholesky_factor(s->cholesky, &s->K.K, error) : TN_NO_MEMORY;
    s->setup += tn_timer_now() - start;
    return status;
}

// u (n, 3) = J v + w, without Omega.
static void contact_velocity(const splitting *s, const double *v, double *u)
{
    const tn_contacts *c = s->problem->contacts;
    memcpy(u, c->offset, (size_t)(3 * s->n) * sizeof *u);
    for (int m = 0; m < s->n; ++m) {
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            tn_mat3_add_vec(u + 3 * m, c->jacobian + 9 * (size_t)e, v + 3 * (size_t)c->block[e]);
        }
    }
}

static tn_status create(splitting *s, const tn_solution *start, tn_arena *arena, tn_error *error)
{
    double *q = TN_PUSH(arena, double, 3 * s->n); // zero: on the safe side for the fclib figure
    if (!q || !allocate(s, arena) || !tn_check_create(&s->check, s->problem, q, &s->tolerance, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'ccs'");
    }
    s->b_norm = fmax(norm_of(s->n_v, s->problem->b), s->problem->force_scale);
    s->factor_of_rho = s->options->rho;
    s->score = HUGE_VAL;
    memcpy(s->v, start->v, (size_t)s->n_v * sizeof *s->v);
    memcpy(s->lambda, start->lambda, (size_t)(3 * s->n) * sizeof *s->lambda);
    contact_velocity(s, s->v, s->z);
    return factor(s, error);
}

// x = K^-1 x, with one step of iterative refinement where rounding would spoil the momentum figure.
static tn_status solve(splitting *s, double *x, tn_error *error)
{
    if (!s->refines) {
        return tn_cholesky_solve(s->cholesky, 1, x, x, error);
    }
    memcpy(s->right, x, (size_t)s->n_v * sizeof *x);
    tn_status status = tn_cholesky_solve(s->cholesky, 1, x, x, error);
    tn_block_product(&s->K.K, x, s->force, s->n_threads);
    for (int i = 0; i < s->n_v; ++i) {
        s->force[i] = s->right[i] - s->force[i];
    }
    if (status == TN_OK) {
        status = tn_cholesky_solve(s->cholesky, 1, s->force, s->force, error);
    }
    for (int i = 0; i < s->n_v; ++i) {
        x[i] += s->force[i];
    }
    return status;
}

// v of the forces lambda + rho (z - w), and held = lambda - rho (J v + w - z): what A v - b is balanced by.
static tn_status balance(splitting *s, tn_error *error)
{
    const double *w = s->problem->contacts->offset;
    memcpy(s->v_last, s->v, (size_t)s->n_v * sizeof *s->v);
    memcpy(s->v, s->problem->b, (size_t)s->n_v * sizeof *s->v);
    for (int i = 0; i < 3 * s->n; ++i) {
        s->held[i] = s->lambda[i] + s->rho[i / 3] * (s->z[i] - w[i]);
    }
    tn_problem_add_contact_force(s->problem, s->held, s->v);
    tn_status status = solve(s, s->v, error);
    contact_velocity(s, s->v, s->u);
    memcpy(s->u_split, s->u, (size_t)(3 * s->n) * sizeof *s->u);
    for (int i = 0; i < 3 * s->n; ++i) {
        s->held[i] = s->lambda[i] - s->rho[i / 3] * (s->u[i] - s->z[i]);
    }
    double sum = 0.0;
    for (int i = 0; i < s->n_v; ++i) {
        sum += (s->v[i] - s->v_last[i]) * (s->v[i] - s->v_last[i]);
    }
    s->theta = sqrt(sum);
    return status;
}

// lambda of one contact with velocity u + Omega lambda + (lambda - old)/rho under the law.
static void obey(const splitting *s, int m, const double u[3], double lambda[3])
{
    const tn_contacts *c = s->problem->contacts;
    const double *mu = c->mu + 2 * m;
    double rho = s->rho[m];
    if (c->omega) {
        double W[9], q[3];
        for (int i = 0; i < 9; ++i) {
            W[i] = c->omega[9 * m + i] + (i % 4 == 0 ? 1.0 / rho : 0.0);
        }
        tn_vec3_madd(q, u, -1.0 / rho, lambda);
        tn_local_solve(s->problem->law, mu, W, q, lambda);
        return;
    }
    tn_vec3_madd(lambda, lambda, -rho, u);
    if (s->problem->law == TN_LAW_COULOMB) {
        tn_cone_strict(mu, lambda);
    } else {
        tn_local_project(s->problem->law, mu, lambda);
    }
}

static void split(splitting *s)
{
    const double *omega = s->problem->contacts->omega;
    double a = s->options->relaxation;
    for (int m = 0; m < s->n; ++m) {
        double relaxed[3], old[3], *lambda = s->lambda + 3 * m, rho = s->rho[m];
        for (int i = 0; i < 3; ++i) {
            relaxed[i] = a * s->u[3 * m + i] + (1.0 - a) * s->z[3 * m + i];
            old[i] = lambda[i];
        }
        obey(s, m, relaxed, lambda);
        for (int i = 0; i < 3; ++i) {
            s->z[3 * m + i] = relaxed[i] + (lambda[i] - old[i]) / rho;
        }
        if (omega) { // for the check
            tn_mat3_add_vec(s->u + 3 * m, omega + 9 * m, lambda);
        }
    }
}

// |A v - b - J^T lambda| = |J^T (held - lambda)|, relative: no product with A.
static double momentum(splitting *s)
{
    memset(s->force, 0, (size_t)s->n_v * sizeof *s->force);
    for (int i = 0; i < 3 * s->n; ++i) {
        s->mismatch[i] = s->held[i] - s->lambda[i];
    }
    tn_problem_add_contact_force(s->problem, s->mismatch, s->force);
    double norm = norm_of(s->n_v, s->force);
    return norm > 0.0 && s->b_norm > 0.0 ? norm / s->b_norm : norm;
}

// The same from A v itself, rounding included.
static double true_momentum(splitting *s)
{
    memcpy(s->right, s->problem->b, (size_t)s->n_v * sizeof *s->right);
    tn_problem_add_contact_force(s->problem, s->lambda, s->right);
    tn_block_product(s->problem->A, s->v, s->force, s->n_threads);
    for (int i = 0; i < s->n_v; ++i) {
        s->force[i] -= s->right[i];
    }
    double norm = norm_of(s->n_v, s->force);
    return norm > 0.0 && s->b_norm > 0.0 ? norm / s->b_norm : norm;
}

static bool demands_figures(const tn_tolerance *t)
{
    return t->momentum > 0.0 || t->natural > 0.0 || t->fclib > 0.0;
}

static void keep(splitting *s, double score)
{
    s->score = score;
    memcpy(s->best_v, s->v, (size_t)s->n_v * sizeof *s->v);
    memcpy(s->best_lambda, s->lambda, (size_t)(3 * s->n) * sizeof *s->lambda);
}

// Keeps the best iterate; true: what is demanded holds.
static bool judge(splitting *s)
{
    const tn_tolerance *t = &s->tolerance;
    if (!demands_figures(t)) {
        keep(s, 0.0);
        return t->theta > 0.0 && s->theta < t->theta;
    }
    double score = tn_check_score(&s->check, s->lambda, s->u);
    if (t->momentum > 0.0) {
        double figure = momentum(s) / (0.9 * t->momentum);
        if (figure <= 1.0 && score <= 1.0) {
            figure = true_momentum(s) / (0.9 * t->momentum);
            s->refines = s->refines || figure > 1.0;
        }
        score = isnan(figure) ? HUGE_VAL : fmax(score, figure);
    }
    if (score < s->score) {
        keep(s, score);
    }
    return score <= 1.0 && (!(t->theta > 0.0) || s->theta < t->theta);
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

// Stiffness dy/dx of a monotone map from one pair of differences, by the two Barzilai-Borwein quotients; 0: none to
// see.
static double stiffness(int n, const double *dx, const double *dy)
{
    double xx = dot(n, dx, dx), xy = dot(n, dx, dy), yy = dot(n, dy, dy);
    if (!(xy > CORRELATION * sqrt(xx) * sqrt(yy))) {
        return 0.0;
    }
    double steepest = yy / xy, least = xy / xx;
    return 2.0 * least > steepest ? least : steepest - 0.5 * least;
}

// Remember where the balance is, made dimensionless: velocities times sqrt(s), forces over it, s the inverse mobility.
static void remember(splitting *s)
{
    for (int i = 0; i < 3 * s->n; ++i) {
        double root = sqrt(s->check.rho[i / 3]);
        s->velocity_then[i] = root * s->u_split[i];
        s->force_then[i] = s->held[i] / root;
    }
}

// rho = the stiffness with which the bodies answered since the last remember: spectral balancing (Xu, Figueiredo,
// Goldstein 2017), of the balance alone, since the strict law's map is not monotone. The classic comparison of the two
// residuals fails here: it depends on scales, and sliding speeds and prescribed motion hide the ones that matter.
// power: how much of the change to make; later differences see the slowest modes only.
static tn_status rebalance(splitting *s, double power, tn_error *error)
{
    int n = 3 * s->n;
    for (int i = 0; i < n; ++i) {
        double root = sqrt(s->check.rho[i / 3]);
        s->velocity_then[i] = root * s->u_split[i] - s->velocity_then[i];
        s->force_then[i] = s->held[i] / root - s->force_then[i];
    }
    double rho = stiffness(n, s->velocity_then, s->force_then);
    double ratio = rho > 0.0 ? pow(rho / s->factor_of_rho, power) : 1.0;
    ratio = fmin(fmax(ratio, 1.0 / LARGEST), LARGEST);
    if (ratio < WORTH && ratio > 1.0 / WORTH) {
        return TN_OK;
    }
    s->factor_of_rho *= ratio;
    return factor(s, error);
}

static tn_status iterate(splitting *s, int max_iterations, tn_solve_report *report, tn_error *error)
{
    int next = s->options->balance_first;
    for (int l = 1; l <= max_iterations; ++l) {
        tn_status status = balance(s, error);
        if (status != TN_OK) {
            return status;
        }
        split(s);
        report->iterations = l;
        if (judge(s)) {
            report->converged = true;
            return TN_OK;
        }
        if (l == next - (next + 3) / 4) {
            remember(s);
        }
        if (l == next) {
            next *= 4;
            status = rebalance(s, next == 4 * s->options->balance_first ? 1.0 : LATER, error);
            if (status != TN_OK) {
                return status;
            }
        }
    }
    // Nothing demanded is nothing missed: a fixed number of iterations was what the caller wanted.
    report->converged = !demands_figures(&s->tolerance) && !(s->tolerance.theta > 0.0);
    return TN_OK;
}

tn_status tn_ccs_solve(const tn_problem *problem, const tn_solve_options *options, const tn_ccs_options *ccs,
                       tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    splitting s = {.problem = problem, .options = ccs, .tolerance = options->tolerance};
    s.n = problem->contacts->n;
    s.n_v = 3 * problem->A->n_rows;
    s.n_threads = options->n_threads;
    if (!(s.tolerance.natural > 0.0) && !(s.tolerance.fclib > 0.0)) {
        s.tolerance.natural = s.tolerance.momentum; // the balance alone does not see the law
    }
    report->iterations = 0;
    report->converged = false;
    tn_status status = create(&s, solution, arena, error);
    if (status == TN_OK) {
        status = iterate(&s, options->max_iterations, report, error);
    }
    if (status == TN_OK && s.score < HUGE_VAL) {
        memcpy(solution->v, s.best_v, (size_t)s.n_v * sizeof *s.best_v);
        memcpy(solution->lambda, s.best_lambda, (size_t)(3 * s.n) * sizeof *s.best_lambda);
    }
    report->theta = s.theta;
    report->setup_s = s.setup;
    tn_cholesky_destroy(s.cholesky);
    return status;
}

static const char *refuses(const tn_problem *problem)
{
    return problem->A ? NULL : "ccs needs the balance A, b of a global problem; pgs and apgd take the local form";
}

static tn_status solve_ccs(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                           tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_ccs_options ccs = tn_ccs_options_default();
    return tn_ccs_solve(problem, options, &ccs, arena, solution, report, error);
}

const tn_solver tn_solver_ccs = {
    .name = "ccs",
    .summary = "ADMM: one Cholesky factor of A + rho J^T J, then contact by contact; any law, global form",
    .refuses = refuses,
    .solve = solve_ccs,
};
