// Rolling and torsional friction of a contact: an interval about the normal and a disc about the tangents, both as
// large as what presses. Inside its limit a part holds its angular velocity at zero, at the limit it opposes it
// (maximal dissipation). Together with the contact's own law this is Coulomb's law on the cone of five (six) rows.
#include "law/cone.h"
#include "law/set_table.h"
#include "law/trust.h"

enum { ROOT_CAP = 200 };

static double clamp(double x, double limit)
{
    return x > limit ? limit : x < -limit ? -limit : x;
}

static double normal_force(const tn_bound *b)
{
    return b->pressed > 0.0 ? b->pressed : 0.0;
}

static void limits(const tn_bound *b, double limit[2])
{
    limit[0] = b->bound[0] * normal_force(b);
    limit[1] = b->bound[1] * normal_force(b);
}

static void project(const tn_bound *b, double *f)
{
    double limit[2];
    limits(b, limit);
    f[0] = clamp(f[0], limit[0]);
    tn_disc_project(limit[1], f + 1);
}

static void map(const tn_bound *b, const double rho[2], const double *f, const double *y, tn_projection *out)
{
    double torsion = b->bound[0] * normal_force(b), disc[3] = {normal_force(b)}, slope[9];
    for (int i = 0; i < 3; i++) {
        out->metric[i] = rho[i > 0];
        out->p[i] = f[i] - out->metric[i] * y[i];
    }
    double sign = out->p[0] > torsion ? 1.0 : out->p[0] < -torsion ? -1.0 : 0.0;
    out->slope[0] = sign == 0.0;
    out->pressed[0] = b->pressed > 0.0 ? sign * b->bound[0] : 0.0;
    out->p[0] = sign == 0.0 ? out->p[0] : sign * torsion;
    // The rolling part is a contact's friction under the normal force given.
    disc[1] = out->p[1];
    disc[2] = out->p[2];
    tn_cone_map(false, b->bound[1], disc, slope);
    for (int i = 1; i < 3; i++) {
        out->p[i] = disc[i];
        out->pressed[i] = b->pressed > 0.0 ? slope[3 * i] : 0.0;
        out->slope[3 * i + 1] = slope[3 * i + 1];
        out->slope[3 * i + 2] = slope[3 * i + 2];
    }
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
    tn_trust_solve_disc(limit[1], S, b, m + 1);
    return q[0] + W[0] * torsion + couple[0] * m[1] + couple[1] * m[2];
}

// Minimises m . W m / 2 + q . m within the limits exactly (to rounding). W symmetric, positive semi-definite.
static void solve_within(const double limit[2], const double W[9], const double q[3], double m[3])
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

static tn_local_state solve(const tn_bound *b, const double *W, const double *q, double *f)
{
    double limit[2];
    limits(b, limit);
    solve_within(limit, W, q, f);
    double rolling = sqrt(f[1] * f[1] + f[2] * f[2]), inside = 1.0 - 1e-14;
    if (!(limit[0] > 0.0 || limit[1] > 0.0)) {
        return TN_LOCAL_OPEN;
    }
    return fabs(f[0]) < inside * limit[0] && rolling < inside * limit[1] ? TN_LOCAL_STICK : TN_LOCAL_SLIDE;
}

const tn_set_class tn_set_moment = {
    .rows = 3, .refusal = tn_set_refuse_sizes, .project = project, .map = map, .solve = solve};
