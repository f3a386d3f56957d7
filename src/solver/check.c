#include "solver/check.h"

#include "law/local.h"
#include "law/moment.h"
#include "math/blocks.h"
#include "math/mat3.h"

#include <float.h>
#include <math.h>

// Solvers stop a little below the demanded figure, so that rounding in the certificate does not undo it.
static const double MARGIN = 0.9;

static double local_mobility(const tn_problem *p, int m)
{
    const double *own = tn_blocks_find(p->W, m, m);
    return own ? fmax(own[0], fmax(own[4], own[8])) : 0.0;
}

static double global_mobility(const tn_problem *p, int m)
{
    const tn_contacts *c = p->contacts;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        const double *own = tn_blocks_find(p->A, c->block[e], c->block[e]);
        double inverse[9], y[3];
        if (!own || !tn_mat3_inverse(inverse, own)) {
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            const double *row = c->jacobian + 9 * e + 3 * i;
            tn_mat3_vec(y, inverse, row);
            sum[i] += tn_vec3_dot(row, y);
        }
    }
    return fmax(sum[0], fmax(sum[1], sum[2]));
}

bool tn_check_create(tn_check *check, const tn_problem *problem, const double *q, const tn_tolerance *tolerance,
                     tn_arena *arena)
{
    int n = problem->contacts->n;
    double *rho = TN_PUSH(arena, double, n);
    if (!rho) {
        return false;
    }
    double sum = 0.0;
    for (int m = 0; m < n; ++m) {
        double mobility = problem->A ? global_mobility(problem, m) : local_mobility(problem, m);
        rho[m] = mobility > 0.0 ? 1.0 / mobility : 1.0;
        sum += tn_vec3_dot(q + 3 * m, q + 3 * m);
    }
    *check = (tn_check){.problem = problem, .tolerance = *tolerance, .rho = rho, .q_norm = sqrt(sum)};
    return true;
}

static double relative(double residual, double scale)
{
    return scale > 0.0 ? residual / scale : residual;
}

// The natural map of one contact, squared. De Saxce's shift mu |u_t| hides an approach u_n < 0 by a factor
// sqrt(1 + mu^2): with mu = 1e6, meant as "no slip", a body that falls through the floor with zero force would pass.
// So the strict law's normal row counts by itself as well.
static double natural_square(const tn_problem *p, int m, double rho, const double l[3], const double u[3])
{
    double e[3], normal = 0.0;
    tn_local_natural(p->law, p->contacts->mu + 2 * m, rho, l, u, e);
    if (p->law == TN_LAW_COULOMB) {
        normal = l[0] - fmax(0.0, l[0] - rho * u[0]);
    }
    return fmax(tn_vec3_dot(e, e), normal * normal);
}

// Moments, as forces on the arm of the larger length.
static double moment_square(const tn_contacts *c, int k, double rho, const double *lambda, const double *u)
{
    size_t m = (size_t)(c->n - c->n_moments + k);
    double pressed = fmax(lambda[3 * (size_t)c->pressed_by[k]], 0.0), e[3];
    double limit[2] = {c->mu[2 * m] * pressed, c->mu[2 * m + 1] * pressed};
    double most = fmax(c->mu[2 * m], c->mu[2 * m + 1]);
    tn_moment_natural(limit, rho, lambda + 3 * m, u + 3 * m, e);
    return tn_vec3_dot(e, e) / (most > 0.0 ? most * most : 1.0);
}

static double natural_figure(const tn_check *check, const double *lambda, const double *u)
{
    const tn_problem *p = check->problem;
    const tn_contacts *c = p->contacts;
    int n = c->n - c->n_moments;
    double residual = 0.0, force = 0.0;
    for (int k = 0; k < c->n_moments; ++k) {
        residual += moment_square(c, k, check->rho[n + k], lambda, u);
    }
    for (int m = 0; m < n; ++m) {
        const double *l = lambda + 3 * m;
        residual += natural_square(p, m, check->rho[m], l, u + 3 * m);
        force += tn_vec3_dot(l, l);
    }
    return relative(sqrt(residual), fmax(sqrt(force), p->force_scale));
}

// The strict law's, whatever the law. In impulses r = h lambda with rho = 1, that is rho = 1 / h on forces.
static double fclib_figure(const tn_check *check, const double *lambda, const double *u)
{
    const tn_problem *p = check->problem;
    double h = p->step > 0.0 ? p->step : 1.0;
    double residual = 0.0, force = 0.0, velocity = 0.0, e[3];
    for (int m = 0; m < p->contacts->n; ++m) {
        const double *l = lambda + 3 * m;
        tn_local_natural(TN_LAW_COULOMB, p->contacts->mu + 2 * m, 1.0 / h, l, u + 3 * m, e);
        residual += tn_vec3_dot(e, e);
        force += tn_vec3_dot(l, l);
        velocity += tn_vec3_dot(u + 3 * m, u + 3 * m);
    }
    double scale = fmax(h * sqrt(force), fmax(check->q_norm, sqrt(velocity)));
    return h * sqrt(residual) / (scale > DBL_EPSILON ? scale : 1.0);
}

double tn_check_score(const tn_check *check, const double *lambda, const double *u)
{
    const tn_tolerance *t = &check->tolerance;
    bool any = t->natural > 0.0 || t->fclib > 0.0;
    double score = 0.0;
    if (t->natural > 0.0 || !any) {
        score = natural_figure(check, lambda, u) / (any ? t->natural : 1e-8);
    }
    if (t->fclib > 0.0) {
        score = fmax(score, fclib_figure(check, lambda, u) / t->fclib);
    }
    return isnan(score) ? HUGE_VAL : score / MARGIN;
}
