// The exact line search of Newton's method on the velocities: contact work only, no product with A.
#include "law/cone.h"
#include "math/vec3.h"
#include "solver/newton/velocity.h"

#include <math.h>

// P with the strict law's friction radius held at that of y: a projection on a convex set.
static void project_held(const tn_newton_velocity *s, int m, double z[3])
{
    if (s->problem->law == TN_LAW_CONVEX) {
        tn_cone_project(s->mu[m], z);
        return;
    }
    double radius = s->mu[m] * s->y[3 * m], length = sqrt(z[1] * z[1] + z[2] * z[2]);
    double shrink = length > radius ? radius / length : 1.0;
    tn_vec3_set(z, fmax(z[0], 0.0), shrink * z[1], shrink * z[2]);
}

// Derivative along the step at v + alpha step: constant + alpha curvature - P(z - alpha rho D J step) . D J step.
static double derivative(const tn_newton_velocity *s, double constant, double curvature, double alpha)
{
    double sum = constant + alpha * curvature;
    for (int m = 0; m < s->n; ++m) {
        const double *D = s->scale + 3 * m, *u = s->u + 3 * m, *du = s->ustep + 3 * m;
        double z[3];
        for (int i = 0; i < 3; ++i) {
            z[i] = s->multiplier[3 * m + i] - s->rho[m] * D[i] * (u[i] + alpha * du[i]);
        }
        project_held(s, m, z);
        sum -= z[0] * D[0] * du[0] + z[1] * D[1] * du[1] + z[2] * D[2] * du[2];
    }
    return sum;
}

double tn_newton_velocity_search(const tn_newton_velocity *s)
{
    double constant = 0.0, curvature = 0.0;
    for (int i = 0; i < s->n_v; ++i) {
        constant += (s->Av[i] - s->problem->b[i]) * s->step[i];
        curvature += s->Astep[i] * s->step[i];
    }
    double low = 0.0, at_low = derivative(s, constant, curvature, 0.0);
    double high = 1.0, at_high = derivative(s, constant, curvature, 1.0), first = at_low;
    if (!(at_low < 0.0)) {
        return 1.0; // rounding is all that is left
    }
    while (at_high < -0.1 * fabs(first) && high < 4.0) {
        low = high;
        at_low = at_high;
        high *= 2.0;
        at_high = derivative(s, constant, curvature, high);
    }
    // The derivative never falls with alpha: regula falsi (Illinois) inside the bracket.
    double alpha = high, value = at_high;
    for (int k = 0; k < 40 && fabs(value) > 0.01 * fabs(first) && high - low > 1e-9 * high; ++k) {
        alpha = at_high > at_low ? (low * at_high - high * at_low) / (at_high - at_low) : 0.5 * (low + high);
        value = derivative(s, constant, curvature, alpha);
        if (value < 0.0) {
            low = alpha;
            at_low = value;
            at_high *= 0.5;
        } else {
            high = alpha;
            at_high = value;
            at_low *= 0.5;
        }
    }
    return alpha;
}
