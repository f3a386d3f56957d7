#include "solver/anderson.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

enum { DEPTH_MAX = 10 };

struct tn_anderson {
    int n, depth;
    int count;  // differences held
    int next;   // ring slot to write
    bool begun; // f_last, g_last are valid
    double norm_last;
    double *f_last, *g_last; // (n)
    double *df, *dg;         // (depth, n)
    double gram[DEPTH_MAX * DEPTH_MAX];
};

tn_anderson *tn_anderson_create(int n, int depth, tn_arena *arena)
{
    tn_anderson *a = TN_PUSH(arena, tn_anderson, 1);
    if (!a) {
        return NULL;
    }
    a->n = n;
    a->depth = depth < n ? depth : n;
    a->f_last = TN_PUSH(arena, double, n);
    a->g_last = TN_PUSH(arena, double, n);
    a->df = TN_PUSH(arena, double, (size_t)a->depth *(size_t)n);
    a->dg = TN_PUSH(arena, double, (size_t)a->depth *(size_t)n);
    return a->f_last && a->g_last && a->df && a->dg ? a : NULL;
}

void tn_anderson_clear(tn_anderson *a)
{
    a->count = a->next = 0;
    a->begun = false;
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

// Take the newest differences into the ring and their row of the Gram matrix.
static void remember(tn_anderson *a, const double *x, const double *g)
{
    double *df = a->df + (size_t)a->next * (size_t)a->n;
    double *dg = a->dg + (size_t)a->next * (size_t)a->n;
    for (int i = 0; i < a->n; ++i) {
        df[i] = g[i] - x[i] - a->f_last[i];
        dg[i] = g[i] - a->g_last[i];
    }
    int slot = a->next;
    a->next = (a->next + 1) % a->depth;
    a->count = a->count < a->depth ? a->count + 1 : a->depth;
    for (int k = 0; k < a->count; ++k) {
        double product = dot(a->n, df, a->df + (size_t)k * (size_t)a->n);
        a->gram[slot * DEPTH_MAX + k] = a->gram[k * DEPTH_MAX + slot] = product;
    }
}

// Cholesky of the Gram matrix with a relative shift; false: directions too dependent.
static bool solve_small(const tn_anderson *a, double y[DEPTH_MAX])
{
    double l[DEPTH_MAX][DEPTH_MAX], largest = 0.0;
    int m = a->count;
    TN_ASSERT(m > 0);
    for (int i = 0; i < m; ++i) {
        largest = fmax(largest, a->gram[i * DEPTH_MAX + i]);
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = a->gram[i * DEPTH_MAX + j] + (i == j ? 1e-12 * largest : 0.0);
            for (int k = 0; k < j; ++k) {
                sum -= l[i][k] * l[j][k];
            }
            if (i == j) {
                if (!(sum > 1e-14 * largest)) {
                    return false;
                }
                l[i][i] = sqrt(sum);
            } else {
                l[i][j] = sum / l[j][j];
            }
        }
    }
    for (int i = 0; i < m; ++i) {
        for (int k = 0; k < i; ++k) {
            y[i] -= l[i][k] * y[k];
        }
        y[i] /= l[i][i];
    }
    for (int i = m - 1; i >= 0; --i) {
        for (int k = i + 1; k < m; ++k) {
            y[i] -= l[k][i] * y[k];
        }
        y[i] /= l[i][i];
    }
    return true;
}

bool tn_anderson_mix(tn_anderson *a, const double *x, double *g)
{
    double norm = 0.0;
    for (int i = 0; i < a->n; ++i) {
        norm += (g[i] - x[i]) * (g[i] - x[i]);
    }
    norm = sqrt(norm);
    if (a->begun && norm > 2.0 * a->norm_last) {
        tn_anderson_clear(a);
    } else if (a->begun) {
        remember(a, x, g);
    }
    a->begun = true;
    a->norm_last = norm;
    for (int i = 0; i < a->n; ++i) {
        a->f_last[i] = g[i] - x[i];
    }
    memcpy(a->g_last, g, (size_t)a->n * sizeof *g);
    if (a->count == 0) {
        return false;
    }

    double y[DEPTH_MAX];
    for (int k = 0; k < a->count; ++k) {
        y[k] = dot(a->n, a->df + (size_t)k * (size_t)a->n, a->f_last);
    }
    if (!solve_small(a, y)) {
        tn_anderson_clear(a);
        return false;
    }
    for (int k = 0; k < a->count; ++k) {
        const double *dg = a->dg + (size_t)k * (size_t)a->n;
        for (int i = 0; i < a->n; ++i) {
            g[i] -= y[k] * dg[i];
        }
    }
    return true;
}
