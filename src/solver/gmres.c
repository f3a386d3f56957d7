#include "solver/gmres.h"

#include "math/sums.h"

#include <math.h>
#include <string.h>

bool tn_gmres_create(tn_gmres *gmres, int n, int most, tn_arena *arena)
{
    *gmres = (tn_gmres){.n = n, .most = most};
    gmres->basis = TN_PUSH(arena, double, (size_t)(most + 1) * (size_t)n);
    gmres->work = TN_PUSH(arena, double, n);
    gmres->R = TN_PUSH(arena, double, (size_t)most *(size_t)(most + 1));
    gmres->cosine = TN_PUSH(arena, double, most);
    gmres->sine = TN_PUSH(arena, double, most);
    gmres->g = TN_PUSH(arena, double, most + 1);
    gmres->y = TN_PUSH(arena, double, most);
    return gmres->basis && gmres->work && gmres->R && gmres->cosine && gmres->sine && gmres->g && gmres->y;
}

static void add(int n, double factor, const double *x, double *y)
{
    for (int i = 0; i < n; ++i) {
        y[i] += factor * x[i];
    }
}

static double *column(tn_gmres *s, int k)
{
    return s->R + (size_t)k * (size_t)(s->most + 1);
}

// Givens rotations of the last column, and its own.
static void rotate(tn_gmres *s, int k)
{
    double *h = column(s, k);
    for (int i = 0; i < k; ++i) {
        double a = h[i], b = h[i + 1];
        h[i] = s->cosine[i] * a + s->sine[i] * b;
        h[i + 1] = s->cosine[i] * b - s->sine[i] * a;
    }
    double length = sqrt(h[k] * h[k] + h[k + 1] * h[k + 1]);
    s->cosine[k] = length > 0.0 ? h[k] / length : 1.0;
    s->sine[k] = length > 0.0 ? h[k + 1] / length : 0.0;
    h[k] = length;
    s->g[k + 1] = -s->sine[k] * s->g[k];
    s->g[k] *= s->cosine[k];
}

// x = sum of the first k basis vectors with the least squares coefficients.
static void combine(tn_gmres *s, int k, double *x)
{
    memset(x, 0, (size_t)s->n * sizeof *x);
    for (int i = k - 1; i >= 0; --i) {
        double sum = s->g[i], pivot = column(s, i)[i];
        for (int j = i + 1; j < k; ++j) {
            sum -= column(s, j)[i] * s->y[j];
        }
        s->y[i] = pivot != 0.0 ? sum / pivot : 0.0;
    }
    for (int i = 0; i < k; ++i) {
        add(s->n, s->y[i], s->basis + (size_t)i * (size_t)s->n, x);
    }
}

int tn_gmres_solve(tn_gmres *s, tn_gmres_apply *apply, void *user, const double *b, double tolerance, double *x)
{
    size_t n = (size_t)s->n;
    double norm = sqrt(tn_dot((size_t)s->n, b, b));
    memset(x, 0, n * sizeof *x);
    if (norm == 0.0) {
        return 0;
    }
    for (size_t i = 0; i < n; ++i) {
        s->basis[i] = b[i] / norm;
    }
    s->g[0] = norm;
    int k = 0;
    while (k < s->most && fabs(s->g[k]) > tolerance * norm) {
        if (!apply(user, s->basis + (size_t)k * n, s->work)) {
            return -1;
        }
        double *h = column(s, k);
        for (int i = 0; i <= k; ++i) { // modified Gram-Schmidt
            h[i] = tn_dot((size_t)s->n, s->work, s->basis + (size_t)i * n);
            add(s->n, -h[i], s->basis + (size_t)i * n, s->work);
        }
        h[k + 1] = sqrt(tn_dot((size_t)s->n, s->work, s->work));
        double *next = s->basis + (size_t)(k + 1) * n;
        for (size_t i = 0; i < n; ++i) {
            next[i] = h[k + 1] > 0.0 ? s->work[i] / h[k + 1] : 0.0;
        }
        rotate(s, k);
        ++k;
    }
    combine(s, k, x);
    return k;
}
