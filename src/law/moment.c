#include "law/moment.h"

#include "law/trust.h"

#include <math.h>
#include <stdbool.h>

enum { ROOT_CAP = 200 };

static void project_disc(double radius, double t[2])
{
    double size = sqrt(t[0] * t[0] + t[1] * t[1]);
    if (size > radius) {
        t[0] *= radius / size;
        t[1] *= radius / size;
    }
}

static double clamp(double x, double limit)
{
    return x > limit ? limit : x < -limit ? -limit : x;
}

void tn_moment_project(const double limit[2], double m[3])
{
    m[0] = clamp(m[0], limit[0]);
    project_disc(limit[1], m + 1);
}

void tn_moment_natural(const double limit[2], double rho, const double m[3], const double w[3], double out[3])
{
    double nearest[3] = {m[0] - rho * w[0], m[1] - rho * w[1], m[2] - rho * w[2]};
    tn_moment_project(limit, nearest);
    for (int i = 0; i < 3; ++i) {
        out[i] = m[i] - nearest[i];
    }
}

// Least of t . S t / 2 + b . t on |t| <= radius, in the axes of S.
static void solve_disc(double radius, const double S[3], const double b[2], double t[2])
{
    double size = sqrt(b[0] * b[0] + b[1] * b[1]);
    if (!(radius > 0.0) || size == 0.0) {
        t[0] = t[1] = 0.0 * size; // a NaN stays
        return;
    }
    double half = 0.5 * (S[0] + S[2]), difference = 0.5 * (S[0] - S[2]);
    double spread = sqrt(difference * difference + S[1] * S[1]);
    double angle = 0.5 * atan2(S[1], difference), cosine = cos(angle), sine = sin(angle);
    double s[2] = {half + spread, fmax(half - spread, 0.0)};
    double c[2] = {cosine * b[0] + sine * b[1], cosine * b[1] - sine * b[0]};
    double y[2];
    tn_trust_solve(2, s, c, radius, y);
    t[0] = cosine * y[0] - sine * y[1];
    t[1] = sine * y[0] + cosine * y[1];
    project_disc(radius, t);
}

static double solve_torsion(double limit, double w, double q)
{
    if (w > 0.0) {
        return clamp(-q / w, limit);
    }
    return q > 0.0 ? -limit : q < 0.0 ? limit : 0.0 * q;
}

// The rolling part for a given torsion; returns the torsional rate, which never falls as the torsion grows.
static double rate(const double limit[2], const double W[9], const double q[3], double torsion, double m[3])
{
    const double S[3] = {W[4], 0.5 * (W[5] + W[7]), W[8]};
    const double couple[2] = {0.5 * (W[1] + W[3]), 0.5 * (W[2] + W[6])};
    const double b[2] = {q[1] + couple[0] * torsion, q[2] + couple[1] * torsion};
    m[0] = torsion;
    solve_disc(limit[1], S, b, m + 1);
    return q[0] + W[0] * torsion + couple[0] * m[1] + couple[1] * m[2];
}

void tn_moment_solve(const double limit[2], const double W[9], const double q[3], double m[3])
{
    bool coupled = W[1] + W[3] != 0.0 || W[2] + W[6] != 0.0;
    if (!(limit[0] > 0.0) || !coupled) {
        rate(limit, W, q, 0.0, m);
        m[0] = limit[0] > 0.0 ? solve_torsion(limit[0], W[0], q[0]) : 0.0;
        return;
    }
    double low = -limit[0], high = limit[0];
    double at_low = rate(limit, W, q, low, m);
    if (!(at_low < 0.0)) {
        return;
    }
    double at_high = rate(limit, W, q, high, m);
    if (!(at_high > 0.0)) {
        return;
    }
    int side = 0; // Illinois: the end that stays twice counts half
    for (int k = 0; k < ROOT_CAP && high - low > 1e-16 * limit[0]; ++k) {
        double middle = low + (high - low) * (at_low / (at_low - at_high));
        double value = rate(limit, W, q, middle, m);
        if (value == 0.0 || middle <= low || middle >= high) {
            return;
        }
        if (value < 0.0) {
            low = middle;
            at_low = value;
            at_high *= side < 0 ? 0.5 : 1.0;
            side = -1;
        } else {
            high = middle;
            at_high = value;
            at_low *= side > 0 ? 0.5 : 1.0;
            side = 1;
        }
    }
}
