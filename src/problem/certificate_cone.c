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

// Normal component of the nearest point on the surface, for x outside K and outside the polar cone. Lagrange: y_i =
// mu_i^2 y_n x_i / ((1 + mu_i^2) y_n - x_n), so y_n is the root of S(y) = sum (mu_i x_i / ((1 + mu_i^2) y - x_n))^2
// = 1. 1/sqrt(S) is nearly linear in y (exactly, where mu_1 = mu_2): Newton on it from the left end converges at once.
static double surface_normal(const double mu[2], const double x[3])
{
    double y = x[0] > 0.0 ? x[0] : 0.0;
    for (int i = 0; i < 2; ++i) {
        double bound = (x[0] + mu[i] * fabs(x[1 + i])) / (1.0 + mu[i] * mu[i]);
        y = bound > y ? bound : y;
    }
    for (int step = 0; step < NEWTON_CAP; ++step) {
        double s = 0.0;
        double slope = 0.0; // -dS/dy / 2
        for (int i = 0; i < 2; ++i) {
            double c = 1.0 + mu[i] * mu[i];
            double d = c * y - x[0];
            if (mu[i] * x[1 + i] != 0.0) {
                double e = mu[i] * x[1 + i] / d;
                s += e * e;
                slope += e * e * c / d;
            }
        }
        // d/dy S^(-1/2) = S^(-3/2) slope, so the step to S^(-1/2) = 1 is (1 - S^(-1/2)) S^(3/2) / slope.
        double change = (sqrt(s) - 1.0) * s / slope;
        double next = y + change;
        if (!(fabs(change) > 1e-16 * fabs(y))) {
            break;
        }
        y = next;
    }
    return y;
}

// y = nearest point of K to x.
static void nearest(const double mu[2], const double x[3], double y[3])
{
    double dual = tn_certificate_shift(mu, x); // support of the ellipse: -x in K* exactly when dual <= -x_n
    double quotient2 = squared_quotient(x[1], mu[0]) + squared_quotient(x[2], mu[1]);
    if (dual <= -x[0]) {
        y[0] = y[1] = y[2] = 0.0;
        return;
    }
    if (x[0] >= 0.0 && quotient2 <= x[0] * x[0]) {
        y[0] = x[0];
        y[1] = x[1];
        y[2] = x[2];
        return;
    }
    // A NaN passes every comparison as false and arrives here.
    if (mu[0] == mu[1]) {
        double t = sqrt(x[1] * x[1] + x[2] * x[2]);
        y[0] = (x[0] + mu[0] * t) / (1.0 + mu[0] * mu[0]);
        y[1] = mu[0] > 0.0 ? mu[0] * y[0] * (x[1] / t) : 0.0 * x[1];
        y[2] = mu[0] > 0.0 ? mu[0] * y[0] * (x[2] / t) : 0.0 * x[2];
        return;
    }
    y[0] = surface_normal(mu, x);
    for (int i = 0; i < 2; ++i) {
        double m2 = mu[i] * mu[i];
        y[1 + i] = m2 > 0.0 ? m2 * y[0] * x[1 + i] / ((1.0 + m2) * y[0] - x[0]) : 0.0 * x[1 + i];
    }
    y[0] += 0.0 * (x[0] + x[1] + x[2]);
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
