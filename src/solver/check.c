#include "solver/check.h"

#include "math/blocks.h"
#include "math/mat3.h"
#include "math/sums.h"
#include "problem/bound.h"
#include "problem/problem.h"
#include "problem/rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Solvers stop a little below the demanded figure, so that rounding in the certificate does not undo it.
static const double MARGIN = 0.9;

static double local_mobility(const tn_problem *p, int m)
{
    const double *own = tn_blocks_find(p->W, m, m);
    return own ? fmax(own[0], fmax(own[4], own[8])) : 0.0;
}

// sum += the diagonal of J inverse J^T, of one entry.
static void add_mobility(const double jacobian[9], const double inverse[9], double sum[3])
{
    for (int i = 0; i < 3; ++i) {
        double y[3];
        tn_mat3_vec(y, inverse, jacobian + 3 * i);
        sum[i] += tn_vec3_dot(jacobian + 3 * i, y);
    }
}

static bool invert_block(const tn_blocks *A, int block, double inverse[9])
{
    const double *own = tn_blocks_find(A, block, block);
    return own && tn_mat3_inverse(inverse, own);
}

static double global_mobility(const tn_problem *p, int m)
{
    const tn_rows *c = p->rows;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        double inverse[9];
        if (invert_block(p->A, c->block[e], inverse)) {
            add_mobility(c->jacobian + 9 * e, inverse, sum);
        }
    }
    return fmax(sum[0], fmax(sum[1], sum[2]));
}

bool tn_check_rhos(const tn_problem *p, int n, const int *id, double *rho, tn_arena *arena)
{
    const tn_rows *c = p->rows;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *inverse = TN_PUSH(arena, double, 9 * (size_t)p->A->n_rows);
    for (int i = 0; inverse && i < p->A->n_rows; ++i) {
        if (!invert_block(p->A, i, inverse + 9 * (size_t)i)) {
            memset(inverse + 9 * (size_t)i, 0, 9 * sizeof *inverse);
        }
    }
    for (int k = 0; inverse && k < n; ++k) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int e = c->start[id[k]]; e < c->start[id[k] + 1]; ++e) {
            add_mobility(c->jacobian + 9 * (size_t)e, inverse + 9 * (size_t)c->block[e], sum);
        }
        double mobility = fmax(sum[0], fmax(sum[1], sum[2]));
        rho[k] = mobility > 0.0 ? 1.0 / mobility : 1.0;
    }
    tn_arena_release(arena, mark);
    return inverse != NULL;
}

double tn_check_rho(const tn_problem *problem, int m)
{
    if (problem->hints && problem->hints->rho) {
        return problem->hints->rho[m];
    }
    double mobility = problem->A ? global_mobility(problem, m) : local_mobility(problem, m);
    return mobility > 0.0 ? 1.0 / mobility : 1.0;
}

tn_check tn_check_of_sums(const tn_problem *problem, double q_norm, const tn_tolerance *tolerance)
{
    return (tn_check){.problem = problem, .tolerance = *tolerance, .q_norm = q_norm};
}

bool tn_check_create(tn_check *check, const tn_problem *problem, const double *q, const tn_tolerance *tolerance,
                     tn_arena *arena)
{
    int n = problem->rows->n_triples;
    double *rho = TN_PUSH(arena, double, n);
    if (!rho) {
        return false;
    }
    double sum = 0.0;
    for (int m = 0; m < n; ++m) {
        rho[m] = tn_check_rho(problem, m);
        sum += tn_vec3_dot(q + 3 * m, q + 3 * m);
    }
    *check = tn_check_of_sums(problem, sqrt(sum), tolerance);
    check->rho = rho;
    return true;
}

// The larger of two, a NaN if either is one.
static double worse(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

// The natural map of one contact, squared. De Saxce's shift mu |u_t| hides an approach u_n < 0 by a factor
// sqrt(1 + mu^2): with mu = 1e6, meant as "no slip", a body that falls through the floor with zero force would pass.
// So the strict law's normal row counts by itself as well.
static double natural_square(const tn_problem *p, int m, double rho, const double l[3], const double u[3])
{
    double e[3], normal = 0.0;
    tn_bound bound = tn_problem_bound(p, m, NULL);
    tn_set_natural(&bound, (const double[2]){rho, rho}, l, u, e);
    if (!bound.associated) {
        double pushed = l[0] - rho * u[0];
        normal = pushed < 0.0 ? l[0] : l[0] - pushed;
    }
    double all = tn_vec3_dot(e, e);
    return normal * normal > all ? normal * normal : all; // a NaN in e stays
}

// Which figures anybody asks for.
typedef struct wanted {
    bool natural, fclib;
} wanted;

static wanted demanded(const tn_tolerance *t)
{
    return (wanted){.natural = t->natural > 0.0 || !(t->fclib > 0.0), .fclib = t->fclib > 0.0};
}

static void add(const tn_problem *p, wanted want, int m, double rho, const double lambda[3], const double u[3],
                tn_check_sums *sums)
{
    sums->natural += want.natural ? natural_square(p, m, rho, lambda, u) : 0.0;
    if (want.fclib) {
        // The strict law's, whatever the law. In impulses r = h lambda with rho = 1, that is rho = 1 / h on forces.
        double e[3], h = p->step > 0.0 ? p->step : 1.0;
        const double *mu = p->rows->mu + 2 * m;
        const tn_bound strict = {.set = TN_SET_CONE, .bound = {mu[0], mu[1]}};
        tn_set_natural(&strict, (const double[2]){1.0 / h, 1.0 / h}, lambda, u, e);
        sums->fclib += tn_vec3_dot(e, e);
    }
    sums->force += tn_vec3_dot(lambda, lambda);
    sums->velocity += tn_vec3_dot(u, u);
}

void tn_check_add(const tn_problem *p, int m, double rho, const double lambda[3], const double u[3],
                  tn_check_sums *sums)
{
    add(p, (wanted){true, true}, m, rho, lambda, u, sums);
}

// What the residual of friction m is divided by: moments count as forces on the arm of the larger length; friction of a
// ball as the force that the velocity which it misses would take where a scene's velocities take its forces.
static double friction_unit(const tn_problem *p, const tn_bound *bound, double rho)
{
    if (bound->set == TN_SET_MOMENT) {
        double most = fmax(bound->bound[0], bound->bound[1]);
        return most > 0.0 ? most : 1.0;
    }
    return p->velocity_scale > 0.0 && p->force_scale > 0.0 ? rho * p->velocity_scale / p->force_scale : rho;
}

static void add_triple(const tn_problem *p, wanted want, int m, double rho, double pressed, const double lambda[3],
                       const double u[3], tn_check_sums *sums)
{
    if (m < p->rows->n_triples - p->rows->n_frictions) {
        add(p, want, m, rho, lambda, u, sums);
        return;
    }
    tn_bound bound = tn_problem_bound(p, m, NULL);
    double unit = friction_unit(p, &bound, rho), e[3];
    bound.pressed = pressed;
    tn_set_natural(&bound, (const double[2]){rho, rho}, lambda, u, e);
    sums->natural += tn_vec3_dot(e, e) / (unit * unit);
}

void tn_check_add_triple(const tn_problem *p, int m, double rho, double pressed, const double lambda[3],
                         const double u[3], tn_check_sums *sums)
{
    add_triple(p, (wanted){true, true}, m, rho, pressed, lambda, u, sums);
}

void tn_check_add_demanded(const tn_check *check, int m, double pressed, const double lambda[3], const double u[3],
                           tn_check_sums *sums)
{
    add_triple(check->problem, demanded(&check->tolerance), m, check->rho[m], pressed, lambda, u, sums);
}

// residual / scale, both squared; a scale of zero counts as one.
static double relative(double residual, double scale)
{
    return scale > 0.0 ? residual / scale : residual;
}

static double natural_squared(const tn_check *check, const tn_check_sums *s)
{
    double floor = check->problem->force_scale;
    return relative(s->natural, worse(s->force, floor * floor));
}

double tn_check_natural(const tn_check *check, const tn_check_sums *s)
{
    return sqrt(natural_squared(check, s));
}

static double fclib_squared(const tn_check *check, const tn_check_sums *s)
{
    double h = check->problem->step > 0.0 ? check->problem->step : 1.0;
    double scale = worse(h * h * s->force, worse(check->q_norm * check->q_norm, s->velocity));
    return h * h * s->fclib / (scale > DBL_EPSILON * DBL_EPSILON ? scale : 1.0);
}

double tn_check_score_sums(const tn_check *check, const tn_check_sums *sums)
{
    const tn_tolerance *t = &check->tolerance;
    wanted want = demanded(t);
    double square = 0.0;
    if (tn_problem_stopped(check->problem)) {
        return 0.0;
    }
    if (want.natural) {
        double limit = t->natural > 0.0 ? t->natural : 1e-8;
        square = natural_squared(check, sums) / (limit * limit);
    }
    if (want.fclib) {
        square = worse(square, fclib_squared(check, sums) / (t->fclib * t->fclib));
    }
    return isnan(square) ? HUGE_VAL : sqrt(square) * (1.0 / MARGIN);
}

double tn_check_score(const tn_check *check, const double *lambda, const double *u)
{
    const tn_rows *c = check->problem->rows;
    tn_check_sums sums = {0};
    wanted want = demanded(&check->tolerance);
    int n = c->n_triples - c->n_frictions;
    for (int m = 0; m < n; ++m) {
        add(check->problem, want, m, check->rho[m], lambda + 3 * m, u + 3 * m, &sums);
    }
    for (int m = n; m < c->n_triples; ++m) {
        int by = c->pressed_by[m - n];
        double pressed = by < 0 ? 0.0 : lambda[3 * by];
        tn_check_add_triple(check->problem, m, check->rho[m], pressed, lambda + 3 * m, u + 3 * m, &sums);
    }
    return tn_check_score_sums(check, &sums);
}

// ---- single rows

bool tn_single_check_create(tn_single_check *check, const tn_problem *problem, tn_arena *arena)
{
    size_t n_v = 3 * (size_t)problem->A->n_rows;
    double *rho = TN_PUSH(arena, double, problem->rows->n_singles);
    *check = (tn_single_check){.problem = problem, .rho = rho, .residual = TN_PUSH(arena, double, n_v)};
    if (!rho || !check->residual) {
        return false;
    }
    if (problem->hints && problem->hints->rho) {
        memcpy(rho, problem->hints->rho + problem->rows->n_triples, (size_t)problem->rows->n_singles * sizeof *rho);
    } else if (problem->rows->n_singles > 0) {
        tn_singles_mass(problem->rows, problem->A, rho);
    }
    check->b_norm = fmax(sqrt(tn_dot(n_v, problem->b, problem->b)), problem->force_scale);
    return true;
}

double tn_single_check_momentum(tn_single_check *check, const tn_solution *s)
{
    const tn_problem *p = check->problem;
    const double *f = tn_single_forces(p->rows, s->lambda);
    size_t n_v = 3 * (size_t)p->A->n_rows;
    double *r = check->residual;
    tn_blocks_mul(p->A, s->v, r);
    for (size_t i = 0; i < n_v; ++i) {
        r[i] = p->b[i] - r[i];
    }
    tn_problem_add_contact_force(p, s->lambda, r);
    if (p->rows->n_singles > 0) {
        tn_singles_add_force(p->rows, f, r);
    }
    double norm = sqrt(tn_dot(n_v, r, r));
    double scale = fmax(check->b_norm, tn_singles_driven(p->rows, f));
    return norm > 0.0 && scale > 0.0 ? norm / scale : norm;
}

double tn_check_fastest(const tn_problem *problem, const double *v)
{
    return fmax(problem->velocity_scale, tn_largest(3 * (size_t)problem->A->n_rows, v));
}

double tn_single_check_rows(const tn_single_check *check, const double *v, const double *f)
{
    const tn_problem *p = check->problem;
    const tn_rows singles = tn_rows_singles(p->rows), *rows = &singles;
    double most = 0.0, fastest = tn_check_fastest(p, v);
    for (int i = 0; i < rows->n_singles; ++i) {
        double y = tn_single_velocity(rows, i, v) + rows->compliance[i] * f[i];
        double moved = f[i] - check->rho[i] * y, clamped = tn_single_clamp(rows, i, moved);
        most = fmax(most, clamped == moved ? fabs(y) : fabs(f[i] - clamped) / check->rho[i]);
        fastest = fmax(fastest, tn_single_driven(rows, i, f[i]) / check->rho[i]);
    }
    return most > 0.0 ? most / fastest : 0.0;
}
