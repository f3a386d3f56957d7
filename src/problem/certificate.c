#include "problem/certificate.h"

#include "kernels/block_product.h"
#include "math/blocks.h"
#include "math/mat3.h"
#include "problem/certificate_cone.h"
#include "problem/components.h"
#include "problem/problem.h"

#include <float.h>
#include <math.h>

// The larger of two, NaN if either is NaN.
static double worse(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

static double positive_part(double x)
{
    return x < 0.0 ? 0.0 : x; // NaN stays
}

static double lesser(double a, double b)
{
    return isnan(b) || b < a ? b : a;
}

// size relative to scale; a residual that vanishes is 0 even without a scale.
static double ratio(double size, double scale)
{
    return size == 0.0 ? 0.0 : size / scale;
}

static double norm2(int blocks, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < 3 * (size_t)blocks; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// ---- scales m_m [s/kg]: largest diagonal of J_m blockdiag(A)^-1 J_m^T, or of W_mm

static double entry_scale(const double *inverse, const double *jacobian, int row)
{
    double x[3];
    tn_mat3_vec(x, inverse, &jacobian[3 * row]);
    return tn_vec3_dot(x, &jacobian[3 * row]);
}

static double contact_scale(const tn_contacts *c, int i, const double *inverse)
{
    double largest = 0.0;
    for (int row = 0; row < 3; ++row) {
        double sum = 0.0;
        for (int e = c->start[i]; e < c->start[i + 1]; ++e) {
            sum += entry_scale(&inverse[9 * (size_t)c->block[e]], &c->jacobian[9 * (size_t)e], row);
        }
        largest = worse(largest, sum);
    }
    return largest;
}

// Inverses (n_rows, 9) of the diagonal blocks that contacts touch; false: one is singular.
static bool invert_touched_blocks(const tn_blocks *A, const tn_contacts *c, bool *done, double *inverse)
{
    for (int e = 0; e < c->start[c->n]; ++e) {
        int i = c->block[e];
        if (done[i]) {
            continue;
        }
        const double *own = tn_blocks_find(A, i, i);
        if (own && !tn_mat3_inverse(&inverse[9 * (size_t)i], own)) {
            return false;
        }
        done[i] = true;
    }
    return true;
}

static void local_scales(const tn_blocks *W, double *scale)
{
    for (int i = 0; i < W->n_rows; ++i) {
        for (int k = W->start[i]; k < W->start[i + 1]; ++k) {
            if (W->column[k] == i) {
                const double *w = &W->value[9 * (size_t)k];
                scale[i] = worse(w[0], worse(w[4], w[8]));
            }
        }
    }
}

// A contact that nothing answers to (no mass moves, or A has a singular block) gets 1 s/kg: the residual's zero set is
// the same for any scale.
static tn_status compute_scales(const tn_problem *p, tn_arena *arena, double *scale)
{
    const tn_contacts *c = p->contacts;
    if (p->W) {
        local_scales(p->W, scale);
    } else {
        double *inverse = TN_PUSH(arena, double, 9 * (size_t)p->A->n_rows);
        bool *done = TN_PUSH(arena, bool, p->A->n_rows);
        if (!inverse || !done) {
            return TN_NO_MEMORY;
        }
        bool regular = invert_touched_blocks(p->A, c, done, inverse);
        for (int i = 0; regular && i < c->n; ++i) {
            scale[i] = contact_scale(c, i, inverse);
        }
    }
    for (int i = 0; i < c->n; ++i) {
        scale[i] = scale[i] > 0.0 && isfinite(scale[i]) ? scale[i] : 1.0;
    }
    return TN_OK;
}

// ---- momentum

static tn_status momentum_figure(const tn_problem *p, const tn_solution *s, tn_arena *arena, double *figure)
{
    *figure = (double)NAN;
    if (!p->A) {
        return TN_OK;
    }
    size_t size = 3 * (size_t)p->A->n_rows;
    double *force = TN_PUSH(arena, double, size);
    double *product = TN_PUSH(arena, double, size);
    if (!force || !product) {
        return TN_NO_MEMORY;
    }
    for (size_t i = 0; i < size; ++i) {
        force[i] = p->b[i];
    }
    tn_problem_add_contact_force(p, s->lambda, force);
    tn_block_product(p->A, s->v, product, 1);
    double sum = 0.0;
    for (size_t i = 0; i < size; ++i) {
        double balance = product[i] - force[i];
        sum += balance * balance;
    }
    *figure = ratio(sqrt(sum), worse(norm2(p->A->n_rows, p->b), p->force_scale));
    return TN_OK;
}

// ---- contacts, one pass

typedef struct sums {
    double natural;        // sum of squares of the law's residuals [N^2]
    double strict_natural; // of the strict law's
} sums;

static double squared_residual(tn_law law, const double mu[2], double rho, const double *f, const double *u)
{
    static const double none[2] = {0.0, 0.0};
    double out[3];
    double w[3] = {u[0], u[1], u[2]};
    if (law == TN_LAW_COULOMB) {
        w[0] += tn_certificate_shift(mu, u);
    }
    if (law == TN_LAW_FRICTIONLESS) {
        w[1] *= 0.0; // not = 0: a NaN must stay
        w[2] *= 0.0;
        tn_certificate_conic_residual(none, rho, f, w, out);
    } else {
        tn_certificate_conic_residual(mu, rho, f, w, out);
    }
    return tn_vec3_dot(out, out);
}

// Rolling and torsional friction, written apart from law/: the distance to the nearest moment within the limits, of m
// - w / scale [N m], over the larger length [N].
static double squared_moment_residual(const double length[2], double pressed, double scale, const double *m,
                                      const double *w)
{
    double f = pressed > 0.0 ? pressed : 0.0, x[3], shrink;
    for (int k = 0; k < 3; ++k) {
        x[k] = m[k] - w[k] / scale;
    }
    double torsion = length[0] * f, rolling = length[1] * f;
    double size = sqrt(x[1] * x[1] + x[2] * x[2]);
    x[0] = x[0] > torsion ? torsion : x[0] < -torsion ? -torsion : x[0];
    shrink = size > rolling ? rolling / size : 1.0;
    double sum = (m[0] - x[0]) * (m[0] - x[0]);
    for (int k = 1; k < 3; ++k) {
        sum += (m[k] - shrink * x[k]) * (m[k] - shrink * x[k]);
    }
    double most = worse(length[0], length[1]);
    return most > 0.0 ? sum / (most * most) : sum;
}

// Moment number k of the problem: its part of the natural map, and how far it exceeds its limits.
static void add_moment(const tn_problem *p, int k, double scale, const double *lambda, const double *u, sums *s,
                       tn_certificate *out)
{
    const tn_contacts *c = p->contacts;
    size_t i = (size_t)(c->n - c->n_moments + k);
    const double *length = &c->mu[2 * i], *m = &lambda[3 * i], *w = &u[3 * i];
    double pressed = lambda[3 * (size_t)c->pressed_by[k]];
    double residual = squared_moment_residual(length, pressed, scale, m, w);
    s->natural += residual;
    s->strict_natural += residual;
    double rolling = length[1] * pressed, turning = sqrt(m[1] * m[1] + m[2] * m[2]);
    double excess = worse(worse(fabs(m[0]) - length[0] * pressed, turning - rolling), 0.0);
    double most = worse(length[0], length[1]);
    if (most > 0.0) {
        out->cone = worse(out->cone, ratio(excess / most, worse(pressed, p->force_scale / c->n)));
    }
    out->dissipation = worse(out->dissipation, length[0] * pressed * fabs(w[0]) + m[0] * w[0]);
    out->dissipation = worse(out->dissipation, rolling * sqrt(w[1] * w[1] + w[2] * w[2]) + m[1] * w[1] + m[2] * w[2]);
}

static void add_contact(const tn_problem *p, int i, double m, const double *f, const double *u, sums *s,
                        tn_certificate *out)
{
    static const double none[2] = {0.0, 0.0};
    const double *mu = &p->contacts->mu[2 * (size_t)i];
    const double *law_mu = p->law == TN_LAW_FRICTIONLESS ? none : mu;
    double shift = tn_certificate_shift(law_mu, u);
    double strict = fabs(lesser(u[0], m * f[0]));
    double own = p->law == TN_LAW_CONVEX ? fabs(lesser(u[0] - shift, m * f[0])) : strict;
    double size = worse(f[0], p->force_scale / p->contacts->n);

    out->signorini_primal = worse(out->signorini_primal, positive_part(-u[0]));
    out->signorini_dual = worse(out->signorini_dual, positive_part(-f[0]));
    out->complementarity = worse(out->complementarity, own);
    out->strict_complementarity = worse(out->strict_complementarity, strict);
    out->cone = worse(out->cone, ratio(positive_part(tn_certificate_cone_excess(law_mu, f)), size));
    out->dissipation = worse(out->dissipation, f[0] * shift + f[1] * u[1] + f[2] * u[2]);
    double strict_residual = squared_residual(TN_LAW_COULOMB, mu, 1.0 / m, f, u);
    s->strict_natural += strict_residual;
    s->natural += p->law == TN_LAW_COULOMB ? strict_residual : squared_residual(p->law, mu, 1.0 / m, f, u);
}

// ---- the figure that Siconos and FCLIB report: strict law, impulses, rho = 1

// u and q of the local form W r + q that stands behind the problem; false where it needs a factorisation of A.
static tn_status local_form(const tn_problem *p, const double *lambda, tn_arena *arena, double *u, double *q,
                            bool *known)
{
    *known = true;
    if (p->W) {
        tn_problem_velocity(p, NULL, lambda, u);
        for (size_t i = 0; i < 3 * (size_t)p->contacts->n; ++i) {
            q[i] = p->contacts->offset[i];
        }
        return TN_OK;
    }
    tn_components components;
    tn_status status = tn_components_of(p, arena, &components);
    *known = status == TN_OK && components.largest <= TN_COMPONENT_BLOCKS;
    if (!*known) {
        return status;
    }
    status = tn_components_factor(p->A, arena, &components, NULL);
    *known = status == TN_OK;
    size_t size = 3 * (size_t)p->A->n_rows;
    double *v = TN_PUSH(arena, double, size);
    double *zero = TN_PUSH(arena, double, 3 * (size_t)p->contacts->n);
    if (status != TN_OK || !v || !zero) {
        return status == TN_NUMERICS ? TN_OK : TN_NO_MEMORY;
    }
    for (size_t i = 0; i < size; ++i) {
        v[i] = p->b[i];
    }
    tn_components_solve(&components, v);
    tn_problem_velocity(p, v, zero, q);
    for (size_t i = 0; i < size; ++i) {
        v[i] = p->b[i];
    }
    tn_problem_add_contact_force(p, lambda, v);
    tn_components_solve(&components, v);
    tn_problem_velocity(p, v, lambda, u);
    return TN_OK;
}

static tn_status fclib_figure(const tn_problem *p, const double *lambda, tn_arena *arena, double *figure)
{
    int n = p->contacts->n;
    double *u = TN_PUSH(arena, double, 3 * (size_t)n);
    double *q = TN_PUSH(arena, double, 3 * (size_t)n);
    bool known = false;
    tn_status status = u && q ? local_form(p, lambda, arena, u, q, &known) : TN_NO_MEMORY;
    if (status != TN_OK || !known) {
        return status;
    }
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        double r[3];
        tn_vec3_scale(r, p->step, &lambda[3 * (size_t)i]);
        sum += squared_residual(TN_LAW_COULOMB, &p->contacts->mu[2 * (size_t)i], 1.0, r, &u[3 * (size_t)i]);
    }
    double scale = worse(norm2(n, q), worse(p->step * norm2(n, lambda), norm2(n, u)));
    *figure = sqrt(sum) / (scale > DBL_EPSILON ? scale : 1.0);
    return TN_OK;
}

static tn_status compute(const tn_problem *p, const tn_solution *s, bool with_fclib, tn_arena *arena,
                         tn_certificate *out)
{
    int n = p->contacts->n;
    double *u = TN_PUSH(arena, double, 3 * (size_t)n);
    double *scale = TN_PUSH(arena, double, n);
    tn_status status = u && scale ? compute_scales(p, arena, scale) : TN_NO_MEMORY;
    if (status == TN_OK) {
        status = momentum_figure(p, s, arena, &out->momentum);
    }
    if (status != TN_OK) {
        return status;
    }
    tn_problem_velocity(p, s->v, s->lambda, u);
    sums sum = {0.0, 0.0};
    int n_moments = p->contacts->n_moments;
    for (int i = 0; i < n - n_moments; ++i) {
        add_contact(p, i, scale[i], &s->lambda[3 * (size_t)i], &u[3 * (size_t)i], &sum, out);
    }
    for (int k = 0; k < n_moments; ++k) {
        add_moment(p, k, scale[n - n_moments + k], s->lambda, u, &sum, out);
    }
    double force = worse(norm2(n - n_moments, s->lambda), p->force_scale);
    out->natural = ratio(sqrt(sum.natural), force);
    out->strict_natural = ratio(sqrt(sum.strict_natural), force);
    return (with_fclib || p->W) && n_moments == 0 ? fclib_figure(p, s->lambda, arena, &out->fclib) : TN_OK;
}

tn_status tn_certificate_compute(const tn_problem *problem, const tn_solution *solution, bool with_fclib,
                                 tn_arena *arena, tn_certificate *certificate)
{
    *certificate = (tn_certificate){.fclib = (double)NAN, .penetration = (double)NAN};
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = compute(problem, solution, with_fclib, arena, certificate);
    tn_arena_release(arena, mark);
    return status;
}
