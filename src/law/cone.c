#include "law/cone.h"

#include "base/assert.h"
#include "law/ellipse.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// sqrt, not hypot: sqrt is correctly rounded by IEEE 754, so all platforms agree on the last bit.
static double tangent_norm(const double v[3])
{
    return sqrt(v[1] * v[1] + v[2] * v[2]);
}

tn_cone_region tn_cone_project(double mu, double f[3])
{
    TN_ASSERT(mu >= 0.0);
    double n = f[0];
    double t = tangent_norm(f);

    // The polar cone comes first: with mu = 0 and n < 0 the test for inside, t <= mu n, reads
    // 0 <= -0.0, which is true.
    if (mu * t <= -n) {
        f[0] = f[1] = f[2] = 0.0;
        return TN_CONE_APART;
    }
    if (t <= mu * n) {
        return TN_CONE_STICK;
    }
    // Here t > 0. Drop (n, t) at right angles onto the edge (1, mu).
    f[0] = (n + mu * t) / (1.0 + mu * mu);
    f[1] *= mu * f[0] / t;
    f[2] *= mu * f[0] / t;
    return TN_CONE_SLIDE;
}

void tn_cone_natural(bool associated, double mu, double rho, const double f[3], const double u[3], double out[3])
{
    double shift = associated ? 0.0 : mu * tangent_norm(u);
    double z[3] = {f[0] - rho * (u[0] + shift), f[1] - rho * u[1], f[2] - rho * u[2]}, t = tangent_norm(z);
    if (mu * t <= -z[0]) {
        tn_vec3_copy(out, f);
    } else if (t <= mu * z[0]) {
        tn_vec3_sub(out, f, z);
    } else { // NaN as well
        double push = z[0] + mu * t, all = 1.0 + mu * mu, n = push / all, share = mu * push / (all * t);
        tn_vec3_set(out, f[0] - n, f[1] - share * z[1], f[2] - share * z[2]);
    }
}

tn_cone_region tn_cone_proximal(const double mu[2], double f[3])
{
    return mu[0] == mu[1] ? tn_cone_project(mu[0], f) : tn_ellipse_cone_project(mu, f);
}

// Nearest point of the disc; returns whether t was inside.
static bool disc_project(double radius, double t[2])
{
    double length = sqrt(t[0] * t[0] + t[1] * t[1]);
    if (length <= radius) {
        return true;
    }
    t[0] *= radius / length;
    t[1] *= radius / length;
    return false;
}

tn_cone_region tn_cone_strict(const double mu[2], double f[3])
{
    TN_ASSERT(mu[0] >= 0.0 && mu[1] >= 0.0);
    if (f[0] <= 0.0) {
        return tn_cone_frictionless(f);
    }
    const double radius[2] = {mu[0] * f[0], mu[1] * f[0]};
    bool inside = mu[0] == mu[1] ? disc_project(radius[0], f + 1) : tn_ellipse_project(radius, f + 1);
    return inside ? TN_CONE_STICK : TN_CONE_SLIDE;
}

tn_cone_region tn_cone_frictionless(double f[3])
{
    bool apart = f[0] <= 0.0;
    f[0] = apart ? 0.0 : f[0];
    f[1] = isnan(f[1]) ? f[1] : 0.0;
    f[2] = isnan(f[2]) ? f[2] : 0.0;
    return apart ? TN_CONE_APART : TN_CONE_STICK;
}

static void map_strict(double mu, double z[3], double slope[9])
{
    memset(slope, 0, 9 * sizeof *slope);
    if (z[0] <= 0.0) {
        z[0] = z[1] = z[2] = 0.0;
        return;
    }
    slope[0] = 1.0;
    double radius = mu * z[0], length = sqrt(z[1] * z[1] + z[2] * z[2]);
    if (length <= radius) {
        slope[4] = slope[8] = 1.0;
        return;
    }
    double d[2] = {z[1] / length, z[2] / length}, ratio = radius / length;
    for (int i = 0; i < 2; ++i) {
        slope[3 * (i + 1)] = mu * d[i];
        for (int j = 0; j < 2; ++j) {
            slope[3 * (i + 1) + j + 1] = ratio * ((i == j) - d[i] * d[j]);
        }
        z[i + 1] = radius * d[i];
    }
}

static void map_convex(double mu, double z[3], double slope[9])
{
    memset(slope, 0, 9 * sizeof *slope);
    double n = z[0], length = sqrt(z[1] * z[1] + z[2] * z[2]);
    if (mu * length <= -n) {
        z[0] = z[1] = z[2] = 0.0;
        return;
    }
    if (length <= mu * n) {
        slope[0] = slope[4] = slope[8] = 1.0;
        return;
    }
    // p = s (1, mu d) with s = (n + mu |z_t|) / (1 + mu^2).
    double k = 1.0 / (1.0 + mu * mu), s = (n + mu * length) * k;
    double d[3] = {1.0, z[1] / length, z[2] / length};
    double p[3] = {1.0, mu * d[1], mu * d[2]};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            slope[3 * i + j] = k * p[i] * p[j];
            if (i > 0 && j > 0) {
                slope[3 * i + j] += mu * s / length * ((i == j) - d[i] * d[j]);
            }
        }
    }
    z[0] = s;
    z[1] = s * p[1];
    z[2] = s * p[2];
}

void tn_cone_map(bool associated, double mu, double f[3], double slope[9])
{
    (associated ? map_convex : map_strict)(mu, f, slope);
}
