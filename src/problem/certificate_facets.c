#include "problem/certificate_facets.h"

#include "math/vec3.h"
#include "problem/certificate_cone.h"

#include <math.h>

static void ray(const tn_certificate_facets *cone, int i, double r[3])
{
    double angle = 6.283185307179586476925286766559 * (i % cone->n) / cone->n;
    bool across = (4 * (i % cone->n)) % (2 * cone->n) == cone->n; // cos would be 6e-17
    r[0] = 1.0;
    r[1] = across ? 0.0 : cone->mu[0] * cos(angle);
    r[2] = cone->n == 2 ? 0.0 : cone->mu[1] * sin(angle);
}

double tn_certificate_facets_shift(const tn_certificate_facets *cone, const double u[3])
{
    double most = 0.0 * (u[1] + u[2]); // a NaN stays
    for (int i = 0; i < cone->n; ++i) {
        double r[3], along;
        ray(cone, i, r);
        along = -r[1] * u[1] - r[2] * u[2];
        most = along > most ? along : most;
    }
    return most;
}

static bool is_flat(const tn_certificate_facets *cone)
{
    return cone->n == 2 || cone->mu[0] == 0.0 || cone->mu[1] == 0.0;
}

double tn_certificate_facets_excess(const tn_certificate_facets *cone, const double f[3])
{
    double most = -HUGE_VAL, largest = 0.0;
    if (is_flat(cone)) {
        double reach[2] = {0.0, 0.0};
        for (int i = 0; i < cone->n; ++i) {
            double r[3];
            ray(cone, i, r);
            reach[0] = fabs(r[1]) > reach[0] ? fabs(r[1]) : reach[0];
            reach[1] = fabs(r[2]) > reach[1] ? fabs(r[2]) : reach[1];
        }
        double a = fabs(f[1]) - reach[0] * f[0], b = fabs(f[2]) - reach[1] * f[0];
        return a > b || isnan(a) ? a : b;
    }
    // The polygon's gauge: each edge's normal against the corner's part.
    for (int i = 0; i < cone->n; ++i) {
        double a[3], b[3];
        ray(cone, i, a);
        ray(cone, i + 1, b);
        double normal[2] = {b[2] - a[2], a[1] - b[1]};
        double gauge = (normal[0] * f[1] + normal[1] * f[2]) / (normal[0] * a[1] + normal[1] * a[2]);
        most = gauge > most || isnan(gauge) ? gauge : most;
    }
    largest = cone->mu[0] > cone->mu[1] ? cone->mu[0] : cone->mu[1];
    return largest * (most - f[0]);
}

// y = nearest point to x on the ray along r.
static void nearest_on_ray(const double r[3], const double x[3], double y[3])
{
    double share = tn_vec3_dot(r, x) / tn_vec3_dot(r, r);
    tn_vec3_scale(y, share < 0.0 ? 0.0 : share, r); // a NaN stays
}

static double distance2(const double x[3], const double y[3])
{
    double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    return tn_vec3_dot(d, d);
}

// y = nearest point to x of the plane cone between a and b; false: it is on one of these rays.
static bool nearest_between(const double a[3], const double b[3], const double x[3], double y[3])
{
    double aa = tn_vec3_dot(a, a), ab = tn_vec3_dot(a, b), bb = tn_vec3_dot(b, b);
    double ax = tn_vec3_dot(a, x), bx = tn_vec3_dot(b, x), det = aa * bb - ab * ab;
    double p = ax * bb - bx * ab, q = bx * aa - ax * ab;
    if (!(det > 1e-14 * aa * bb) || !(p >= 0.0 && q >= 0.0)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        y[i] = (p * a[i] + q * b[i]) / det;
    }
    return true;
}

static bool is_inside(const tn_certificate_facets *cone, const double x[3])
{
    for (int i = 0; i < cone->n; ++i) {
        double a[3], b[3], normal[3];
        ray(cone, i, a);
        ray(cone, i + 1, b);
        tn_vec3_cross(normal, a, b);
        if (!(tn_vec3_dot(normal, x) >= 0.0)) {
            return false;
        }
    }
    return true;
}

static void nearest(const tn_certificate_facets *cone, const double x[3], double y[3])
{
    if (!is_flat(cone) && is_inside(cone, x)) {
        tn_vec3_copy(y, x);
        return;
    }
    // The apex, else the best of all rays and faces.
    double bad = 0.0 * (x[0] + x[1] + x[2]), best = tn_vec3_dot(x, x);
    tn_vec3_set(y, bad, bad, bad);
    for (int i = 0; i < cone->n; ++i) {
        double a[3], b[3], z[3];
        ray(cone, i, a);
        ray(cone, i + 1, b);
        if (!nearest_between(a, b, x, z)) {
            nearest_on_ray(a, x, z);
        }
        double d = distance2(x, z);
        if (d < best) {
            best = d;
            tn_vec3_copy(y, z);
        }
    }
}

double tn_certificate_facets_residual(const tn_certificate_facets *cone, tn_law law, double s, const double f[3],
                                      const double u[3])
{
    if (law == TN_LAW_FRICTIONLESS || (cone->mu[0] == 0.0 && cone->mu[1] == 0.0)) {
        static const double none[2] = {0.0, 0.0};
        return tn_certificate_squared_residual(law, none, s, f, u);
    }
    double shift = law == TN_LAW_COULOMB ? tn_certificate_facets_shift(cone, u) : 0.0, y[3];
    double x[3] = {f[0] - s * (u[0] + shift), f[1] - s * u[1], f[2] - s * u[2]};
    nearest(cone, x, y);
    return distance2(f, y);
}
