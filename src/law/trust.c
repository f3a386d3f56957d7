// y_i = -c_i / (s_i + x) with the multiplier x >= 0, which is zero inside. Newton on 1/|y(x)| - 1/radius, which is
// concave in x: from the left it climbs to the root without leaving it behind.
#include "law/trust.h"

#include <math.h>

enum { NEWTON_CAP = 60 };

// |y|; slope: d|y|/dx.
static double length_at(int n, const double *s, const double *c, double x, double *slope)
{
    double sum = 0.0, change = 0.0;
    for (int i = 0; i < n; ++i) {
        double part = c[i] == 0.0 ? 0.0 : c[i] / (s[i] + x);
        sum += part * part;
        change += c[i] == 0.0 ? 0.0 : part * part / (s[i] + x);
    }
    double length = sqrt(sum);
    *slope = length > 0.0 ? -change / length : 0.0;
    return length;
}

void tn_trust_solve(int n, const double *s, const double *c, double radius, double *y)
{
    double x = 0.0, slope;
    for (int i = 0; i < n; ++i) { // where this component alone reaches the radius
        x = fmax(x, fabs(c[i]) / radius - s[i]);
    }
    double length = length_at(n, s, c, x, &slope);
    for (int step = 0; step < NEWTON_CAP && length > radius * (1.0 + 1e-16); ++step) {
        double next = x + (length - radius) / radius * length / -slope;
        if (!(next > x)) {
            break;
        }
        x = next;
        length = length_at(n, s, c, x, &slope);
    }
    for (int i = 0; i < n; ++i) {
        y[i] = c[i] == 0.0 ? 0.0 : -c[i] / (s[i] + x);
    }
}

void tn_disc_project(double radius, double t[2])
{
    double size = sqrt(t[0] * t[0] + t[1] * t[1]);
    if (size > radius) {
        t[0] *= radius / size;
        t[1] *= radius / size;
    }
}

void tn_trust_solve_disc(double radius, const double S[3], const double b[2], double t[2])
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
    tn_disc_project(radius, t);
}
