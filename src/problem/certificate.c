#include "problem/certificate.h"

#include "kernels/block_product.h"
#include "math/blocks.h"
#include "math/mat3.h"
#include "math/sums.h"
#include "problem/certificate_blocks.h"
#include "problem/certificate_cone.h"
#include "problem/certificate_facets.h"
#include "problem/joint_rows.h"
#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
    return sqrt(tn_dot(3 * (size_t)blocks, x, x));
}

// ---- momentum

// |A v - b - J^T lambda - G^T f| / max(|b|, f0).
double tn_certificate_momentum(const tn_problem *p, const tn_certificate_given *given)
{
    const double *product = given->product, *push = given->push, *b = p->b;
    double sum[3] = {0.0, 0.0, 0.0}; // by axis: they do not wait for one another
    for (size_t i = 0; i < 3 * (size_t)p->A->n_rows; i += 3) {
        for (size_t k = 0; k < 3; ++k) {
            double balance = product[i + k] - (b[i + k] + push[i + k]);
            sum[k] += balance * balance;
        }
    }
    return ratio(sqrt(sum[0] + sum[1] + sum[2]), worse(norm2(p->A->n_rows, b), p->force_scale));
}

// What is not given is computed into the arena; false: no memory.
static bool complete(const tn_problem *p, const tn_solution *s, tn_certificate_given *given, tn_arena *arena)
{
    size_t size = 3 * (size_t)p->A->n_rows;
    if (!given->product) {
        double *product = TN_PUSH_RAW(arena, double, size);
        if (product) {
            tn_block_product(p->A, s->v, product, 1);
        }
        given->product = product;
    }
    if (!given->push) {
        double *push = TN_PUSH(arena, double, size);
        if (push) {
            tn_problem_add_contact_force(p, s->lambda, push);
            if (p->joints) {
                tn_joint_rows_add_force(p->joints, s->joint, push);
            }
        }
        given->push = push;
    }
    if (!given->u) {
        double *u = TN_PUSH_RAW(arena, double, 3 * (size_t)p->contacts->n);
        if (u) {
            tn_problem_velocity(p, s->v, s->lambda, u);
        }
        given->u = u;
    }
    return given->product && given->push && given->u;
}

// ---- contacts, one pass

typedef struct sums {
    double natural;        // sum of squares of the law's residuals [N^2]
    double strict_natural; // of the strict law's
    double fclib;          // of the strict law's in impulses [N^2 s^2]
    double q, u;           // of velocities without and with the forces [m^2/s^2]
} sums;

// Scale of contact i. One that nothing answers to (no mass moves, or A has a singular block) gets 1 s/kg: the
// residual's zero set is the same for any scale.
static double contact_scale(const tn_problem *p, const tn_certificate_blocks *blocks, int i)
{
    double scale = 0.0;
    if (p->W) {
        const double *w = tn_blocks_find(p->W, i, i);
        scale = w ? worse(w[0], worse(w[4], w[8])) : 0.0;
    } else if (blocks->regular) {
        scale = tn_certificate_blocks_scale(blocks, p->contacts, i);
    }
    return scale > 0.0 && isfinite(scale) ? scale : 1.0;
}

// Open and without force: every figure of a law without dilation is zero. False for a NaN.
static bool is_idle(tn_law law, const double *f, const double *u)
{
    return law != TN_LAW_CONVEX && f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0 && u[0] >= 0.0 &&
           u[1] * u[1] + u[2] * u[2] < INFINITY;
}

static void add_contact(const tn_problem *p, int i, double m, const double *f, const double *u, sums *s,
                        tn_certificate *out)
{
    static const double none[2] = {0.0, 0.0};
    const double *mu = &p->contacts->mu[2 * (size_t)i];
    const double *law_mu = p->law == TN_LAW_FRICTIONLESS ? none : mu;
    const tn_certificate_facets polygon = {p->facets, law_mu};
    double shift = p->facets > 0 ? tn_certificate_facets_shift(&polygon, u) : tn_certificate_shift(law_mu, u);
    double excess = p->facets > 0 ? tn_certificate_facets_excess(&polygon, f) : tn_certificate_cone_excess(law_mu, f);
    double strict = fabs(lesser(u[0], m * f[0]));
    double own = p->law == TN_LAW_CONVEX ? fabs(lesser(u[0] - shift, m * f[0])) : strict;
    double size = worse(f[0], p->force_scale / p->contacts->n);

    out->signorini_primal = worse(out->signorini_primal, positive_part(-u[0]));
    out->signorini_dual = worse(out->signorini_dual, positive_part(-f[0]));
    out->complementarity = worse(out->complementarity, own);
    out->strict_complementarity = worse(out->strict_complementarity, strict);
    out->cone = worse(out->cone, ratio(positive_part(excess), size));
    out->dissipation = worse(out->dissipation, f[0] * shift + f[1] * u[1] + f[2] * u[2]);
    double strict_residual = tn_certificate_squared_residual(TN_LAW_COULOMB, mu, 1.0 / m, f, u);
    s->strict_natural += strict_residual;
    s->natural += p->facets > 0              ? tn_certificate_facets_residual(&polygon, p->law, 1.0 / m, f, u)
                  : p->law == TN_LAW_COULOMB ? strict_residual
                                             : tn_certificate_squared_residual(p->law, mu, 1.0 / m, f, u);
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
    size_t i = (size_t)c->n - (size_t)c->n_moments + (size_t)k;
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

// u_i = J_i v + w_i (+ Omega_i lambda_i where lambda is given).
static void velocity_of(const tn_contacts *c, int i, const double *v, const double *lambda, double u[3])
{
    u[0] = c->offset[3 * (size_t)i];
    u[1] = c->offset[3 * (size_t)i + 1];
    u[2] = c->offset[3 * (size_t)i + 2];
    for (int e = c->start[i]; e < c->start[i + 1]; ++e) {
        tn_mat3_add_vec(u, &c->jacobian[9 * (size_t)e], &v[3 * (size_t)c->block[e]]);
    }
    if (c->omega && lambda) {
        tn_mat3_add_vec(u, &c->omega[9 * (size_t)i], &lambda[3 * (size_t)i]);
    }
}

// Contact i's part of the figure that Siconos and FCLIB report, of the local form W r + q that stands behind a global
// problem: strict law, impulses r, rho = 1. motion NULL: local form; u: of the given solution.
static void add_fclib(const tn_problem *p, int i, const tn_certificate_motion *motion, const double *lambda,
                      const double *u, sums *s)
{
    const tn_contacts *c = p->contacts;
    double q[3], loaded[3], r[3];
    tn_vec3_copy(loaded, u);
    tn_vec3_scale(r, p->step, &lambda[3 * (size_t)i]);
    if (motion) {
        velocity_of(c, i, motion->free, NULL, q);
    } else {
        tn_vec3_copy(q, &c->offset[3 * (size_t)i]);
    }
    if (motion && motion->loaded) {
        velocity_of(c, i, motion->loaded, lambda, loaded);
    }
    s->q += tn_vec3_dot(q, q);
    s->u += tn_vec3_dot(loaded, loaded);
    if (!is_idle(TN_LAW_COULOMB, r, loaded)) {
        s->fclib += tn_certificate_squared_residual(TN_LAW_COULOMB, &c->mu[2 * (size_t)i], 1.0, r, loaded);
    }
}

// All figures but momentum; fclib only if wanted.
static void add_contacts(const tn_problem *p, const tn_certificate_blocks *blocks, const tn_certificate_motion *motion,
                         bool with_fclib, const double *lambda, const double *u, tn_certificate *out)
{
    int n = p->contacts->n - p->contacts->n_moments;
    sums s = {.natural = 0.0};
    for (int i = 0; i < n; ++i) {
        const double *f = &lambda[3 * (size_t)i], *ui = &u[3 * (size_t)i];
        if (!is_idle(p->law, f, ui)) {
            add_contact(p, i, contact_scale(p, blocks, i), f, ui, &s, out);
        }
        if (with_fclib) {
            add_fclib(p, i, motion, lambda, ui, &s);
        }
    }
    for (int k = 0; k < p->contacts->n_moments; ++k) {
        add_moment(p, k, contact_scale(p, blocks, n + k), lambda, u, &s, out);
    }
    double force = norm2(n, lambda), scale = worse(force, p->force_scale);
    out->natural = ratio(sqrt(s.natural), scale);
    out->strict_natural = ratio(sqrt(s.strict_natural), scale);
    if (with_fclib) {
        scale = worse(sqrt(s.q), worse(p->step * force, sqrt(s.u)));
        out->fclib = sqrt(s.fclib) / (scale > DBL_EPSILON ? scale : 1.0);
    }
}

// ---- joints

// Largest |f - clamp(f - rho y)| / rho over the rows, over the largest velocity; 0 without rows. A bilateral row's part
// is |y| whatever rho.
static tn_status add_joints(const tn_problem *p, const tn_solution *s, tn_arena *arena, tn_certificate *out)
{
    const tn_joint_rows *joints = p->joints;
    if (!joints || joints->n == 0) {
        return TN_OK;
    }
    double *rho = TN_PUSH_RAW(arena, double, joints->n);
    if (!rho) {
        return TN_NO_MEMORY;
    }
    tn_joint_rows_mass(joints, p->A, rho);
    double most = 0.0, fastest = p->velocity_scale;
    for (int i = 0; i < joints->n; ++i) {
        double f = s->joint[i], y = tn_joint_row_velocity(joints, i, s->v) + joints->compliance[i] * f;
        double pushed = f - rho[i] * y;
        double low = f - joints->lower[i], high = f - joints->upper[i]; // of f beyond its bounds
        double residual = pushed < joints->lower[i] ? low / rho[i] : pushed > joints->upper[i] ? high / rho[i] : y;
        most = worse(most, fabs(residual));
    }
    for (int i = 0; i < 3 * p->A->n_rows; ++i) {
        fastest = worse(fastest, fabs(s->v[i]));
    }
    out->joint = ratio(most, fastest);
    return TN_OK;
}

// ---- both forms

// v that balances the forces to rounding is A^-1 (b + J^T lambda); above this momentum figure that is found anew.
static const double BALANCED = 1e-14;

static tn_status compute_local(const tn_problem *p, const double *lambda, tn_arena *arena, tn_certificate *out)
{
    double *u = TN_PUSH_RAW(arena, double, 3 * (size_t)p->contacts->n);
    if (!u) {
        return TN_NO_MEMORY;
    }
    tn_problem_velocity(p, NULL, lambda, u);
    out->momentum = (double)NAN;
    add_contacts(p, NULL, NULL, p->contacts->n_moments == 0, lambda, u, out);
    return TN_OK;
}

static tn_status compute_global(const tn_problem *p, const tn_solution *s, tn_certificate_given given, bool with_fclib,
                                tn_arena *arena, tn_certificate *out)
{
    tn_certificate_blocks blocks;
    tn_certificate_motion motion = {.known = false};
    if (!complete(p, s, &given, arena) || tn_certificate_blocks_create(p->A, p->contacts, arena, &blocks) != TN_OK) {
        return TN_NO_MEMORY;
    }
    out->momentum = tn_certificate_momentum(p, &given);
    if (with_fclib && p->contacts->n_moments == 0 && tn_joint_row_count(p) == 0) {
        bool balanced = out->momentum <= BALANCED;
        tn_status status = tn_certificate_find_motion(p, &blocks, given.push, balanced, arena, &motion);
        if (status != TN_OK) {
            return status;
        }
    }
    add_contacts(p, &blocks, &motion, motion.known, s->lambda, given.u, out);
    return add_joints(p, s, arena, out);
}

tn_status tn_certificate_compute_given(const tn_problem *problem, const tn_solution *solution,
                                       const tn_certificate_given *given, bool with_fclib, tn_arena *arena,
                                       tn_certificate *certificate)
{
    *certificate = (tn_certificate){.fclib = (double)NAN, .penetration = (double)NAN, .drift = (double)NAN};
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = compute_global(problem, solution, *given, with_fclib, arena, certificate);
    tn_arena_release(arena, mark);
    return status;
}

tn_status tn_certificate_compute(const tn_problem *problem, const tn_solution *solution, bool with_fclib,
                                 tn_arena *arena, tn_certificate *certificate)
{
    if (!problem->W) {
        const tn_certificate_given none = {NULL, NULL, NULL};
        return tn_certificate_compute_given(problem, solution, &none, with_fclib, arena, certificate);
    }
    *certificate = (tn_certificate){.fclib = (double)NAN, .penetration = (double)NAN, .drift = (double)NAN};
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = compute_local(problem, solution->lambda, arena, certificate);
    tn_arena_release(arena, mark);
    return status;
}
