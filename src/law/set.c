// The table of sets: looks up the set's own functions and does what is common to them: preload and metric of contacts,
// natural maps, the safe iteration where an exact solution fails.
#include "law/set.h"

#include "base/assert.h"
#include "law/cone.h"
#include "law/set_table.h"

#include <math.h>
#include <string.h>

enum { SAFE_CAP = 200 };

static const tn_set_class *const table[] = {
    [TN_SET_FREE] = &tn_set_free,         [TN_SET_RAY] = &tn_set_ray,   [TN_SET_BOX] = &tn_set_box,
    [TN_SET_FRICTION] = &tn_set_friction, [TN_SET_CONE] = &tn_set_cone, [TN_SET_POLYHEDRON] = &tn_set_polyhedron,
    [TN_SET_MOMENT] = &tn_set_moment,     [TN_SET_BALL] = &tn_set_ball, [TN_SET_ELLIPSE] = &tn_set_ellipse,
};

int tn_set_rows(tn_set set)
{
    return table[set]->rows;
}

const char *tn_set_refusal(const tn_bound *b)
{
    const tn_set_class *c = table[b->set];
    if (c->contact && !tn_set_is_size(b->preload)) {
        return "a preload is finite and not negative";
    }
    return c->refusal(b);
}

bool tn_set_has_one_metric(tn_set set)
{
    return table[set]->one_metric;
}

void tn_set_project(const tn_bound *b, double *f)
{
    const tn_set_class *c = table[b->set];
    if (!c->contact) {
        c->project(b, f);
        return;
    }
    f[0] += b->preload;
    c->project(b, f);
    f[0] -= b->preload;
}

// CONE, POLYHEDRON: sigma(y) [m/s], whatever the law; 0 of the others.
static double support(const tn_bound *b, const double y[3])
{
    const tn_set_class *c = table[b->set];
    return c->support ? c->support(b, y) : 0.0;
}

// What the law adds to y_n: sigma(y) of a strict one.
static double shift(const tn_bound *b, const double y[3])
{
    return b->associated ? 0.0 : support(b, y);
}

void tn_set_natural(const tn_bound *b, const double rho[2], const double *f, const double *y, double *out)
{
    if (b->set == TN_SET_CONE && b->bound[0] == b->bound[1] && rho[0] == rho[1] && b->preload == 0.0) { // most are
        tn_cone_natural(b->associated, b->bound[0], rho[0], f, y, out);
        return;
    }
    const tn_set_class *c = table[b->set];
    double z[3] = {f[0] - rho[0] * (y[0] + shift(b, y))};
    if (c->rows == 1) {
        c->project(b, z);
        out[0] = f[0] - z[0];
        return;
    }
    TN_ASSERT(!c->one_metric || rho[0] == rho[1]);
    z[1] = f[1] - rho[1] * y[1];
    z[2] = f[2] - rho[1] * y[2];
    if (c->contact && rho[0] != rho[1]) { // in tangents of the length s the metric is one number
        double s = sqrt(rho[1] / rho[0]);
        tn_bound scaled = *b;
        for (int i = 0; i < 2; i++) {
            scaled.bound[i] /= s;
            z[1 + i] /= s;
        }
        tn_set_project(&scaled, z);
        z[1] *= s;
        z[2] *= s;
    } else {
        tn_set_project(b, z);
    }
    for (int i = 0; i < 3; i++) {
        out[i] = f[i] - z[i];
    }
}

double tn_set_residual(const tn_bound *b, const double rho[2], const double *f, const double *y)
{
    double out[3] = {0.0};
    tn_set_natural(b, rho, f, y, out);
    return sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
}

void tn_set_map(const tn_bound *b, const double rho[2], const double *f, const double *y, tn_projection *out)
{
    const tn_set_class *c = table[b->set];
    memset(out, 0, sizeof *out);
    if (!c->contact) {
        c->map(b, rho, f, y, out);
        return;
    }
    const double g[3] = {f[0] + b->preload, f[1], f[2]};
    c->map(b, rho, g, y, out);
    out->p[0] -= b->preload;
}

// Projected fixed point with a step that a 3x3 matrix of any kind survives; keeps the best.
static void solve_safely(const tn_bound *b, const double W[9], const double q[3], double f[3])
{
    double f2 = 0.0, best = HUGE_VAL, z[3];
    for (int i = 0; i < 9; i++) {
        f2 += W[i] * W[i];
    }
    const double rho[2] = {1.0 / sqrt(f2), 1.0 / sqrt(f2)};
    memcpy(z, f, sizeof z);
    tn_set_project(b, z);
    memcpy(f, z, sizeof z);
    for (int k = 0; k < SAFE_CAP; k++) {
        double y[3], e[3];
        for (int i = 0; i < 3; i++) {
            y[i] = q[i] + W[3 * i] * z[0] + W[3 * i + 1] * z[1] + W[3 * i + 2] * z[2];
        }
        tn_set_natural(b, rho, z, y, e);
        double error = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        if (error < best) {
            best = error;
            memcpy(f, z, sizeof z);
        }
        for (int i = 0; i < 3; i++) {
            z[i] -= e[i];
        }
    }
}

tn_local_state tn_set_solve(const tn_bound *b, const double *W, const double *q, double *f)
{
    const tn_set_class *c = table[b->set];
    if (!c->contact) {
        return c->solve(b, W, q, f);
    }
    // With g = f + a along the normal: y = W g + (q - a W e_n).
    double a = b->preload, shifted[3] = {q[0] - a * W[0], q[1] - a * W[3], q[2] - a * W[6]};
    const double start[3] = {f[0], f[1], f[2]};
    f[0] += a;
    tn_local_state state = c->solve(b, W, shifted, f);
    f[0] -= a;
    if (state == TN_LOCAL_FAILED) {
        memcpy(f, start, sizeof start);
        solve_safely(b, W, q, f);
    }
    return state;
}

tn_active tn_set_active(const tn_bound *b, const double rho[2], const double *f, const double *y)
{
    const tn_set_class *c = table[b->set];
    if (c->rows == 1) {
        double limit[2];
        tn_set_limits(b, limit);
        return tn_active_bound(rho[0], f[0], y[0], limit[0], limit[1]);
    }
    if (c->contact) {
        double parts = y[0] - (b->associated ? support(b, y) : 0.0);
        return tn_active_closed(rho[0], f[0] + b->preload, parts) ? TN_ACTIVE_INSIDE : TN_ACTIVE_LOW;
    }
    tn_projection map;
    tn_set_map(b, rho, f, y, &map);
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        inside = inside && map.p[i] == f[i] - map.metric[i] * y[i];
    }
    return inside ? TN_ACTIVE_INSIDE : TN_ACTIVE_HIGH;
}
