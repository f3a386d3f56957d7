// An ellipse of forces in a plane: dry friction of a plate in grooves, with other limits along than across. Its third
// row bears nothing. Inside it holds the plate; at its border it takes the most power, which is not straight against
// the slip: f_i = -b_i^2 y_i / |(b_1 y_1, b_2 y_2)|.
#include "law/ellipse.h"
#include "law/set_table.h"
#include "law/trust.h"

// f = D g makes the ellipse a disc of the radius returned, its larger half axis.
static double disc_of(const tn_bound *b, double D[2])
{
    double radius = fmax(b->bound[0], b->bound[1]);
    D[0] = radius > 0.0 ? b->bound[0] / radius : 0.0;
    D[1] = radius > 0.0 ? b->bound[1] / radius : 0.0;
    return radius;
}

static double zero_unless_nan(double x)
{
    return isnan(x) ? x : 0.0;
}

static void project(const tn_bound *b, double *f)
{
    tn_ellipse_project(b->bound, f);
    f[2] = zero_unless_nan(f[2]);
}

// The nearest point in the metric in which the ellipse is a disc.
static void map(const tn_bound *b, const double rho[2], const double *f, const double *y, tn_projection *out)
{
    double D[2], g[2], radius = disc_of(b, D);
    for (int i = 0; i < 2; i++) {
        out->metric[i] = rho[0] * D[i] * D[i];
        out->p[i] = D[i] > 0.0 ? f[i] - out->metric[i] * y[i] : zero_unless_nan(f[i]);
        g[i] = D[i] > 0.0 ? out->p[i] / D[i] : out->p[i];
        out->slope[4 * i] = D[i] > 0.0;
    }
    out->p[2] = zero_unless_nan(f[2]);
    double size = sqrt(g[0] * g[0] + g[1] * g[1]), ratio = radius / size;
    if (!(size > radius)) { // to the bit where it was: the set is asked whether it holds
        return;
    }
    for (int k = 0; k < 4; k++) {
        int i = k / 2, j = k % 2;
        out->p[i] = D[i] * (ratio * g[i]);
        double slope = ratio * ((i == j) - g[i] / size * (g[j] / size));
        out->slope[3 * i + j] = D[i] > 0.0 && D[j] > 0.0 ? slope * (D[i] / D[j]) : 0.0;
    }
}

static tn_local_state solve(const tn_bound *b, const double *W, const double *q, double *f)
{
    double D[2], g[2], radius = disc_of(b, D);
    const double S[3] = {D[0] * D[0] * W[0], 0.5 * D[0] * D[1] * (W[1] + W[3]), D[1] * D[1] * W[4]};
    const double c[2] = {D[0] * q[0], D[1] * q[1]};
    tn_trust_solve_disc(radius, S, c, g);
    f[0] = D[0] * g[0];
    f[1] = D[1] * g[1];
    f[2] = 0.0;
    return !(radius > 0.0)                                               ? TN_LOCAL_OPEN
           : g[0] * g[0] + g[1] * g[1] < radius * radius * (1.0 - 1e-14) ? TN_LOCAL_STICK
                                                                         : TN_LOCAL_SLIDE;
}

const tn_set_class tn_set_ellipse = {
    .rows = 3, .one_metric = true, .refusal = tn_set_refuse_sizes, .project = project, .map = map, .solve = solve};
