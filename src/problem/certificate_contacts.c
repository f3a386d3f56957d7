#include "problem/certificate_contacts.h"

#include "base/team.h"
#include "problem/certificate_cone.h"
#include "problem/certificate_facets.h"
#include "problem/certificate_figures.h"
#include "tenon/set.h"

#include "math/vec3.h"

#include <float.h>
#include <math.h>

// Contacts that are summed apart: the sums are the same for any number of threads.
enum { CHUNK = 2048, LANES = 4 };

static double positive_part(double x)
{
    return x < 0.0 ? 0.0 : x; // NaN stays
}

static double lesser(double a, double b)
{
    return isnan(b) || b < a ? b : a;
}

// Open and without force: every figure of a law without dilation is zero. False for a NaN.
static bool is_idle(tn_law law, const double *f, const double *u)
{
    return law != TN_LAW_CONVEX && f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0 && u[0] >= 0.0 &&
           u[1] * u[1] + u[2] * u[2] < INFINITY;
}

static void add_contact(const tn_problem *p, int i, double m, const double *f, const double *u, tn_certificate_sums *s,
                        tn_certificate *out)
{
    static const double none[2] = {0.0, 0.0};
    const double *mu = &p->rows->mu[2 * (size_t)i];
    const double *law_mu = p->law == TN_LAW_FRICTIONLESS ? none : mu;
    const tn_certificate_facets polygon = {p->facets, law_mu};
    double shift = p->facets > 0 ? tn_certificate_facets_shift(&polygon, u) : tn_certificate_shift(law_mu, u);
    double excess = p->facets > 0 ? tn_certificate_facets_excess(&polygon, f) : tn_certificate_cone_excess(law_mu, f);
    double strict = fabs(lesser(u[0], m * f[0]));
    double own = p->law == TN_LAW_CONVEX ? fabs(lesser(u[0] - shift, m * f[0])) : strict;
    double size = tn_certificate_worse(f[0], p->force_scale / p->rows->n_triples);

    out->signorini_primal = tn_certificate_worse(out->signorini_primal, positive_part(-u[0]));
    out->signorini_dual = tn_certificate_worse(out->signorini_dual, positive_part(-f[0]));
    out->complementarity = tn_certificate_worse(out->complementarity, own);
    out->strict_complementarity = tn_certificate_worse(out->strict_complementarity, strict);
    out->cone = tn_certificate_worse(out->cone, tn_certificate_ratio(positive_part(excess), size));
    out->dissipation = tn_certificate_worse(out->dissipation, f[0] * shift + f[1] * u[1] + f[2] * u[2]);
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
    double most = tn_certificate_worse(length[0], length[1]);
    return most > 0.0 ? sum / (most * most) : sum;
}

static double length_of(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

// Friction within a ball of radius r: the velocity missed, as the force that it takes where the scene's velocities take
// its forces.
static void add_ball(const tn_problem *p, double r, double scale, const double *f, const double *w,
                     tn_certificate_sums *s, tn_certificate *out)
{
    double x[3], unit = p->velocity_scale > 0.0 && p->force_scale > 0.0 ? p->force_scale / p->velocity_scale : 1.0;
    for (int k = 0; k < 3; ++k) {
        x[k] = f[k] - w[k] / scale;
    }
    double size = length_of(x), shrink = size > r ? r / size : 1.0, residual = 0.0;
    for (int k = 0; k < 3; ++k) {
        double e = unit * scale * (f[k] - shrink * x[k]);
        residual += e * e;
    }
    s->natural += residual;
    s->strict_natural += residual;
    double excess = tn_certificate_worse(length_of(f) - r, 0.0);
    out->cone = tn_certificate_worse(out->cone, tn_certificate_ratio(excess, r));
    out->dissipation =
        tn_certificate_worse(out->dissipation, r * length_of(w) + f[0] * w[0] + f[1] * w[1] + f[2] * w[2]);
}

// Rolling and torsional friction: its part of the natural map, and how far it exceeds its limits.
static void add_moment(const tn_problem *p, const double *length, double pressed, double scale, const double *m,
                       const double *w, tn_certificate_sums *s, tn_certificate *out)
{
    double residual = squared_moment_residual(length, pressed, scale, m, w);
    s->natural += residual;
    s->strict_natural += residual;
    double rolling = length[1] * pressed, turning = sqrt(m[1] * m[1] + m[2] * m[2]);
    double excess =
        tn_certificate_worse(tn_certificate_worse(fabs(m[0]) - length[0] * pressed, turning - rolling), 0.0);
    double most = tn_certificate_worse(length[0], length[1]);
    if (most > 0.0) {
        out->cone = tn_certificate_worse(
            out->cone,
            tn_certificate_ratio(excess / most, tn_certificate_worse(pressed, p->force_scale / p->rows->n_triples)));
    }
    out->dissipation = tn_certificate_worse(out->dissipation, length[0] * pressed * fabs(w[0]) + m[0] * w[0]);
    out->dissipation =
        tn_certificate_worse(out->dissipation, rolling * sqrt(w[1] * w[1] + w[2] * w[2]) + m[1] * w[1] + m[2] * w[2]);
}

// Nearest point of an ellipse, apart from law/: of the points p(t) = b^2 x / (b^2 + t) on it, with t by bisection.
static void nearest_of_ellipse(const double *b, const double x[2], double p[2])
{
    double low = 0.0, high = (b[0] + b[1]) * (fabs(x[0]) + fabs(x[1])); // far enough: |p_i / b_i| <= b_i |x_i| / t
    for (int k = 0; k < 200; k++) {
        double t = k == 0 ? 0.0 : 0.5 * (low + high), size = 0.0;
        for (int i = 0; i < 2; i++) {
            p[i] = b[i] > 0.0 ? b[i] * b[i] * x[i] / (b[i] * b[i] + t) : 0.0;
            size += b[i] > 0.0 ? p[i] / b[i] * (p[i] / b[i]) : 0.0;
        }
        if ((k == 0 && !(size > 1.0)) || (k > 0 && !(t > low && t < high))) {
            return; // inside, or nothing is left between
        }
        low = size > 1.0 ? t : low;
        high = size > 1.0 ? high : t;
    }
}

// Friction within an ellipse, in the units of that within a ball.
static void add_ellipse(const tn_problem *p, const double *b, double scale, const double *f, const double *w,
                        tn_certificate_sums *s, tn_certificate *out)
{
    double x[2], near[2],
        unit = p->velocity_scale > 0.0 && p->force_scale > 0.0 ? p->force_scale / p->velocity_scale : 1.0;
    double residual = f[2] * f[2], power = 0.0, gauge = 0.0, most = 0.0;
    for (int k = 0; k < 2; ++k) {
        x[k] = f[k] - w[k] / scale;
        power += b[k] * w[k] * (b[k] * w[k]);
        gauge += b[k] > 0.0 ? f[k] / b[k] * (f[k] / b[k]) : f[k] == 0.0 ? 0.0 : INFINITY;
    }
    nearest_of_ellipse(b, x, near);
    for (int k = 0; k < 2; ++k) {
        residual += (f[k] - near[k]) * (f[k] - near[k]);
        most = tn_certificate_worse(most, b[k]);
    }
    residual *= unit * scale * (unit * scale);
    s->natural += residual;
    s->strict_natural += residual;
    double excess = most * tn_certificate_worse(sqrt(gauge) - 1.0, 0.0);
    out->cone = tn_certificate_worse(out->cone, tn_certificate_ratio(excess, most));
    out->dissipation = tn_certificate_worse(out->dissipation, sqrt(power) + f[0] * w[0] + f[1] * w[1]);
}

// Friction k of the problem's last triples.
static void add_friction(const tn_problem *p, int k, double scale, const double *lambda, const double *u,
                         tn_certificate_sums *s, tn_certificate *out)
{
    const tn_rows *c = p->rows;
    size_t i = (size_t)c->n_triples - (size_t)c->n_frictions + (size_t)k;
    const double *size = &c->mu[2 * i], *f = &lambda[3 * i], *w = &u[3 * i];
    double pressed = c->pressed_by[k] < 0 ? 0.0 : lambda[3 * (size_t)c->pressed_by[k]];
    if (c->friction_set && c->friction_set[k] == TN_SET_ELLIPSE) {
        add_ellipse(p, size, scale, f, w, s, out);
    } else if (c->friction_set && c->friction_set[k] == TN_SET_BALL) {
        add_ball(p, size[0] + size[1] * fmax(pressed, 0.0), scale, f, w, s, out);
    } else {
        add_moment(p, size, pressed, scale, f, w, s, out);
    }
}

// Contact i's part of the figure that Siconos and FCLIB report, of the local form W r + q that stands behind a global
// problem: strict law, impulses r, rho = 1.
static void add_fclib(const tn_problem *p, const tn_certificate_rows *rows, size_t i, tn_certificate_sums *s)
{
    const double *q = &rows->free[3 * i], *loaded = &rows->loaded[3 * i];
    double r[3];
    tn_vec3_scale(r, p->step, &rows->lambda[3 * i]);
    s->free += tn_vec3_dot(q, q);
    s->loaded += tn_vec3_dot(loaded, loaded);
    if (!is_idle(TN_LAW_COULOMB, r, loaded)) {
        s->fclib += tn_certificate_squared_residual(TN_LAW_COULOMB, &p->rows->mu[2 * i], 1.0, r, loaded);
    }
}

static void add_one(const tn_problem *p, const tn_certificate_rows *rows, int i, tn_certificate_sums *s,
                    tn_certificate *out)
{
    const double *f = &rows->lambda[3 * (size_t)i], *u = &rows->u[3 * (size_t)i];
    s->force += tn_vec3_dot(f, f);
    if (!is_idle(p->law, f, u)) {
        add_contact(p, i, rows->scale[i], f, u, s, out);
    }
    if (rows->free) {
        add_fclib(p, rows, (size_t)i, s);
    }
}

// Figures of a chunk's contacts.
typedef struct chunk {
    tn_certificate_sums sums;
    tn_certificate figures;
} chunk;

static void add_range(const tn_problem *p, const tn_certificate_rows *rows, int first, int end, tn_certificate_sums *s,
                      tn_certificate *out)
{
    for (int i = first; i < end;) {
        i = tn_certificate_add_round(p, rows, i, end, s, out);
        int stop = i + LANES < end ? i + LANES : end; // these are not such
        for (; i < stop; i++) {
            add_one(p, rows, i, s, out);
        }
    }
}

static void add_chunk(const tn_problem *p, const tn_certificate_rows *rows, int first, int end, chunk *out)
{
    *out = (chunk){.sums = {.natural = 0.0}};
    add_range(p, rows, first, end, &out->sums, &out->figures);
}

static void merge(const chunk *part, tn_certificate_sums *s, tn_certificate *out)
{
    const tn_certificate *f = &part->figures;
    s->natural += part->sums.natural;
    s->strict_natural += part->sums.strict_natural;
    s->fclib += part->sums.fclib;
    s->free += part->sums.free;
    s->loaded += part->sums.loaded;
    s->force += part->sums.force;
    out->signorini_primal = tn_certificate_worse(out->signorini_primal, f->signorini_primal);
    out->signorini_dual = tn_certificate_worse(out->signorini_dual, f->signorini_dual);
    out->complementarity = tn_certificate_worse(out->complementarity, f->complementarity);
    out->strict_complementarity = tn_certificate_worse(out->strict_complementarity, f->strict_complementarity);
    out->cone = tn_certificate_worse(out->cone, f->cone);
    out->dissipation = tn_certificate_worse(out->dissipation, f->dissipation);
}

typedef struct adding {
    const tn_problem *problem;
    const tn_certificate_rows *rows;
    int n;
    chunk *chunks;
} adding;

static void add_some(const void *context, int first, int end, int thread)
{
    const adding *a = context;
    for (int k = first; k < end; ++k) {
        int stop = (k + 1) * CHUNK < a->n ? (k + 1) * CHUNK : a->n;
        add_chunk(a->problem, a->rows, k * CHUNK, stop, &a->chunks[k]);
    }
}

// All n contacts, chunk by chunk.
static tn_status add_chunks(const tn_problem *p, const tn_certificate_rows *rows, int n, int n_threads, tn_arena *arena,
                            tn_certificate_sums *s, tn_certificate *out)
{
    int n_chunks = (n + CHUNK - 1) / CHUNK;
    if (n_chunks <= 1) {
        add_range(p, rows, 0, n, s, out);
        return TN_OK;
    }
    chunk *chunks = TN_PUSH_RAW(arena, chunk, n_chunks);
    if (!chunks) {
        return TN_NO_MEMORY;
    }
    tn_team_share(n_threads, n_chunks, 1, add_some, &(adding){p, rows, n, chunks});
    for (int k = 0; k < n_chunks; k++) {
        merge(&chunks[k], s, out);
    }
    return TN_OK;
}

tn_status tn_certificate_add_contacts(const tn_problem *problem, const tn_certificate_rows *rows, int n_threads,
                                      tn_arena *arena, tn_certificate *out)
{
    const tn_rows *c = problem->rows;
    int n = c->n_triples - c->n_frictions;
    tn_certificate_sums s = {.natural = 0.0};
    if (add_chunks(problem, rows, n, n_threads, arena, &s, out) != TN_OK) {
        return TN_NO_MEMORY;
    }
    for (int k = 0; k < c->n_frictions; k++) {
        add_friction(problem, k, rows->scale[n + k], rows->lambda, rows->u, &s, out);
    }
    double floor = problem->force_scale, h = problem->step; // from here on squares: a root less for each
    double scale = tn_certificate_worse(s.force, floor * floor);
    out->natural = sqrt(tn_certificate_ratio(s.natural, scale));
    out->strict_natural = sqrt(tn_certificate_ratio(s.strict_natural, scale));
    if (rows->free) {
        scale = tn_certificate_worse(s.free, tn_certificate_worse(h * h * s.force, s.loaded));
        out->fclib = sqrt(s.fclib / (scale <= DBL_EPSILON * DBL_EPSILON ? 1.0 : scale)); // a NaN stays
    }
    return TN_OK;
}
