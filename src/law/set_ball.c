// A ball of forces: dry friction of a spherical joint, as large as its bearing and what presses it allow.
#include "law/set_table.h"
#include "law/trust.h"
#include "math/mat3.h"

static const double ROUNDING = 1e-14;

static void project(const tn_bound *b, double *f)
{
    double radius = tn_set_radius(b), size = tn_vec3_norm(f);
    if (size > radius) {
        tn_vec3_scale(f, radius / size, f);
    }
}

static void map(const tn_bound *b, const double rho[2], const double *f, const double *y, tn_projection *out)
{
    for (int i = 0; i < 3; i++) {
        out->metric[i] = rho[0];
        out->p[i] = f[i] - rho[0] * y[i];
        out->slope[4 * i] = 1.0;
    }
    double radius = tn_set_radius(b), size = tn_vec3_norm(out->p), ratio = radius / size;
    if (!(size > radius)) {
        return;
    }
    double d[3] = {out->p[0] / size, out->p[1] / size, out->p[2] / size};
    for (int i = 0; i < 3; i++) {
        out->p[i] = radius * d[i];
        out->pressed[i] = tn_set_radius_slope(b) * d[i];
        for (int j = 0; j < 3; j++) {
            out->slope[3 * i + j] = ratio * ((i == j) - d[i] * d[j]);
        }
    }
}

static tn_local_state solve(const tn_bound *b, const double *W, const double *q, double *f)
{
    double radius = tn_set_radius(b), S[9], s[3], axes[9], c[3], y[3];
    if (!(radius > 0.0)) {
        tn_vec3_set(f, 0.0, 0.0, 0.0);
        return TN_LOCAL_OPEN;
    }
    for (int i = 0; i < 9; i++) {
        S[i] = 0.5 * (W[i] + W[3 * (i % 3) + i / 3]);
    }
    tn_mat3_eigen(S, s, axes);
    tn_mat3_tvec(c, axes, q);
    double most = fmax(fabs(c[0]), fmax(fabs(c[1]), fabs(c[2])));
    for (int i = 0; i < 3; i++) {
        s[i] = fmax(s[i], 0.0);
        if (s[i] <= ROUNDING * s[2] && fabs(c[i]) <= ROUNDING * most) { // no answer, no demand: the least force
            c[i] = 0.0;
        }
    }
    tn_trust_solve(3, s, c, radius, y);
    tn_mat3_vec(f, axes, y);
    double size = tn_vec3_norm(f);
    project(b, f);
    return size < radius * (1.0 - ROUNDING) ? TN_LOCAL_STICK : TN_LOCAL_SLIDE;
}

const tn_set_class tn_set_ball = {
    .rows = 3, .one_metric = true, .refusal = tn_set_refuse_sizes, .project = project, .map = map, .solve = solve};
