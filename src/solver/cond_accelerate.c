#include "solver/cond_accelerate.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

// A step that lets the residual grow beyond this factor of the best is taken back.
static const double GROWTH = 2.0;

bool tn_cond_accelerator_create(const tn_cond_options *options, int n, int n_velocities, const double *weight,
                                tn_arena *arena, tn_cond_accelerator *out)
{
    int depth = options->depth;
    *out = (tn_cond_accelerator){.options = *options, .n = n, .n_velocities = n_velocities, .weight = weight};
    bool adaptive = options->acceleration == TN_COND_ADAPTIVE;
    tn_cond_accelerator_restart(out, adaptive ? TN_COND_ANDERSON : options->acceleration);
    if (options->acceleration == TN_COND_CHEBYSHEV || adaptive) {
        out->previous = TN_PUSH(arena, double, n);
        if (!out->previous) {
            return false;
        }
    }
    if (options->acceleration == TN_COND_ANDERSON || adaptive) {
        out->f = TN_PUSH(arena, double, n);
        out->g = TN_PUSH(arena, double, n);
        out->df = TN_PUSH(arena, double, (size_t)depth *(size_t)n);
        out->dg = TN_PUSH(arena, double, (size_t)depth *(size_t)n);
        out->gram = TN_PUSH(arena, double, depth *depth);
        out->safe = TN_PUSH(arena, double, n);
        return out->f && out->g && out->df && out->dg && out->gram && out->safe;
    }
    return true;
}

void tn_cond_accelerator_restart(tn_cond_accelerator *a, tn_cond_acceleration kind)
{
    a->kind = kind;
    a->step = 0;
    a->nu = 1.0;
    a->last = 0.0;
    a->count = 0;
    a->best = INFINITY;
}

static double dot(const tn_cond_accelerator *a, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < a->n; i++) {
        sum += a->weight[i] * x[i] * y[i];
    }
    return sum;
}

// (39): x+ = nu (u (F(x) - x) + x - x_previous) + x_previous, with the spectral radius r estimated from the last two
// step lengths.
static void chebyshev(tn_cond_accelerator *a, double *x, const double *Fx)
{
    double length = 0.0;
    for (int i = 0; i < a->n_velocities && a->step > 0; i++) {
        length += (x[i] - a->previous[i]) * (x[i] - a->previous[i]);
    }
    length = sqrt(length);
    double r = a->last > 0.0 ? fmin(length / a->last, 1.0) : 0.0;
    int start = a->options.chebyshev_start;
    if (a->step == start) {
        a->nu = 2.0 / (2.0 - r * r);
    } else if (a->step > start) {
        a->nu = 4.0 / (4.0 - r * r * a->nu);
    }
    for (int i = 0; i < a->n; i++) {
        double previous = a->step > 0 ? a->previous[i] : x[i];
        double now = x[i];
        x[i] = a->nu * (a->options.relaxation * (Fx[i] - now) + now - previous) + previous;
        a->previous[i] = now;
    }
    a->last = length;
}

// Solve gram y = right side (m <= depth) by Cholesky with a small ridge; false: a pivot vanished.
static bool solve_gram(int m, int depth, const double *gram, double *y)
{
    TN_ASSERT(m >= 0);
    double factor[TN_COND_DEPTH_MAX * TN_COND_DEPTH_MAX];
    for (int j = 0; j < m; j++) {
        for (int i = j; i < m; i++) {
            double sum = gram[i * depth + j] * (i == j ? 1.0 + 1e-12 : 1.0);
            for (int k = 0; k < j; k++) {
                sum -= factor[i * m + k] * factor[j * m + k];
            }
            if (i == j && !(sum > 1e-13 * gram[j * depth + j])) {
                return false;
            }
            factor[i * m + j] = i == j ? sqrt(sum) : sum / factor[j * m + j];
        }
    }
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < i; k++) {
            y[i] -= factor[i * m + k] * y[k];
        }
        y[i] /= factor[i * m + i];
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++) {
            y[i] -= factor[k * m + i] * y[k];
        }
        y[i] /= factor[i * m + i];
    }
    return true;
}

// Remember the difference to the last step in the ring buffer.
static void remember(tn_cond_accelerator *a, const double *f, const double *g)
{
    int depth = a->options.depth;
    int slot = a->count % depth;
    double *df = a->df + (size_t)slot * (size_t)a->n;
    double *dg = a->dg + (size_t)slot * (size_t)a->n;
    for (int i = 0; i < a->n; i++) {
        df[i] = f[i] - a->f[i];
        dg[i] = g[i] - a->g[i];
    }
    a->count++;
    int m = a->count < depth ? a->count : depth;
    for (int j = 0; j < m; j++) {
        double value = dot(a, df, a->df + (size_t)j * (size_t)a->n);
        a->gram[slot * depth + j] = a->gram[j * depth + slot] = value;
    }
}

// x+ = g - dG y, y the least squares solution of dF y = f (Walker and Ni 2011, type II).
static void anderson(tn_cond_accelerator *a, double *x, const double *Fx)
{
    // The residual takes the place of x: the next x needs F(x) alone.
    for (int i = 0; i < a->n; i++) {
        x[i] = Fx[i] - x[i];
    }
    double norm = sqrt(dot(a, x, x));
    if (norm > GROWTH * a->best) {
        memcpy(x, a->safe, (size_t)a->n * sizeof *x);
        a->count = 0;
        a->step = -1;
        return;
    }
    if (norm < a->best) {
        a->best = norm;
        memcpy(a->safe, Fx, (size_t)a->n * sizeof *x);
    }
    if (a->step > 0) {
        remember(a, x, Fx);
    }
    memcpy(a->f, x, (size_t)a->n * sizeof *x);
    memcpy(a->g, Fx, (size_t)a->n * sizeof *x);

    int m = a->count < a->options.depth ? a->count : a->options.depth;
    double y[TN_COND_DEPTH_MAX];
    for (int j = 0; j < m; j++) {
        y[j] = dot(a, x, a->df + (size_t)j * (size_t)a->n);
    }
    memcpy(x, Fx, (size_t)a->n * sizeof *x);
    if (!solve_gram(m, a->options.depth, a->gram, y)) {
        a->count = 0;
        return;
    }
    for (int j = 0; j < m; j++) {
        const double *dg = a->dg + (size_t)j * (size_t)a->n;
        for (int i = 0; i < a->n; i++) {
            x[i] -= dg[i] * y[j];
        }
    }
}

static double step_length(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return sqrt(sum);
}

double tn_cond_accelerator_advance(tn_cond_accelerator *a, double *x, const double *Fx)
{
    double theta = step_length(a->n_velocities, Fx, x);
    switch (a->kind) {
    case TN_COND_CHEBYSHEV:
        chebyshev(a, x, Fx);
        // previous now holds v^l and x holds v^{l+1}.
        theta = step_length(a->n_velocities, x, a->previous);
        break;
    case TN_COND_ANDERSON:
        anderson(a, x, Fx);
        break;
    case TN_COND_ADAPTIVE: // never in use itself
    case TN_COND_PLAIN:
    case TN_COND_BARZILAI_BORWEIN:
        memcpy(x, Fx, (size_t)a->n * sizeof *x);
        break;
    }
    a->step++;
    return theta;
}
