#include "kernels/cones.h"

#include "kernels/processor.h"
#include "kernels/quad.h"

#include <float.h>
#include <stddef.h>

enum { LANES = 4 };

typedef quad_three three; // one vector of each of four cones

// Vectors m to m + 3 of (n, 3); in place of those beyond n the first of them once more.
TN_QUAD_INLINE three load(const double *p, int m, int n)
{
    double part[3 * LANES];
    p += 3 * (size_t)m;
    if (n - m >= LANES) {
        return quad_three_load(p);
    }
    for (int i = 0; i < LANES; i++) {
        memcpy(part + 3 * i, m + i < n ? p + 3 * i : p, 3 * sizeof *part);
    }
    return quad_three_load(part);
}

TN_QUAD_INLINE quad load_one(const double *p, int m, int n)
{
    double part[LANES];
    for (int i = 0; i < LANES; i++) {
        part[i] = p[m + i < n ? m + i : m];
    }
    return n - m >= LANES ? quad_load(p + m) : quad_load(part);
}

TN_QUAD_INLINE void store_full(double *p, three v)
{
    quad a = __builtin_shufflevector(v.x[0], v.x[1], 0, 4, 1, 5);
    quad b = __builtin_shufflevector(v.x[0], v.x[1], 2, 6, 3, 7);
    quad half = __builtin_shufflevector(a, v.x[2], 3, 5, 5, 5);
    quad_store(p, __builtin_shufflevector(a, v.x[2], 0, 1, 4, 2));
    quad_store(p + 4, __builtin_shufflevector(half, b, 0, 1, 4, 5));
    quad_store(p + 8, __builtin_shufflevector(b, v.x[2], 6, 2, 3, 7));
}

TN_QUAD_INLINE void store(double *p, int m, int n, three v)
{
    p += 3 * (size_t)m;
    if (n - m >= LANES) {
        store_full(p, v);
        return;
    }
    double part[3 * LANES];
    store_full(part, v);
    memcpy(p, part, 3 * (size_t)(n - m) * sizeof *part);
}

TN_QUAD_INLINE void store_one(double *p, int m, int n, quad v)
{
    double part[LANES];
    quad_store(part, v);
    memcpy(p + m, part, (size_t)(n - m < LANES ? n - m : LANES) * sizeof *part);
}

TN_QUAD_INLINE quad all(double a)
{
    return (quad){a, a, a, a};
}

TN_QUAD_INLINE quad smaller(quad a, quad b)
{
    return quad_choose(a < b, a, b);
}

TN_QUAD_INLINE three scaled(quad a, three v)
{
    return (three){{a * v.x[0], a * v.x[1], a * v.x[2]}};
}

TN_QUAD_INLINE three sum(three a, three b)
{
    return (three){{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]}};
}

TN_QUAD_INLINE three difference(three a, three b)
{
    return (three){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

TN_QUAD_INLINE three entrywise(three a, three b)
{
    return (three){{a.x[0] * b.x[0], a.x[1] * b.x[1], a.x[2] * b.x[2]}};
}

TN_QUAD_INLINE quad tangential(three a, three b)
{
    return a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

// x_0^2 - |x_t|^2, positive for every x that rounding has left inside or on the cone.
TN_QUAD_INLINE quad determinant(three v)
{
    quad t = quad_root(tangential(v, v));
    return quad_larger((v.x[0] - t) * (v.x[0] + t), DBL_MIN + DBL_EPSILON * v.x[0] * v.x[0]);
}

TN_QUAD_INLINE three product(three a, three b)
{
    return (three){
        {a.x[0] * b.x[0] + tangential(a, b), a.x[0] * b.x[1] + b.x[0] * a.x[1], a.x[0] * b.x[2] + b.x[0] * a.x[2]}};
}

// out with l o out = b
TN_QUAD_INLINE three divided(three b, three l)
{
    quad first = (l.x[0] * b.x[0] - tangential(l, b)) / determinant(l), inverse = 1.0 / l.x[0];
    return (three){{first, (b.x[1] - first * l.x[1]) * inverse, (b.x[2] - first * l.x[2]) * inverse}};
}

typedef struct scaling {
    three q;
    quad spread, size, share; // share = 1 / (size + q_0)
} scaling;

TN_QUAD_INLINE scaling load_scaling(const tn_cones *c, int m)
{
    scaling s = {.q = load(c->q, m, c->n), .spread = load_one(c->spread, m, c->n)};
    s.size = quad_root(s.spread);
    s.share = 1.0 / (s.size + s.q.x[0]);
    return s;
}

// W v
TN_QUAD_INLINE three transform(const scaling *s, three v)
{
    quad across = tangential(s->q, v), along = v.x[0] + s->share * across;
    return (three){
        {s->q.x[0] * v.x[0] + across, s->q.x[1] * along + s->size * v.x[1], s->q.x[2] * along + s->size * v.x[2]}};
}

// W^-1 v
TN_QUAD_INLINE three transform_back(const scaling *s, three v)
{
    quad across = tangential(s->q, v), along = s->share * across - v.x[0], inverse = 1.0 / s->spread;
    return (three){{inverse * (s->q.x[0] * v.x[0] - across), inverse * (s->q.x[1] * along + s->size * v.x[1]),
                    inverse * (s->q.x[2] * along + s->size * v.x[2])}};
}

// W W v, exact along its weak directions, which the rounding of W W as a matrix hides.
TN_QUAD_INLINE three stiffness(three q, quad spread, three v)
{
    quad along = 2.0 * (q.x[0] * v.x[0] + tangential(q, v));
    return (three){
        {along * q.x[0] - spread * v.x[0], along * q.x[1] + spread * v.x[1], along * q.x[2] + spread * v.x[2]}};
}

// S W W S of each cone in rows of nine.
TN_QUAD_INLINE void store_matrix(const scaling *s, three S, int n, double *out)
{
    three q = entrywise(S, s->q);
    quad normal = s->spread * S.x[0] * S.x[0];
    quad entry[6] = {2.0 * q.x[0] * q.x[0] - normal, 2.0 * q.x[0] * q.x[1],
                     2.0 * q.x[0] * q.x[2],          2.0 * q.x[1] * q.x[1] + s->spread * S.x[1] * S.x[1],
                     2.0 * q.x[1] * q.x[2],          2.0 * q.x[2] * q.x[2] + s->spread * S.x[2] * S.x[2]};
    double part[6][LANES];
    for (int k = 0; k < 6; k++) {
        quad_store(part[k], entry[k]);
    }
    for (int i = 0; i < n && i < LANES; i++, out += 9) {
        out[0] = part[0][i];
        out[1] = out[3] = part[1][i];
        out[2] = out[6] = part[2][i];
        out[4] = part[3][i];
        out[5] = out[7] = part[4][i];
        out[8] = part[5][i];
    }
}

TN_QUAD_INLINE void scale_body(const tn_cones *c, double *C)
{
    for (int m = 0; m < c->n; m += LANES) {
        three x = load(c->x, m, c->n), y = load(c->y, m, c->n);
        quad size_x = quad_root(determinant(x)), size_y = quad_root(determinant(y));
        three a = scaled(1.0 / size_x, x), b = scaled(1.0 / size_y, y);
        quad half = 2.0 * quad_root(0.5 * (1.0 + (a.x[0] * b.x[0] + tangential(a, b))));
        scaling s = {.spread = size_x / size_y};
        s.size = quad_root(s.spread);
        s.q = scaled(s.size / half, (three){{a.x[0] + b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}});
        s.share = 1.0 / (s.size + s.q.x[0]);
        store(c->q, m, c->n, s.q);
        store_one(c->spread, m, c->n, s.spread);
        store(c->l, m, c->n, transform(&s, y));
        store_matrix(&s, load(c->S, m, c->n), c->n - m, C + 9 * (size_t)m);
    }
}

typedef struct aim {
    double target;
    const double *extra, *off;
    double *centring, *push;
} aim;

TN_QUAD_INLINE void aim_body(const tn_cones *c, const aim *a)
{
    for (int m = 0; m < c->n; m += LANES) {
        scaling s = load_scaling(c, m);
        three x = load(c->x, m, c->n), y = load(c->y, m, c->n);
        quad pull = a->target / determinant(y);
        three out = {{pull * y.x[0] - x.x[0], -pull * y.x[1] - x.x[1], -pull * y.x[2] - x.x[2]}};
        if (a->extra) {
            out = sum(out, transform(&s, divided(load(a->extra, m, c->n), load(c->l, m, c->n))));
        }
        store(a->centring, m, c->n, out);
        three force = sum(out, stiffness(s.q, s.spread, load(a->off, m, c->n)));
        store(a->push, m, c->n, entrywise(load(c->S, m, c->n), force));
    }
}

typedef struct change {
    const double *centring, *off;
    double *dx, *dy;
} change;

TN_QUAD_INLINE void follow_body(const tn_cones *c, const change *h)
{
    for (int m = 0; m < c->n; m += LANES) {
        three u = load(h->dy, m, c->n);
        three dy = difference(entrywise(load(c->S, m, c->n), u), load(h->off, m, c->n));
        three push = stiffness(load(c->q, m, c->n), load_one(c->spread, m, c->n), dy);
        store(h->dy, m, c->n, dy);
        store(h->dx, m, c->n, difference(load(h->centring, m, c->n), push));
    }
}

TN_QUAD_INLINE void refine_body(const tn_cones *c, const double *u, double *dx, double *dy)
{
    for (int m = 0; m < c->n; m += LANES) {
        three more = entrywise(load(c->S, m, c->n), load(u, m, c->n));
        three push = stiffness(load(c->q, m, c->n), load_one(c->spread, m, c->n), more);
        store(dy, m, c->n, sum(load(dy, m, c->n), more));
        store(dx, m, c->n, difference(load(dx, m, c->n), push));
    }
}

// The smallest positive root of det(v + a d) = c + 2 b a + q a^2, or `most`.
TN_QUAD_INLINE quad reach_of(three v, three d, quad most)
{
    quad q = d.x[0] * d.x[0] - tangential(d, d), b = v.x[0] * d.x[0] - tangential(v, d), c = determinant(v);
    quad discriminant = b * b - q * c, reach = most, zero = all(0.0);
    reach = quad_choose(d.x[0] < zero, smaller(-v.x[0] / d.x[0], reach), reach);
    quad root = quad_root(quad_larger(discriminant, zero)), p = -(b + quad_choose(b >= zero, root, -root));
    quad first = quad_choose(q != zero, p / q, most), second = quad_choose(p != zero, c / p, most);
    quad both = smaller(quad_choose(first > zero, first, most), quad_choose(second > zero, second, most));
    return quad_choose(discriminant >= zero, smaller(both, reach), reach);
}

TN_QUAD_INLINE void reach_body(const tn_cones *c, const double *dx, const double *dy, double *reach)
{
    quad most = all(*reach), least = most;
    for (int m = 0; m < c->n; m += LANES) {
        quad x = reach_of(load(c->x, m, c->n), load(dx, m, c->n), most);
        quad y = reach_of(load(c->y, m, c->n), load(dy, m, c->n), most);
        least = smaller(smaller(x, y), least);
    }
    for (int i = 0; i < LANES; i++) {
        *reach = least[i] < *reach ? least[i] : *reach;
    }
}

TN_QUAD_INLINE void second_order_body(const tn_cones *c, const double *dx, const double *dy, double *extra)
{
    for (int m = 0; m < c->n; m += LANES) {
        scaling s = load_scaling(c, m);
        three a = transform_back(&s, load(dx, m, c->n)), b = transform(&s, load(dy, m, c->n));
        store(extra, m, c->n, scaled(all(-1.0), product(a, b)));
    }
}

// From an eigenvalue of x o y to the nearest that is well centred, by at most -spread target.
TN_QUAD_INLINE quad towards_centre(quad value, const tn_cones_outliers *h)
{
    quad low = all(h->target / h->spread), high = all(h->spread * h->target);
    return quad_larger(smaller(quad_larger(value, low), high) - value, -high);
}

TN_QUAD_INLINE void outliers_body(const tn_cones *c, const tn_cones_outliers *h, const double *dx, const double *dy,
                                  double *extra)
{
    for (int m = 0; m < c->n; m += LANES) {
        scaling s = load_scaling(c, m);
        three l = load(c->l, m, c->n), old = load(extra, m, c->n);
        three a = sum(l, scaled(all(h->reach), transform_back(&s, load(dx, m, c->n))));
        three b = sum(l, scaled(all(h->reach), transform(&s, load(dy, m, c->n))));
        three p = product(a, b);
        quad t = quad_root(tangential(p, p)), zero = all(0.0);
        quad large = towards_centre(p.x[0] + t, h), small = towards_centre(p.x[0] - t, h);
        quad along = quad_choose(t > zero, 0.5 * (large - small) / t, zero);
        three more = {{0.5 * (large + small), along * p.x[1], along * p.x[2]}};
        store(extra, m, c->n, sum(old, more));
    }
}

TN_VARIANTS(scale, (const tn_cones *c, double *C), (c, C))
TN_VARIANTS(aim, (const tn_cones *c, const aim *a), (c, a))
TN_VARIANTS(follow, (const tn_cones *c, const change *h), (c, h))
TN_VARIANTS(refine, (const tn_cones *c, const double *u, double *dx, double *dy), (c, u, dx, dy))
TN_VARIANTS(reach, (const tn_cones *c, const double *dx, const double *dy, double *reach), (c, dx, dy, reach))
TN_VARIANTS(second_order, (const tn_cones *c, const double *dx, const double *dy, double *extra), (c, dx, dy, extra))
TN_VARIANTS(outliers,
            (const tn_cones *c, const tn_cones_outliers *h, const double *dx, const double *dy, double *extra),
            (c, h, dx, dy, extra))

void tn_cones_scale(const tn_cones *cones, double *C)
{
    TN_BEST(scale)(cones, C);
}

void tn_cones_aim(const tn_cones *cones, double target, const double *extra, const double *off, double *centring,
                  double *push)
{
    aim a = {.target = target, .extra = extra, .off = off, .centring = centring, .push = push};
    TN_BEST(aim)(cones, &a);
}

void tn_cones_follow(const tn_cones *cones, const double *centring, const double *off, double *dx, double *dy)
{
    change h = {.centring = centring, .off = off, .dx = dx, .dy = dy};
    TN_BEST(follow)(cones, &h);
}

void tn_cones_refine(const tn_cones *cones, const double *u, double *dx, double *dy)
{
    TN_BEST(refine)(cones, u, dx, dy);
}

double tn_cones_reach(const tn_cones *cones, const double *dx, const double *dy, double most)
{
    double reach = most;
    TN_BEST(reach)(cones, dx, dy, &reach);
    return reach;
}

void tn_cones_second_order(const tn_cones *cones, const double *dx, const double *dy, double *extra)
{
    TN_BEST(second_order)(cones, dx, dy, extra);
}

void tn_cones_add_outliers(const tn_cones *cones, const tn_cones_outliers *how, const double *dx, const double *dy,
                           double *extra)
{
    TN_BEST(outliers)(cones, how, dx, dy, extra);
}
