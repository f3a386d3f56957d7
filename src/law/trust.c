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
