#include "law/ellipse.h"

#include "base/assert.h"

#include <float.h>
#include <math.h>

// With g and d > 0 (2 each), w_i(s) = g_i / (d_i + s) and M(s) = 1 / |w(s)|, the equation
//     alpha - beta s - gamma M(s) = 0,
// which has one root in [low, high], positive on its left and negative on its right. M is nearly linear (exactly,
// where d_1 = d_2), so Newton's method on this form needs few steps: Moré, Sorensen 1983, for trust regions.
typedef struct secular {
    double d[2], g[2];
    double alpha, beta, gamma;
} secular;

// Value and slope at s; noise is the size of the value's rounding error.
static double secular_value(const secular *q, double s, double *slope, double *noise)
{
    double a = q->d[0] + s, b = q->d[1] + s;
    double w1 = q->g[0] / a, w2 = q->g[1] / b;
    double ww = w1 * w1 + w2 * w2;
    double m = 1.0 / sqrt(ww);
    *slope = -q->beta - q->gamma * (w1 * w1 / a + w2 * w2 / b) / ww * m; // M' = (sum w^2 / (d + s)) / |w|^3
    *noise = DBL_EPSILON * (fabs(q->alpha) + fabs(q->beta * s) + fabs(q->gamma * m));
    return q->alpha - q->beta * s - q->gamma * m;
}

static double secular_root(const secular *q, double low, double high)
{
    enum { MAX_STEPS = 100 }; // 2 on average; 14 was the worst of 150000 random cases with coefficients 1e-6 to 1e6
    // M is concave: from this end Newton's points come monotonically to the root, but for rounding.
    double s = q->gamma > 0.0 ? low : high;
    // A hair of room, for a root at the end itself (d_1 = d_2).
    low *= 1.0 - 4.0 * DBL_EPSILON;
    high *= 1.0 + 4.0 * DBL_EPSILON;
    for (int step = 0; step < MAX_STEPS; step++) {
        double slope, noise, value = secular_value(q, s, &slope, &noise);
        if (!(fabs(value) > noise)) { // a NaN ends here, too
            break;
        }
        low = value > 0.0 ? s : low;
        high = value < 0.0 ? s : high;
        double next = s - value / slope;
        next = next > low && next < high ? next : low + 0.5 * (high - low);
        if (next == s) {
            break;
        }
        s = next;
    }
    return s;
}

static double norm2(double a, double b)
{
    return sqrt(a * a + b * b);
}

static double zero_unless_nan(double x)
{
    return isnan(x) ? x : 0.0;
}

// The farthest point of the ellipse in direction t: what the nearest point to t becomes when t is far away.
static void support(const double r[2], double t[2])
{
    double scale = fmax(fabs(t[0]), fabs(t[1])), largest = fmax(r[0], r[1]);
    double g1 = r[0] / largest * (t[0] / scale), g2 = r[1] / largest * (t[1] / scale);
    double length = norm2(g1, g2);
    t[0] = r[0] * (g1 / length);
    t[1] = r[1] * (g2 / length);
}

bool tn_ellipse_project(const double radius[2], double t[2])
{
    TN_ASSERT(!(radius[0] < 0.0) && !(radius[1] < 0.0));
    const double flat = 1e-100, far = 1e-20; // ratios, small against rounding
    double largest = fmax(radius[0], radius[1]);
    // A segment, or a point.
    for (int i = 0; i < 2; i++) {
        if (radius[i] <= flat * largest) {
            double a = fmin(fmax(t[1 - i], -radius[1 - i]), radius[1 - i]);
            bool inside = t[i] == 0.0 && a == t[1 - i];
            t[i] = zero_unless_nan(t[i]);
            t[1 - i] = isnan(t[1 - i]) ? t[1 - i] : a;
            return inside;
        }
    }
    if (norm2(t[0] / radius[0], t[1] / radius[1]) <= 1.0) {
        return true;
    }
    double distance = fmax(fabs(t[0]), fabs(t[1]));
    if (largest <= far * distance) {
        support(radius, t);
        return false;
    }
    // The nearest point is p_i = r_i^2 t_i / (r_i^2 + s) with sum (p_i / r_i)^2 = 1. Lengths in units of the largest
    // radius. Since each |w_i| <= 1 at the root, s >= |g_i| - d_i.
    double r1 = radius[0] / largest, r2 = radius[1] / largest;
    secular q = {.d = {r1 * r1, r2 * r2}, .g = {r1 * (t[0] / largest), r2 * (t[1] / largest)}};
    q.alpha = q.gamma = 1.0;
    double g = norm2(q.g[0], q.g[1]);
    double low = fmax(fmax(fabs(q.g[0]) - q.d[0], fabs(q.g[1]) - q.d[1]), 0.0);
    double s = secular_root(&q, low, fmax(g - fmin(q.d[0], q.d[1]), low));
    t[0] *= q.d[0] / (q.d[0] + s);
    t[1] *= q.d[1] / (q.d[1] + s);
    return false;
}

// The cone of a friction that is zero along tangent i + 1: first onto the plane f_i = 0, which holds the cone.
static tn_cone_region flat_cone_project(const double mu[2], int i, double f[3])
{
    bool moved = f[1 + i] != 0.0;
    f[1 + i] = zero_unless_nan(f[1 + i]);
    tn_cone_region region = tn_cone_project(mu[1 - i], f);
    return region == TN_CONE_STICK && moved ? TN_CONE_SLIDE : region;
}

tn_cone_region tn_ellipse_cone_project(const double mu[2], double f[3])
{
    TN_ASSERT(mu[0] >= 0.0 && mu[1] >= 0.0);
    const double flat = 1e-100; // its square is still a number
    for (int i = 0; i < 2; i++) {
        if (mu[i] <= flat) {
            return flat_cone_project(mu, i, f);
        }
    }
    // In units of the largest component, so that no square overflows or vanishes. The polar cone first, as in cone.c.
    double scale = fmax(fabs(f[0]), fmax(fabs(f[1]), fabs(f[2])));
    scale = scale > 0.0 ? scale : 1.0;
    double n = f[0] / scale, t1 = f[1] / scale, t2 = f[2] / scale;
    double g = norm2(mu[0] * t1, mu[1] * t2);
    if (g <= -n) {
        f[0] = f[1] = f[2] = 0.0;
        return TN_CONE_APART;
    }
    if (norm2(t1 / mu[0], t2 / mu[1]) <= n) {
        return TN_CONE_STICK;
    }
    // x_i = mu_i^2 t_i / (mu_i^2 + s) and x_n (1 - s) = n with x_n = |w(s)|. Between the round cones of both
    // coefficients lies the root: s = (g - n c) / (g + n) at the one whose c = mu^2.
    secular q = {.d = {mu[0] * mu[0], mu[1] * mu[1]}, .g = {mu[0] * t1, mu[1] * t2}};
    q.alpha = q.beta = 1.0;
    q.gamma = n;
    double s1 = (g - n * q.d[0]) / (g + n), s2 = (g - n * q.d[1]) / (g + n);
    double s = secular_root(&q, fmax(fmin(s1, s2), 0.0), fmax(s1, s2));
    f[0] = scale * norm2(q.g[0] / (q.d[0] + s), q.g[1] / (q.d[1] + s));
    f[1] *= q.d[0] / (q.d[0] + s);
    f[2] *= q.d[1] / (q.d[1] + s);
    return TN_CONE_SLIDE;
}
