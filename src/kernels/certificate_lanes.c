// Four contacts of the strict law with round cones, or of the frictionless one, at a time: the formulas of
// problem/certificate_contacts.c and problem/certificate_cone.c in lanes.
#include "kernels/certificate_lanes.h"

#include "kernels/processor.h"
#include "kernels/quad.h"

enum { LANES = 4 };

TN_QUAD_INLINE bool any_of(quad_mask m)
{
    return ((m[0] | m[2]) | (m[1] | m[3])) != 0;
}

typedef quad_three three;

// Figures of many contacts, lane by lane.
typedef struct round_sums {
    quad natural, strict_natural, fclib, free, loaded, force;
    quad primal, dual, complementarity, cone, dissipation;
} round_sums;

// p[0], p[stride], ... of n < LANES; the others rest.
TN_QUAD_INLINE quad load_column(const double *p, int stride, int n, double rest)
{
    double second = n > 1 ? p[stride] : rest, third = n > 2 ? p[2 * stride] : rest;
    return (quad){p[0], second, third, rest};
}

// The first n of four vectors, the others zero.
TN_QUAD_INLINE three load_part(const double *p, int n)
{
    return (three){{load_column(p, 3, n, 0.0), load_column(p + 1, 3, n, 0.0), load_column(p + 2, 3, n, 0.0)}};
}

TN_QUAD_INLINE three load(const double *p, int n)
{
    return n == LANES ? quad_three_load(p) : load_part(p, n);
}

// mu along t1 and t2, and the scale, of n contacts; of those beyond 0 and 1.
typedef struct coefficients {
    quad mu, across, scale;
} coefficients;

TN_QUAD_INLINE coefficients load_coefficients(const double *mu, const double *scale, int n)
{
    if (n == LANES) {
        quad low = quad_load(mu), high = quad_load(mu + LANES);
        return (coefficients){__builtin_shufflevector(low, high, 0, 2, 4, 6),
                              __builtin_shufflevector(low, high, 1, 3, 5, 7), quad_load(scale)};
    }
    return (coefficients){load_column(mu, 2, n, 0.0), load_column(mu + 1, 2, n, 0.0), load_column(scale, 1, n, 1.0)};
}

TN_QUAD_INLINE quad positive(quad x)
{
    const quad zero = {0.0};
    return quad_larger(x, zero);
}

TN_QUAD_INLINE quad magnitude(quad x)
{
    return quad_larger(x, -x);
}

TN_QUAD_INLINE quad squares(three a)
{
    return a.x[0] * a.x[0] + a.x[1] * a.x[1] + a.x[2] * a.x[2];
}

TN_QUAD_INLINE quad tangent(three a)
{
    return quad_root(a.x[1] * a.x[1] + a.x[2] * a.x[2]);
}

// |f - P_K(f - s (u + shift e_n))|^2
TN_QUAD_INLINE quad squared_residual(quad mu, quad s, three f, three u, quad shift)
{
    const quad zero = {0.0};
    three x = {{f.x[0] - s * (u.x[0] + shift), f.x[1] - s * u.x[1], f.x[2] - s * u.x[2]}};
    quad t = tangent(x);
    quad_mask polar = ~(mu * t > -x.x[0]), inside = ~(t > mu * x.x[0]);
    quad normal = (x.x[0] + mu * t) / (1.0 + mu * mu);
    quad share = quad_choose(polar, zero, quad_choose(inside, zero + 1.0, mu * normal / t));
    normal = quad_choose(polar, zero, quad_choose(inside, x.x[0], normal));
    three d = {{f.x[0] - normal, f.x[1] - share * x.x[1], f.x[2] - share * x.x[2]}};
    return squares(d);
}

// Where a number is not finite.
TN_QUAD_INLINE quad_mask strange(three a)
{
    quad nothing = 0.0 * a.x[0] + 0.0 * a.x[1] + 0.0 * a.x[2]; // 0, else no number
    return ~(nothing < 1.0);
}

// mu: given, which the frictionless law leaves out.
TN_QUAD_INLINE void add_force_figures(const tn_problem *p, quad mu, quad m, three f, three u, quad shift,
                                      quad_mask idle, round_sums *s)
{
    const quad zero = {0.0};
    quad natural = squared_residual(mu, 1.0 / m, f, u, shift);
    s->strict_natural += quad_choose(idle, zero, natural);
    if (p->law == TN_LAW_FRICTIONLESS) {
        mu = shift = zero;
        natural = squared_residual(zero, 1.0 / m, f, (three){{u.x[0], zero, zero}}, zero);
    }
    double floor = p->force_scale / p->rows->n_triples;
    quad strict = quad_choose(u.x[0] > m * f.x[0], m * f.x[0], u.x[0]);
    quad excess = positive(tangent(f) - mu * f.x[0]);
    s->primal = quad_larger(s->primal, quad_choose(idle, zero, -u.x[0]));
    s->dual = quad_larger(s->dual, -f.x[0]);
    s->complementarity = quad_larger(s->complementarity, quad_choose(idle, zero, magnitude(strict)));
    if (any_of(excess > zero)) {
        quad part = quad_choose(excess > zero, excess / quad_larger(f.x[0], zero + floor), zero);
        s->cone = quad_larger(s->cone, part);
    }
    s->dissipation = quad_larger(s->dissipation, f.x[0] * shift + f.x[1] * u.x[1] + f.x[2] * u.x[2]);
    s->natural += quad_choose(idle, zero, natural);
}

TN_QUAD_INLINE void add_impulse_figures(double step, quad mu, three f, three free, three loaded, quad shift,
                                        round_sums *s)
{
    const quad zero = {0.0};
    three r = {{step * f.x[0], step * f.x[1], step * f.x[2]}};
    quad_mask idle = ~((squares(f) > zero) | (loaded.x[0] < zero));
    s->free += squares(free);
    s->loaded += squares(loaded);
    if (any_of(~idle)) {
        s->fclib += quad_choose(idle, zero, squared_residual(mu, zero + 1.0, r, loaded, shift));
    }
}

// n <= LANES contacts, those beyond open and without force; false: not such as these lanes are for.
TN_QUAD_INLINE bool add_some(const tn_problem *p, const tn_certificate_rows *rows, size_t i, int n, round_sums *s)
{
    const quad zero = {0.0};
    coefficients own = load_coefficients(&p->rows->mu[2 * i], &rows->scale[i], n);
    three f = load(&rows->lambda[3 * i], n), u = load(&rows->u[3 * i], n);
    quad mu = own.mu;
    if (any_of((mu < own.across) | (mu > own.across) | strange(f) | strange(u))) {
        return false;
    }
    quad force = squares(f), shift = mu * tangent(u);
    quad_mask idle = ~((force > zero) | (u.x[0] < zero));
    if (rows->free) {
        three free = load(&rows->free[3 * i], n), loaded = u;
        quad loaded_shift = shift;
        if (rows->loaded != rows->u) {
            loaded = load(&rows->loaded[3 * i], n);
            loaded_shift = mu * tangent(loaded);
        }
        if (any_of(strange(free) | strange(loaded))) {
            return false;
        }
        add_impulse_figures(p->step, mu, f, free, loaded, loaded_shift, s);
    }
    s->force += force;
    if (any_of(~idle)) {
        add_force_figures(p, mu, own.scale, f, u, shift, idle, s);
    }
    return true;
}

static double largest_of(quad x)
{
    double most = x[0];
    for (int i = 1; i < LANES; i++) {
        most = x[i] > most ? x[i] : most;
    }
    return most;
}

static void raise(double *figure, quad x)
{
    double most = largest_of(x);
    *figure = most > *figure ? most : *figure; // a NaN there stays
}

static void collect(const round_sums *s, tn_certificate_sums *sums, tn_certificate *out)
{
    sums->natural += quad_sum(s->natural);
    sums->strict_natural += quad_sum(s->strict_natural);
    sums->fclib += quad_sum(s->fclib);
    sums->free += quad_sum(s->free);
    sums->loaded += quad_sum(s->loaded);
    sums->force += quad_sum(s->force);
    raise(&out->signorini_primal, s->primal);
    raise(&out->signorini_dual, s->dual);
    raise(&out->complementarity, s->complementarity);
    raise(&out->strict_complementarity, s->complementarity);
    raise(&out->cone, s->cone);
    raise(&out->dissipation, s->dissipation);
}

TN_QUAD_INLINE void round_body(const tn_problem *p, const tn_certificate_rows *rows, int *next, int end, round_sums *s)
{
    round_sums sums = *s;
    int i = *next;
    while (i + LANES <= end && add_some(p, rows, (size_t)i, LANES, &sums)) {
        i += LANES;
    }
    if (i < end && i + LANES > end && add_some(p, rows, (size_t)i, end - i, &sums)) {
        i = end;
    }
    *s = sums;
    *next = i;
}

TN_VARIANTS(round, (const tn_problem *p, const tn_certificate_rows *rows, int *next, int end, round_sums *s),
            (p, rows, next, end, s))

int tn_certificate_add_round(const tn_problem *problem, const tn_certificate_rows *rows, int first, int end,
                             tn_certificate_sums *sums, tn_certificate *out)
{
    if (problem->law == TN_LAW_CONVEX || problem->facets > 0) {
        return first;
    }
    round_sums s;
    memset(&s, 0, sizeof s);
    round_function *add = TN_BEST(round);
    int next = first;
    add(problem, rows, &next, end, &s);
    if (next > first) {
        collect(&s, sums, out);
    }
    return next;
}
