#include "solver/cond/accelerate.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

// A step that lets the residual grow beyond this factor of the best is taken back.
static const double GROWTH = 2.0;

void tn_cond_chebyshev_restart(tn_cond_chebyshev *c)
{
    *c = (tn_cond_chebyshev){.nu = 1.0};
}

double tn_cond_chebyshev_factor(tn_cond_chebyshev *c, int start)
{
    double square = c->rate * c->rate;
    if (c->step == start) {
        c->nu = 2.0 / (2.0 - square);
    } else if (c->step > start) {
        c->nu = 4.0 / (4.0 - square * c->nu);
    }
    return c->nu;
}

void tn_cond_chebyshev_tell(tn_cond_chebyshev *c, double theta)
{
    c->rate = c->last > 0.0 ? fmin(theta / c->last, 1.0) : 0.0;
    c->last = theta;
    c->step++;
}

bool tn_cond_anderson_create(int depth, int n, const double *weight, tn_arena *arena, tn_cond_anderson *out)
{
    *out = (tn_cond_anderson){.depth = depth, .n = n, .weight = weight};
    out->f = TN_PUSH(arena, double, n);
    out->g = TN_PUSH(arena, double, n);
    out->df = TN_PUSH(arena, double, (size_t)depth *(size_t)n);
    out->dg = TN_PUSH(arena, double, (size_t)depth *(size_t)n);
    out->gram = TN_PUSH(arena, double, depth *depth);
    out->safe = TN_PUSH(arena, double, n);
    tn_cond_anderson_restart(out);
    return out->f && out->g && out->df && out->dg && out->gram && out->safe;
}

void tn_cond_anderson_restart(tn_cond_anderson *a)
{
    a->step = 0;
    a->count = 0;
    a->best = INFINITY;
}

// Eight sums, so that no addition waits for the one before.
static double dot(const tn_cond_anderson *a, const double *x, const double *y)
{
    double sum[8] = {0.0};
    int i = 0;
    for (; i + 8 <= a->n; i += 8) {
        for (int k = 0; k < 8; k++) {
            sum[k] += a->weight[i + k] * x[i + k] * y[i + k];
        }
    }
    for (; i < a->n; i++) {
        sum[0] += a->weight[i] * x[i] * y[i];
    }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
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
static void remember(tn_cond_anderson *a, const double *f, const double *g)
{
    int depth = a->depth;
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

// x+ = g - dG y, y the least squares solution of dF y = f.
void tn_cond_anderson_advance(tn_cond_anderson *a, double *x, const double *Fx)
{
    // The residual takes the place of x: the next x needs F(x) alone.
    for (int i = 0; i < a->n; i++) {
        x[i] = Fx[i] - x[i];
    }
    double norm = sqrt(dot(a, x, x));
    if (norm > GROWTH * a->best) {
        memcpy(x, a->safe, (size_t)a->n * sizeof *x);
        a->count = 0;
        a->step = 0;
        return;
    }
    if (norm < a->best) {
        a->best = norm;
        memcpy(a->safe, Fx, (size_t)a->n * sizeof *x);
    }
    if (a->step++ > 0) {
        remember(a, x, Fx);
    }
    memcpy(a->f, x, (size_t)a->n * sizeof *x);
    memcpy(a->g, Fx, (size_t)a->n * sizeof *x);

    int m = a->count < a->depth ? a->count : a->depth;
    double y[TN_COND_DEPTH_MAX];
    for (int j = 0; j < m; j++) {
        y[j] = dot(a, x, a->df + (size_t)j * (size_t)a->n);
    }
    memcpy(x, Fx, (size_t)a->n * sizeof *x);
    if (!solve_gram(m, a->depth, a->gram, y)) {
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
