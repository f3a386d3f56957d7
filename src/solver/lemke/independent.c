#include "solver/lemke/independent.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

// Pivots of the scaled matrix, whose diagonal is one, below this count as zero.
static const double ZERO = 1e-11;

typedef struct work {
    int n, rank;
    int *row;
    double *L; // (n, n) rows in the order of row, lower
    double *left;
} work;

static void swap_rows(work *w, int i, int k)
{
    int row = w->row[i];
    double left = w->left[i];
    w->row[i] = w->row[k];
    w->row[k] = row;
    w->left[i] = w->left[k];
    w->left[k] = left;
    for (int j = 0; j < w->n; ++j) {
        double x = w->L[i * w->n + j];
        w->L[i * w->n + j] = w->L[k * w->n + j];
        w->L[k * w->n + j] = x;
    }
}

// L of the scaled S, the row with the largest pivot next, until none is left.
static void factorise(work *w, const double *S, size_t stride, const double *scale)
{
    int n = w->n;
    for (int i = 0; i < n; ++i) {
        double own = S[(size_t)i * stride + (size_t)i];
        w->row[i] = i;
        w->left[i] = own > 0.0 ? 1.0 : 0.0;
    }
    for (w->rank = 0; w->rank < n; ++w->rank) {
        int k = w->rank, best = k;
        for (int i = k + 1; i < n; ++i) {
            best = w->left[i] > w->left[best] ? i : best;
        }
        if (!(w->left[best] > ZERO)) {
            return;
        }
        swap_rows(w, k, best);
        double *from = w->L + k * n;
        from[k] = sqrt(w->left[k]);
        for (int i = k + 1; i < n; ++i) {
            double *to = w->L + i * n;
            int a = w->row[i], b = w->row[k];
            double sum = scale[a] * scale[b] * S[(size_t)a * stride + (size_t)b];
            for (int j = 0; j < k; ++j) {
                sum -= to[j] * from[j];
            }
            to[k] = sum / from[k];
            w->left[i] -= to[k] * to[k];
        }
    }
}

// x = L^-T x of the independent rows.
static void solve_upper(const work *w, double *x)
{
    for (int i = w->rank - 1; i >= 0; --i) {
        x[i] /= w->L[i * w->n + i];
        for (int j = 0; j < i; ++j) {
            x[j] -= w->L[i * w->n + j] * x[i];
        }
    }
}

// Columns of the inverse by solves; back to S's scale.
static void invert(const work *w, const double *scale, double *inverse)
{
    int r = w->rank, n = w->n;
    for (int k = 0; k < r; ++k) {
        double *x = inverse + k * r;
        memset(x, 0, (size_t)r * sizeof *x);
        for (int i = k; i < r; ++i) {
            double sum = i == k ? 1.0 : 0.0;
            for (int j = k; j < i; ++j) {
                sum -= w->L[i * n + j] * x[j];
            }
            x[i] = sum / w->L[i * n + i];
        }
        solve_upper(w, x);
        for (int i = 0; i < r; ++i) {
            x[i] *= scale[w->row[i]] * scale[w->row[k]];
        }
    }
}

// Dependent row i is sum_j c_j row j with c = L^-T l_i: forces (-c, 1) do nothing.
static bool find_null(const work *w, double *null, double *gram)
{
    int n = w->n, r = w->rank, count = n - r;
    for (int i = 0; i < count; ++i) {
        double *x = null + i * n;
        memset(x, 0, (size_t)n * sizeof *x);
        memcpy(x, w->L + (r + i) * n, (size_t)r * sizeof *x);
        solve_upper(w, x);
        for (int j = 0; j < r; ++j) {
            x[j] = -x[j];
        }
        x[r + i] = 1.0;
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < count; ++k) {
            double sum = 0.0;
            for (int j = 0; j < n; ++j) {
                sum += null[i * n + j] * null[k * n + j];
            }
            gram[i * count + k] = sum;
        }
    }
    return tn_dense_cholesky(count, gram); // 1 and more on the diagonal, positive definite by the identity in null
}

bool tn_independent_create(int n, const double *S, size_t stride, tn_arena *arena, tn_independent *out)
{
    size_t size = (size_t)n;
    work w = {.n = n,
              .row = TN_PUSH_RAW(arena, int, n),
              .L = TN_PUSH(arena, double, size *size),
              .left = TN_PUSH_RAW(arena, double, n)};
    double *scale = TN_PUSH_RAW(arena, double, n), *scratch = TN_PUSH_RAW(arena, double, n);
    if (!w.row || !w.L || !w.left || !scale || !scratch) {
        return false;
    }
    for (size_t i = 0; i < size; ++i) {
        double own = S[i * stride + i];
        scale[i] = own > 0.0 ? 1.0 / sqrt(own) : 1.0;
    }
    factorise(&w, S, stride, scale);
    size_t rank = (size_t)w.rank, rest = size - rank;
    double *inverse = TN_PUSH_RAW(arena, double, rank *rank);
    double *null = TN_PUSH_RAW(arena, double, rest *size), *gram = TN_PUSH_RAW(arena, double, rest *rest);
    if (!inverse || !null || !gram) {
        return false;
    }
    invert(&w, scale, inverse);
    bool ok = rest == 0 || find_null(&w, null, gram);
    *out = (tn_independent){.n = n,
                            .rank = w.rank,
                            .row = w.row,
                            .inverse = inverse,
                            .scale = scale,
                            .null = null,
                            .gram = gram,
                            .scratch = scratch};
    return ok;
}

void tn_independent_hold(const tn_independent *s, const double *y, double *f)
{
    int r = s->rank;
    for (int i = 0; i < r; ++i) {
        double sum = 0.0;
        for (int j = 0; j < r; ++j) {
            sum += s->inverse[i * r + j] * y[s->row[j]];
        }
        f[s->row[i]] -= sum;
    }
}

void tn_independent_least(const tn_independent *s, double *f)
{
    int n = s->n, rest = n - s->rank;
    for (int i = 0; i < rest; ++i) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) {
            sum += s->null[i * n + j] * f[s->row[j]] / s->scale[s->row[j]];
        }
        s->scratch[i] = sum;
    }
    if (rest > 0) {
        tn_dense_cholesky_solve(rest, s->gram, s->scratch);
    }
    for (int i = 0; i < rest; ++i) {
        for (int j = 0; j < n; ++j) {
            f[s->row[j]] -= s->scratch[i] * s->null[i * n + j] * s->scale[s->row[j]];
        }
    }
}
