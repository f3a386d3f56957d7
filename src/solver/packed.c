#include "solver/packed.h"

#include "law/local.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static inline void read_velocity(const tn_packed *p, int k, double u[3])
{
    double a = p->contacts[k].offset[0], b = p->contacts[k].offset[1], c = p->contacts[k].offset[2];
    for (int e = p->start[k]; e < p->start[k + 1]; ++e) {
        const double *H = p->H + 9 * (size_t)e, *x = p->x + p->at[e];
        a += H[0] * x[0] + H[3] * x[1] + H[6] * x[2];
        b += H[1] * x[0] + H[4] * x[1] + H[7] * x[2];
        c += H[2] * x[0] + H[5] * x[1] + H[8] * x[2];
    }
    u[0] = a;
    u[1] = b;
    u[2] = c;
}

static inline void write_velocity(tn_packed *p, int k, double a, double b, double c)
{
    for (int e = p->start[k]; e < p->start[k + 1]; ++e) {
        const double *H = p->H + 9 * (size_t)e;
        double *x = p->x + p->at[e];
        x[0] += H[0] * a + H[1] * b + H[2] * c;
        x[1] += H[3] * a + H[4] * b + H[5] * c;
        x[2] += H[6] * a + H[7] * b + H[8] * c;
    }
}

static inline void add_omega(const tn_packed *p, int m, const double *lambda, double u[3])
{
    if (p->omega) {
        const double *o = p->omega + 9 * (size_t)m;
        for (int i = 0; i < 3; ++i) {
            u[i] += o[3 * i] * lambda[0] + o[3 * i + 1] * lambda[1] + o[3 * i + 2] * lambda[2];
        }
    }
}

void tn_packed_set(tn_packed *p, const double *lambda)
{
    memcpy(p->x, p->x_free, (size_t)p->n_x * sizeof *p->x);
    for (int k = 0; k < p->n; ++k) {
        const double *r = lambda + 3 * p->id[k];
        write_velocity(p, k, r[0], r[1], r[2]);
    }
}

void tn_packed_velocity(const tn_packed *p, const double *lambda, double *u)
{
    for (int k = 0; k < p->n; ++k) {
        int m = p->id[k];
        read_velocity(p, k, u + 3 * m);
        add_omega(p, m, lambda + 3 * m, u + 3 * m);
    }
}

static void solve_general(const tn_packed *p, int k, const double u[3], double r[3])
{
    const tn_packed_contact *c = &p->contacts[k];
    double a = c->w * c->g[0], b = c->w * c->g[1];
    const double W[9] = {
        c->w, a, b, a, c->S[0] + a * c->g[0], c->S[1] + a * c->g[1], b, c->S[1] + a * c->g[1], c->S[2] + b * c->g[1]};
    double q[3];
    for (int i = 0; i < 3; ++i) {
        q[i] = u[i] - (W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2]);
    }
    tn_local_solve(p->law, p->mu + 2 * (size_t)p->id[k], W, q, r);
}

// Sliding: t(x) = -(S + x I)^-1 b with |t| = mu n(x), n = n0 - g . t; Newton on mu n / |t| - 1 from the last x, kept
// inside the bracket. False: cap reached (the general solve takes over).
static bool solve_slide(const tn_packed_contact *c, double n0, const double b[2], double *start, double r[3])
{
    double x = *start, low = 0.0, high = HUGE_VAL;
    for (int k = 0; k < 20; ++k) {
        double s0 = c->S[0] + x, s2 = c->S[2] + x, inverse = 1.0 / (s0 * s2 - c->S[1] * c->S[1]);
        double t0 = (c->S[1] * b[1] - s2 * b[0]) * inverse, t1 = (c->S[1] * b[0] - s0 * b[1]) * inverse;
        double n = n0 - c->g[0] * t0 - c->g[1] * t1, per_length = 1.0 / sqrt(t0 * t0 + t1 * t1);
        double f = c->mu * n * per_length - 1.0;
        if (fabs(f) <= 1e-14) {
            double factor = c->mu * n * per_length; // 1 to rounding: into the cone exactly
            r[0] = n;
            r[1] = factor * t0;
            r[2] = factor * t1;
            *start = x;
            return n > 0.0;
        }
        if (f < 0.0) {
            low = x;
        } else {
            high = x;
        }
        double d0 = (c->S[1] * t1 - s2 * t0) * inverse, d1 = (c->S[1] * t0 - s0 * t1) * inverse;
        double slope = -c->g[0] * d0 - c->g[1] * d1 - n * (t0 * d0 + t1 * d1) * per_length * per_length;
        double next = x - f / (c->mu * per_length * slope);
        if (!(next > low && next < high)) {
            next = high < HUGE_VAL ? 0.5 * (low + high) : 2.0 * low + c->S[0] + c->S[2];
        }
        x = next;
    }
    *start = 0.0;
    return false;
}

static inline bool solve_simple(tn_packed *p, int k, const double u[3], double r[3])
{
    const tn_packed_contact *c = &p->contacts[k];
    double a = u[0] * c->inverse_w, n0 = r[0] + c->g[0] * r[1] + c->g[1] * r[2] - a;
    if (n0 <= 0.0) {
        r[0] = r[1] = r[2] = 0.0;
        return true;
    }
    const double b[2] = {u[1] - a * c->w * c->g[0] - c->S[0] * r[1] - c->S[1] * r[2],
                         u[2] - a * c->w * c->g[1] - c->S[1] * r[1] - c->S[2] * r[2]};
    double inverse = c->inverse_determinant;
    double t0 = (c->S[1] * b[1] - c->S[2] * b[0]) * inverse, t1 = (c->S[1] * b[0] - c->S[0] * b[1]) * inverse;
    double n = n0 - c->g[0] * t0 - c->g[1] * t1, limit = c->mu * n;
    if (n >= 0.0 && t0 * t0 + t1 * t1 <= limit * limit) {
        r[0] = n;
        r[1] = t0;
        r[2] = t1;
        return true;
    }
    return solve_slide(c, n0, b, &p->slide[k], r);
}

void tn_packed_sweep(tn_packed *p, double *lambda)
{
    for (int k = 0; k < p->n; ++k) {
        int m = p->id[k];
        double *now = lambda + 3 * m, u[3], r[3] = {now[0], now[1], now[2]};
        read_velocity(p, k, u);
        add_omega(p, m, r, u);
        if (!(p->contacts[k].mu > 0.0 && solve_simple(p, k, u, r))) {
            tn_vec3_copy(r, now);
            solve_general(p, k, u, r);
        }
        write_velocity(p, k, r[0] - now[0], r[1] - now[1], r[2] - now[2]);
        tn_vec3_copy(now, r);
    }
}

// y = L^-T y
static void backward(const tn_components *p, int component, double *y)
{
    int width = 3 * (p->start[component + 1] - p->start[component]);
    const double *L = p->factor + p->offset[component];
    for (int i = width - 1; i >= 0; --i) {
        double sum = y[i];
        for (int k = i + 1; k < width; ++k) {
            sum -= L[k * width + i] * y[k];
        }
        y[i] = sum / L[i * width + i];
    }
}

void tn_packed_recover(tn_packed *p, const double *lambda, double *v)
{
    tn_packed_set(p, lambda);
    for (int k = 0; k < p->components.n; ++k) {
        double y[3 * TN_COMPONENT_BLOCKS];
        int first = p->components.start[k], size = p->components.start[k + 1] - first;
        memcpy(y, p->x + 3 * first, (size_t)(3 * size) * sizeof *y);
        backward(&p->components, k, y);
        for (int i = 0; i < size; ++i) {
            tn_vec3_copy(v + 3 * p->components.blocks[first + i], y + 3 * i);
        }
    }
}
