// One contact solved exactly by enumeration: open, stick, slide. Sliding leaves one unknown, the ratio x = |u_t| /
// |r_t|, found by a bracketed Newton iteration; the convex law has the normal force around it.
#include "law/cone.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NEWTON_CAP = 60, OUTER_CAP = 100 };

// The sliding problem in the plane of the tangents: (S + x I) t = -b, x >= 0, |t| = radius(x).
typedef struct plane {
    double S[4];
    double b[2];
    double trace; // of the absolute values, scale of S
    double noise; // rounding of S
    double size;  // of the terms that make up b
} plane;

// A determinant so small for the square of its trace is rounding.
static const double SINGULAR = 1e-15;
// A determinant so large for the traces of S and of W's tangents is no rounding.
static const double REGULAR = 1e-12;
// Of a sum, for the size of its terms.
static const double ROUNDING = 4.0 * DBL_EPSILON;

static double norm2(const double t[2])
{
    return sqrt(t[0] * t[0] + t[1] * t[1]);
}

// The largest determinant of S + x I that rounding makes.
static double least_determinant(const plane *p, double x)
{
    double scale = p->trace + x;
    double relative = SINGULAR * scale;
    return scale * (relative > p->noise ? relative : p->noise);
}

// y = -(S + x I)^-1 a. At x = 0 a singular S takes the least norm solution, if a lies in its range.
static bool plane_solve(const plane *p, double x, const double a[2], double y[2])
{
    double s0 = p->S[0] + x, s3 = p->S[3] + x;
    double determinant = s0 * s3 - p->S[1] * p->S[2];
    if (determinant > least_determinant(p, x)) {
        y[0] = -(s3 * a[0] - p->S[1] * a[1]) / determinant;
        y[1] = -(s0 * a[1] - p->S[2] * a[0]) / determinant;
        return true;
    }
    // Rank one: the pseudoinverse is S^T / |S|_F^2.
    double f2 = s0 * s0 + s3 * s3 + p->S[1] * p->S[1] + p->S[2] * p->S[2];
    y[0] = y[1] = 0.0;
    if (f2 > 0.0) {
        y[0] = -(s0 * a[0] + p->S[2] * a[1]) / f2;
        y[1] = -(p->S[1] * a[0] + s3 * a[1]) / f2;
    }
    double e[2] = {s0 * y[0] + p->S[1] * y[1] + a[0], p->S[2] * y[0] + s3 * y[1] + a[1]};
    return norm2(e) <= 4.0 * (ROUNDING * p->size + p->noise * norm2(y));
}

// Root of an increasing-at-the-bracket function by Newton, halving when a step leaves the bracket.
// value(context, x, &slope) < 0 at 0 is the caller's business; returns x, or -1 when no sign change is found.
// A sign change where the value stays above POLE is a pole, which only an indefinite S has.
static const double POLE = 1e-6;
// A relative step of Newton's method after which another would be one of rounding: the error is squared.
static const double NEAR = 1e-8;

typedef double (*scalar_function)(const void *context, double x, double *slope);

static double bracketed_root(scalar_function value, const void *context, double low, double first, double scale)
{
    double high = HUGE_VAL, x = first, slope;
    double doubled = scale;
    for (int i = 0; i < NEWTON_CAP; ++i) {
        double f = value(context, x, &slope);
        if (fabs(f) <= 4e-16) {
            return x;
        }
        if (high < HUGE_VAL && high - low <= 4e-16 * high) {
            return fabs(f) <= POLE ? x : -1.0;
        }
        if (f < 0.0) {
            low = x;
        } else {
            high = x;
        }
        double next = x - f / slope;
        if (next > low && next < high) {
            if (fabs(next - x) <= NEAR * next && fabs(f) <= POLE) {
                return next;
            }
        } else {
            if (high < HUGE_VAL) {
                next = 0.5 * (low + high);
            } else {
                // No upper end yet: leave in growing strides.
                next = low + doubled;
                doubled *= 16.0;
            }
        }
        if (fabs(next - x) <= 2e-16 * fabs(x)) {
            return fabs(f) <= POLE ? next : -1.0;
        }
        if (!(next < 1e200)) {
            return -1.0;
        }
        x = next;
    }
    return high < HUGE_VAL ? x : -1.0;
}

static void on_boundary(double mu, double n, const double t[2], double r[3])
{
    double length = norm2(t);
    r[0] = n > 0.0 ? n : 0.0;
    double factor = length > 0.0 ? mu * r[0] / length : 0.0;
    r[1] = factor * t[0];
    r[2] = factor * t[1];
}

// Strict law, u_n = 0: n(x) = n0 - g . t(x), and mu n = |t| while sliding. With c = adj(S) b and d(x) = det(S + x I),
// t = -(c + x b) / d, so |t| d is the root of a quadratic Q and mu n d a quadratic P: mu n / |t| - 1 = P / sqrt(Q) - 1,
// close to linear in x, costs one root and one division. Sticking is x = 0 with Q <= P^2.
typedef struct strict_slide {
    plane plane;
    double mu, n0, g[2]; // -q_n / W_nn, W_nt / W_nn
    double c[2], determinant;
    double p[3], q[3]; // coefficients of 1, x, x^2
} strict_slide;

// What is zero but for rounding becomes zero: of a W whose rank is one S, of one whose rank is two the determinant, and
// c where b lies in the range of S.
static void remove_rounding(const double W[9], const double q[3], strict_slide *s, double *determinant, double *c0,
                            double *c1)
{
    plane *p = &s->plane;
    p->noise = ROUNDING * (fabs(W[4]) + fabs(W[8]) + fabs(W[3] * s->g[0]) + fabs(W[6] * s->g[1]));
    p->size = fabs(q[1]) + fabs(q[2]) + (fabs(W[3]) + fabs(W[6])) * fabs(s->n0);
    if (p->trace <= p->noise) {
        memset(p->S, 0, sizeof p->S);
        p->trace = *determinant = *c0 = *c1 = 0.0;
    }
    if (fabs(*determinant) > least_determinant(p, 0.0)) {
        return;
    }
    *determinant = 0.0;
    if (fabs(*c0) + fabs(*c1) <= 4.0 * (p->noise * norm2(p->b) + ROUNDING * p->trace * p->size)) {
        *c0 = *c1 = 0.0;
    }
}

static void make_slide(double mu, const double W[9], const double q[3], strict_slide *s)
{
    double w = 1.0 / W[0], n0 = -q[0] * w, g0 = W[1] * w, g1 = W[2] * w;
    double S0 = W[4] - W[3] * g0, S1 = W[5] - W[3] * g1, S2 = W[7] - W[6] * g0, S3 = W[8] - W[6] * g1;
    double b0 = q[1] + W[3] * n0, b1 = q[2] + W[6] * n0;
    double trace = fabs(S0) + fabs(S3), determinant = S0 * S3 - S1 * S2;
    *s = (strict_slide){
        .plane = {.S = {S0, S1, S2, S3}, .b = {b0, b1}, .trace = trace}, .mu = mu, .n0 = n0, .g = {g0, g1}};
    double c0 = S3 * b0 - S1 * b1, c1 = S0 * b1 - S2 * b0;
    if (!(determinant > REGULAR * trace * (fabs(W[4]) + fabs(W[8])))) {
        remove_rounding(W, q, s, &determinant, &c0, &c1);
    }
    s->c[0] = c0;
    s->c[1] = c1;
    s->determinant = determinant;
    s->p[0] = mu * (n0 * determinant + g0 * c0 + g1 * c1);
    s->p[1] = mu * (n0 * (s->plane.S[0] + s->plane.S[3]) + g0 * b0 + g1 * b1);
    s->p[2] = mu * n0;
    s->q[0] = c0 * c0 + c1 * c1;
    s->q[1] = 2.0 * (c0 * b0 + c1 * b1);
    s->q[2] = b0 * b0 + b1 * b1;
}

static double strict_slide_value(const void *context, double x, double *slope)
{
    const strict_slide *s = context;
    double P = s->p[0] + x * (s->p[1] + x * s->p[2]), Q = s->q[0] + x * (s->q[1] + x * s->q[2]);
    if (!(Q > 0.0)) { // a singular S at x = 0, where sticking was tried
        *slope = 0.0;
        return -1.0;
    }
    double inverse = 1.0 / Q, shrink = sqrt(Q) * inverse; // 1 / sqrt(Q)
    *slope = shrink * (s->p[1] + 2.0 * x * s->p[2] - 0.5 * P * inverse * (s->q[1] + 2.0 * x * s->q[2]));
    return P * shrink - 1.0;
}

// A singular S whose range does not hold b: P > sqrt(Q) at both ends, and the roots lie on the sides of the minimum in
// between, where the cubic (P / sqrt(Q))' Q^(3/2) has its largest root: Newton's method from beyond comes down to it.
static double singular_start(const strict_slide *s)
{
    const double *p = s->p, *q = s->q;
    if (!(p[0] > 0.0 && p[0] * p[0] > q[0])) {
        return 0.0;
    }
    double lead = p[2] * q[2], a = 1.5 * p[2] * q[1] / lead;
    double b = (0.5 * p[1] * q[1] + 2.0 * p[2] * q[0] - p[0] * q[2]) / lead,
           c = (p[1] * q[0] - 0.5 * p[0] * q[1]) / lead;
    double x = fabs(a) + sqrt(fabs(b)) + cbrt(fabs(c)); // Fujiwara's bound needs twice that
    x *= 2.0;
    for (int i = 0; i < NEWTON_CAP; ++i) {
        double next = x - (((x + a) * x + b) * x + c) / ((3.0 * x + 2.0 * a) * x + b);
        if (!(next < x * (1.0 - 1e-12))) {
            break;
        }
        x = next;
    }
    return x > 0.0 ? x : 0.0;
}

static double normal_force(const strict_slide *s, const double t[2])
{
    return s->n0 - s->g[0] * t[0] - s->g[1] * t[1];
}

// Whether u_t = 0 can be had inside the cone.
static bool stick(const strict_slide *s, double r[3])
{
    const plane *p = &s->plane;
    double t[2], inverse;
    if (s->determinant > least_determinant(p, 0.0)) {
        if (s->p[0] < 0.0 || s->q[0] > s->p[0] * s->p[0]) {
            return false;
        }
        inverse = -1.0 / s->determinant;
        t[0] = inverse * s->c[0];
        t[1] = inverse * s->c[1];
    } else if (!plane_solve(p, 0.0, p->b, t) || !(norm2(t) <= s->mu * normal_force(s, t))) {
        return false;
    }
    tn_vec3_set(r, normal_force(s, t), t[0], t[1]);
    return true;
}

// The forces at x; false where t does not solve (S + x I) t = -b in numbers: next to a pole.
static bool slide(const strict_slide *s, double x, double r[3])
{
    const plane *p = &s->plane;
    const double *S = p->S, *b = p->b;
    double determinant = (S[0] + x) * (S[3] + x) - S[1] * S[2], t[2];
    if (determinant > least_determinant(p, x)) {
        double inverse = -1.0 / determinant;
        t[0] = inverse * (s->c[0] + x * b[0]);
        t[1] = inverse * (s->c[1] + x * b[1]);
    } else if (!plane_solve(p, x, b, t)) {
        return false;
    }
    double e[2] = {(S[0] + x) * t[0] + S[1] * t[1] + b[0], S[2] * t[0] + (S[3] + x) * t[1] + b[1]};
    on_boundary(s->mu, normal_force(s, t), t, r);
    return r[0] > 0.0 && e[0] * e[0] + e[1] * e[1] <= POLE * POLE * s->q[2];
}

static tn_local_state solve_strict(double mu, const double W[9], const double q[3], double r[3])
{
    if (q[0] >= 0.0) {
        r[0] = r[1] = r[2] = 0.0;
        return TN_LOCAL_OPEN;
    }
    strict_slide s;
    make_slide(mu, W, q, &s);
    if (stick(&s, r)) {
        return TN_LOCAL_STICK;
    }
    // |b| / (mu n0) - trace / 2 is x for a diagonal, even, weakly coupled W.
    double like = sqrt(s.q[2]) / s.p[2], half = 0.5 * s.plane.trace, least = 2e-6 * half;
    double low = singular_start(&s), first = like > half ? like - half : 0.0;
    double x = bracketed_root(strict_slide_value, &s, low, first > low ? first : low, like > least ? like : least);
    return x >= 0.0 && slide(&s, x, r) ? TN_LOCAL_SLIDE : TN_LOCAL_FAILED;
}

// Convex law with the normal force held at n: the nearest tangential force in the disc of radius mu n.
typedef struct disc {
    plane plane;
    double radius;
} disc;

static double disc_value(const void *context, double x, double *slope)
{
    const disc *d = context;
    double t[2], dt[2];
    if (!plane_solve(&d->plane, x, d->plane.b, t)) {
        *slope = 0.0;
        return -1.0;
    }
    plane_solve(&d->plane, x, t, dt);
    double length = norm2(t);
    *slope = -d->radius * (t[0] * dt[0] + t[1] * dt[1]) / (length * length * length);
    return d->radius / length - 1.0;
}

// u_n - mu |u_t| at the best tangential force for n: rises with n, and its zero is the solution on the boundary. noise:
// its rounding.
static double convex_normal(double mu, const double W[9], const double q[3], double n, double t[2], double *noise)
{
    disc d = {.plane = {.S = {W[4], W[5], W[7], W[8]}, .b = {q[1] + W[3] * n, q[2] + W[6] * n}}, .radius = mu * n};
    d.plane.trace = fabs(W[4]) + fabs(W[8]);
    d.plane.noise = ROUNDING * d.plane.trace;
    d.plane.size = fabs(q[1]) + fabs(q[2]) + (fabs(W[3]) + fabs(W[6])) * n;
    double x = 0.0;
    if (!(plane_solve(&d.plane, 0.0, d.plane.b, t) && norm2(t) <= d.radius)) {
        double b = norm2(d.plane.b);
        x = d.radius > 0.0 ? bracketed_root(disc_value, &d, 0.0, 0.0, b / d.radius) : HUGE_VAL;
        if (x < 0.0 || !(x < HUGE_VAL)) {
            t[0] = -d.radius * d.plane.b[0] / b;
            t[1] = -d.radius * d.plane.b[1] / b;
        } else {
            plane_solve(&d.plane, x, d.plane.b, t);
        }
    }
    double u1 = d.plane.b[0] + W[4] * t[0] + W[5] * t[1];
    double u2 = d.plane.b[1] + W[7] * t[0] + W[8] * t[1];
    double u_t = x > 0.0 ? sqrt(u1 * u1 + u2 * u2) : 0.0;
    double couple = fabs(W[1]) + fabs(W[2]), answer = d.plane.trace > 0.0 ? d.plane.size / d.plane.trace : 0.0;
    *noise = ROUNDING * (fabs(q[0]) + W[0] * n + couple * (fabs(t[0]) + fabs(t[1]) + answer) + mu * u_t);
    return q[0] + W[0] * n + W[1] * t[0] + W[2] * t[1] - mu * u_t;
}

static tn_local_state solve_convex(double mu, const double W[9], const double q[3], double r[3])
{
    if (q[0] >= mu * norm2(q + 1)) {
        r[0] = r[1] = r[2] = 0.0;
        return TN_LOCAL_OPEN;
    }
    // Bracket the normal force, then Illinois' regula falsi (superlinear, never leaves the bracket).
    double t[2], noise, low = 0.0, f_low = q[0] - mu * norm2(q + 1);
    double high = (fabs(q[0]) + mu * norm2(q + 1)) / W[0], f_high = 0.0;
    int i = 0;
    for (; i < NEWTON_CAP; ++i) {
        f_high = convex_normal(mu, W, q, high, t, &noise);
        if (f_high >= -noise) { // a singular W may have solutions for any n from some on
            break;
        }
        low = high;
        f_low = f_high;
        high *= 4.0;
    }
    if (i == NEWTON_CAP) {
        return TN_LOCAL_FAILED;
    }
    if (f_high <= noise) { // the loop would creep along what is rounding
        f_high = 0.0;
    }
    int side = 0;
    double n = high, f = f_high, scale = fabs(q[0]) + mu * norm2(q + 1);
    for (i = 0; i < OUTER_CAP && fabs(f) > 4e-16 * scale && high - low > 2e-16 * high; ++i) {
        n = (low * f_high - high * f_low) / (f_high - f_low);
        if (!(n > low && n < high)) {
            n = 0.5 * (low + high);
        }
        f = convex_normal(mu, W, q, n, t, &noise);
        if (f < 0.0) {
            low = n;
            f_low = f;
            f_high *= side < 0 ? 0.5 : 1.0;
            side = -1;
        } else {
            high = n;
            f_high = f;
            f_low *= side > 0 ? 0.5 : 1.0;
            side = 1;
        }
    }
    double length = norm2(t);
    if (length < mu * n * (1.0 - 1e-15)) {
        r[0] = n;
        r[1] = t[0];
        r[2] = t[1];
        return TN_LOCAL_STICK;
    }
    on_boundary(mu, n, t, r);
    return TN_LOCAL_SLIDE;
}

tn_local_state tn_cone_solve(bool associated, const double mu[2], const double W[9], const double q[3], double r[3])
{
    double mu_max = mu[0] > mu[1] ? mu[0] : mu[1];
    if (!(W[0] > 0.0)) {
        r[0] = r[1] = r[2] = 0.0;
        return TN_LOCAL_OPEN;
    }
    if (mu_max == 0.0) {
        r[0] = q[0] < 0.0 ? -q[0] / W[0] : 0.0;
        r[1] = r[2] = 0.0;
        return r[0] > 0.0 ? TN_LOCAL_SLIDE : TN_LOCAL_OPEN;
    }
    if (mu[0] == mu[1]) {
        return associated ? solve_convex(mu_max, W, q, r) : solve_strict(mu_max, W, q, r);
    }
    // An ellipse becomes a disc when the tangents are scaled: with D = diag(1, mu0/mu, mu1/mu), r = D y and D u obey
    // the isotropic law of D W D, D q, for the strict and the convex law alike.
    const double d[3] = {1.0, mu[0] / mu_max, mu[1] / mu_max}, both[2] = {mu_max, mu_max};
    double scaled[9], scaled_q[3];
    for (int i = 0; i < 9; ++i) {
        scaled[i] = d[i / 3] * W[i] * d[i % 3];
    }
    for (int i = 0; i < 3; ++i) {
        scaled_q[i] = d[i] * q[i];
        r[i] = d[i] > 0.0 ? r[i] / d[i] : 0.0;
    }
    tn_local_state state = tn_cone_solve(associated, both, scaled, scaled_q, r);
    r[1] *= d[1];
    r[2] *= d[2];
    return state;
}
