#include "problem/certificate_cone.h"

#include <math.h>

enum { NEWTON_CAP = 60 };

// (f_i / mu_i)^2 with 0/0 = 0 and f_i/0 = infinity.
static double squared_quotient(double f, double mu)
{
    if (mu > 0.0) {
        return f / mu * (f / mu);
    }
    return f == 0.0 ? 0.0 : HUGE_VAL;
}

double tn_certificate_shift(const double mu[2], const double u[3])
{
    double a = mu[0] * u[1];
    double b = mu[1] * u[2];
    return sqrt(a * a + b * b);
}

double tn_certificate_cone_excess(const double mu[2], const double f[3])
{
    double t = sqrt(f[1] * f[1] + f[2] * f[2]);
    if (mu[0] == mu[1]) {
        return t - mu[0] * f[0];
    }
    if (mu[0] == 0.0 || mu[1] == 0.0) { // the ellipse is a segment
        double across = fabs(mu[0] == 0.0 ? f[1] : f[2]);
        double along = mu[0] == 0.0 ? fabs(f[2]) - mu[1] * f[0] : fabs(f[1]) - mu[0] * f[0];
        return across > along ? across : along + 0.0 * across;
    }
    // Along f_t the ellipse of f_n reaches t f_n / quotient.
    double quotient = sqrt(squared_quotient(f[1], mu[0]) + squared_quotient(f[2], mu[1]));
    if (quotient == 0.0) {
        return -fmin(mu[0], mu[1]) * f[0];
    }
    return t - t / quotient * f[0];
}

// Nearest point on the surface, for x outside K and outside the polar cone, mu_i > 0. Lagrange: y_i = mu_i^2 y_n x_i /
// d_i with d_i = (1 + mu_i^2) y_n - x_n, so y_n is the root of S = sum (mu_i x_i / d_i)^2 = 1. 1/sqrt(S) is concave and
// nearly linear in y_n (exactly, where mu_1 = mu_2): Newton on it from the left end climbs to the root in a few steps.
// The unknown is z = y_n - max(x_n, 0), because d_i would cancel where mu_i is small.
static void nearest_on_surface(const double mu[2], const double x[3], double y[3])
{
    double base = x[0] > 0.0 ? x[0] : 0.0;
    double z = 0.0;
    double c[2], d0[2]; // d_i = d0_i + c_i z
    for (int i = 0; i < 2; ++i) {
        c[i] = 1.0 + mu[i] * mu[i];
        d0[i] = x[0] > 0.0 ? mu[i] * mu[i] * x[0] : -x[0];
        double bound = (mu[i] * fabs(x[1 + i]) - d0[i]) / c[i]; // where the i-th term alone is 1
        z = bound > z ? bound : z;
    }
    for (int step = 0; step < NEWTON_CAP; ++step) {
        double s = 0.0;
        double slope = 0.0; // -dS/dz / 2
        for (int i = 0; i < 2; ++i) {
            double d = d0[i] + c[i] * z;
            double e = x[1 + i] == 0.0 ? 0.0 : mu[i] * x[1 + i] / d;
            s += e * e;
            slope += e == 0.0 ? 0.0 : e * e * c[i] / d;
        }
        // d/dz S^(-1/2) = S^(-3/2) slope, so the step to S^(-1/2) = 1 is (1 - S^(-1/2)) S^(3/2) / slope.
        double change = (sqrt(s) - 1.0) * s / slope;
        if (!(fabs(change) > 1e-16 * z)) {
            break;
        }
        z += change;
    }
    y[0] = base + z + 0.0 * (x[0] + x[1] + x[2]); // a NaN stays
    for (int i = 0; i < 2; ++i) {
        y[1 + i] = mu[i] * mu[i] * y[0] * x[1 + i] / (d0[i] + c[i] * z);
    }
}

// y = nearest point of the isotropic cone to x; mu = 0 is the ray.
static void nearest_round(double mu, const double x[3], double y[3])
{
    double t = sqrt(x[1] * x[1] + x[2] * x[2]);
    if (mu * t <= -x[0]) { // in the polar cone
        y[0] = y[1] = y[2] = 0.0;
    } else if (t <= mu * x[0]) {
        y[0] = x[0];
        y[1] = x[1];
        y[2] = x[2];
    } else {
        y[0] = (x[0] + mu * t) / (1.0 + mu * mu);
        double share = mu * y[0] / t;
        y[1] = share * x[1];
        y[2] = share * x[2];
    }
}

// y = nearest point of K to x.
static void nearest(const double mu[2], const double x[3], double y[3])
{
    if (mu[0] == mu[1]) {
        nearest_round(mu[0], x, y);
        return;
    }
    if (mu[0] == 0.0 || mu[1] == 0.0) { // K is flat: first drop at right angles into its plane; a NaN stays
        int flat = mu[0] == 0.0 ? 1 : 2;
        double dropped[3] = {x[0] + 0.0 * x[flat], x[1], x[2]};
        dropped[flat] *= 0.0;
        nearest_round(mu[0] + mu[1], dropped, y);
        return;
    }
    double quotient2 = squared_quotient(x[1], mu[0]) + squared_quotient(x[2], mu[1]);
    if (tn_certificate_shift(mu, x) <= -x[0]) { // in the polar cone
        y[0] = y[1] = y[2] = 0.0;
    } else if (x[0] >= 0.0 && quotient2 <= x[0] * x[0]) {
        y[0] = x[0];
        y[1] = x[1];
        y[2] = x[2];
    } else {
        nearest_on_surface(mu, x, y);
    }
}

void tn_certificate_conic_residual(const double mu[2], double s, const double f[3], const double w[3], double out[3])
{
    double x[3] = {f[0] - s * w[0], f[1] - s * w[1], f[2] - s * w[2]};
    double y[3];
    nearest(mu, x, y);
    for (int i = 0; i < 3; ++i) {
        out[i] = f[i] - y[i];
    }
}

double tn_certificate_squared_residual(tn_law law, const double mu[2], double s, const double f[3], const double u[3])
{
    static const double none[2] = {0.0, 0.0};
    double out[3], w[3] = {u[0], u[1], u[2]};
    if (law == TN_LAW_COULOMB) {
        w[0] += tn_certificate_shift(mu, u);
    }
    if (law == TN_LAW_FRICTIONLESS) {
        w[1] *= 0.0; // not = 0: a NaN must stay
        w[2] *= 0.0;
    }
    tn_certificate_conic_residual(law == TN_LAW_FRICTIONLESS ? none : mu, s, f, w, out);
    return out[0] * out[0] + out[1] * out[1] + out[2] * out[2];
}
