// The cone of friction, round or elliptic. Elliptic friction is round in scaled tangents, f = D g: strict and
// associated law alike then hold for (g, D y).
#include "law/cone.h"
#include "law/set_table.h"

static double support(const tn_bound *b, const double y[3])
{
    double a = b->bound[0] * y[1], c = b->bound[1] * y[2];
    return b->bound[0] == b->bound[1] ? b->bound[0] * sqrt(y[1] * y[1] + y[2] * y[2]) : sqrt(a * a + c * c);
}

static void project(const tn_bound *b, double *f)
{
    tn_cone_proximal(b->bound, f);
}

static void map(const tn_bound *b, const double rho[2], const double *f, const double *y, tn_projection *out)
{
    const double *mu = b->bound;
    // The cone's nearest point wants one metric for all rows of g; normal and disc in turn do not.
    double most = fmax(mu[0], mu[1]), s = b->associated && rho[0] != rho[1] ? sqrt(rho[1] / rho[0]) : 1.0;
    double D[3] = {1.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        double part = i > 0 && most > 0.0 ? mu[i - 1] / most : 1.0;
        out->metric[i] = rho[i > 0] * part * part;
        D[i] = i > 0 && most > 0.0 ? s * part : D[i];
        out->p[i] = D[i] > 0.0 ? (f[i] - out->metric[i] * y[i]) / D[i] : 0.0;
    }
    tn_cone_map(b->associated, most / s, out->p, out->slope);
    tn_set_scale_back(D, out);
}

static tn_local_state solve(const tn_bound *b, const double *W, const double *q, double *f)
{
    return tn_cone_solve(b->associated, b->bound, W, q, f);
}

const tn_set_class tn_set_cone = {.rows = 3,
                                  .contact = true,
                                  .refusal = tn_set_refuse_sizes,
                                  .support = support,
                                  .project = project,
                                  .map = map,
                                  .solve = solve};
