#include "solver/gmres.h"

#include <math.h>
#include <string.h>

bool tn_gmres_create(tn_gmres *gmres, int n, tn_arena *arena)
{
    *gmres = (tn_gmres){.n = n};
    gmres->basis = TN_PUSH(arena, double, (size_t)(TN_GMRES_MAX + 1) * (size_t)n);
    gmres->work = TN_PUSH(arena, double, n);
    return gmres->basis && gmres->work;
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

static void add(int n, double factor, const double *x, double *y)
{
    for (int i = 0; i < n; ++i) {
        y[i] += factor * x[i];
    }
}

// The Hessenberg matrix's triangular factor by Givens rotations, column by column, and the rotated right-hand side.
typedef struct rotations {
    double R[TN_GMRES_MAX][TN_GMRES_MAX + 1]; // R[k]: column k
    double cosine[TN_GMRES_MAX], sine[TN_GMRES_MAX];
    double g[TN_GMRES_MAX + 1];
} rotations;

static void rotate(rotations *r, int k)
{
    double *h = r->R[k];
    for (int i = 0; i < k; ++i) {
        double a = h[i], b = h[i + 1];
        h[i] = r->cosine[i] * a + r->sine[i] * b;
        h[i + 1] = r->cosine[i] * b - r->sine[i] * a;
    }
    double length = sqrt(h[k] * h[k] + h[k + 1] * h[k + 1]);
    r->cosine[k] = length > 0.0 ? h[k] / length : 1.0;
    r->sine[k] = length > 0.0 ? h[k + 1] / length : 0.0;
    h[k] = length;
    r->g[k + 1] = -r->sine[k] * r->g[k];
    r->g[k] *= r->cosine[k];
}

// x = sum of the first k basis vectors with the least squares coefficients.
static void combine(const tn_gmres *s, rotations *r, int k, double *x)
{
    double y[TN_GMRES_MAX];
    memset(x, 0, (size_t)s->n * sizeof *x);
    for (int i = k - 1; i >= 0; --i) {
        double sum = r->g[i];
        for (int j = i + 1; j < k; ++j) {
            sum -= r->R[j][i] * y[j];
        }
        y[i] = r->R[i][i] != 0.0 ? sum / r->R[i][i] : 0.0;
    }
    for (int i = 0; i < k; ++i) {
        add(s->n, y[i], s->basis + (size_t)i * (size_t)s->n, x);
    }
}

int tn_gmres_solve(tn_gmres *s, tn_gmres_apply *apply, void *user, const double *b, double tolerance, double *x)
{
    rotations r = {.g = {0.0}};
    size_t n = (size_t)s->n;
    double norm = sqrt(dot(s->n, b, b));
    memset(x, 0, n * sizeof *x);
    if (norm == 0.0) {
        return 0;
    }
    for (size_t i = 0; i < n; ++i) {
        s->basis[i] = b[i] / norm;
    }
    r.g[0] = norm;
    int k = 0;
    while (k < TN_GMRES_MAX && fabs(r.g[k]) > tolerance * norm) {
        if (!apply(user, s->basis + (size_t)k * n, s->work)) {
            return -1;
        }
        double *h = r.R[k];
        for (int i = 0; i <= k; ++i) { // modified Gram-Schmidt
            h[i] = dot(s->n, s->work, s->basis + (size_t)i * n);
            add(s->n, -h[i], s->basis + (size_t)i * n, s->work);
        }
        h[k + 1] = sqrt(dot(s->n, s->work, s->work));
        double *next = s->basis + (size_t)(k + 1) * n;
        for (size_t i = 0; i < n; ++i) {
            next[i] = h[k + 1] > 0.0 ? s->work[i] / h[k + 1] : 0.0;
        }
        rotate(&r, k);
        ++k;
    }
    combine(s, &r, k, x);
    return k;
}
