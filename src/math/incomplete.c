#include "math/incomplete.h"

#include "math/dense.h"
#include "math/vec3.h"

#include <string.h>

bool tn_incomplete_create(tn_incomplete *f, const tn_blocks *A, tn_arena *arena)
{
    size_t n = (size_t)A->n_rows;
    *f = (tn_incomplete){.n = A->n_rows, .start = TN_PUSH_RAW(arena, int, n + 1)};
    f->column = TN_PUSH_RAW(arena, int, A->start[n] / 2 + 1);
    f->value = TN_PUSH_RAW(arena, double, 9 * ((size_t)A->start[n] / 2 + 1));
    f->inverse = TN_PUSH_RAW(arena, double, 9 * n);
    if (!f->start || !f->column || !f->value || !f->inverse) {
        return false;
    }
    int used = 0;
    for (int i = 0; i < f->n; ++i) {
        f->start[i] = used;
        for (int e = A->start[i]; e < A->start[i + 1] && A->column[e] < i; ++e) {
            f->column[used++] = A->column[e];
        }
    }
    f->start[f->n] = used;
    return true;
}

// S -= P Q^T
static void subtract_product(double S[9], const double P[9], const double Q[9])
{
    for (int i = 0; i < 9; ++i) {
        const double *p = P + 3 * (i / 3), *q = Q + 3 * (i % 3);
        S[i] -= p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    }
}

// S = S inverse^T, inverse lower triangular.
static void divide(double S[9], const double inverse[9])
{
    for (int i = 0; i < 3; ++i) {
        double *s = S + 3 * i, a = s[0], b = s[1], c = s[2];
        s[0] = a * inverse[0];
        s[1] = a * inverse[3] + b * inverse[4];
        s[2] = a * inverse[6] + b * inverse[7] + c * inverse[8];
    }
}

// Inverse of S's lower Cholesky factor.
static bool invert(double S[9], double inverse[9])
{
    if (!tn_dense_cholesky(3, S)) {
        return false;
    }
    double a = 1.0 / S[0], b = 1.0 / S[4], c = 1.0 / S[8], low = -S[3] * a * b;
    memset(inverse, 0, 9 * sizeof *inverse);
    inverse[0] = a;
    inverse[3] = low;
    inverse[4] = b;
    inverse[6] = -(S[6] * a + S[7] * low) * c;
    inverse[7] = -S[7] * b * c;
    inverse[8] = c;
    return true;
}

// S -= sum over the columns k that rows i (up to entry `end`) and j have in common of L_ik L_jk^T
static void subtract_common(const tn_incomplete *f, int i, int end, int j, double S[9])
{
    int a = f->start[i], b = f->start[j], last = f->start[j + 1];
    while (a < end && b < last) {
        int k = f->column[a], l = f->column[b];
        if (k == l) {
            subtract_product(S, f->value + 9 * (size_t)a, f->value + 9 * (size_t)b);
        }
        a += k <= l;
        b += l <= k;
    }
}

bool tn_incomplete_values(tn_incomplete *f, const tn_blocks *A)
{
    for (int i = 0; i < f->n; ++i) {
        int from = A->start[i];
        for (int e = f->start[i]; e < f->start[i + 1]; ++e, ++from) {
            double *own = f->value + 9 * (size_t)e;
            memcpy(own, A->value + 9 * (size_t)from, 9 * sizeof *own);
            subtract_common(f, i, e, f->column[e], own);
            divide(own, f->inverse + 9 * (size_t)f->column[e]);
        }
        double diagonal[9];
        memcpy(diagonal, A->value + 9 * (size_t)from, sizeof diagonal);
        for (int e = f->start[i]; e < f->start[i + 1]; ++e) {
            subtract_product(diagonal, f->value + 9 * (size_t)e, f->value + 9 * (size_t)e);
        }
        if (!invert(diagonal, f->inverse + 9 * (size_t)i)) {
            return false;
        }
    }
    return true;
}

void tn_incomplete_solve(const tn_incomplete *f, const double *b, double *x)
{
    for (int i = 0; i < f->n; ++i) {
        const double *D = f->inverse + 9 * (size_t)i;
        double r[3] = {b[3 * i], b[3 * i + 1], b[3 * i + 2]};
        for (int e = f->start[i]; e < f->start[i + 1]; ++e) {
            const double *L = f->value + 9 * (size_t)e, *y = x + 3 * (size_t)f->column[e];
            r[0] -= L[0] * y[0] + L[1] * y[1] + L[2] * y[2];
            r[1] -= L[3] * y[0] + L[4] * y[1] + L[5] * y[2];
            r[2] -= L[6] * y[0] + L[7] * y[1] + L[8] * y[2];
        }
        tn_vec3_set(x + 3 * (size_t)i, D[0] * r[0], D[3] * r[0] + D[4] * r[1], D[6] * r[0] + D[7] * r[1] + D[8] * r[2]);
    }
    for (int i = f->n - 1; i >= 0; --i) {
        const double *D = f->inverse + 9 * (size_t)i;
        double *own = x + 3 * (size_t)i;
        tn_vec3_set(own, D[0] * own[0] + D[3] * own[1] + D[6] * own[2], D[4] * own[1] + D[7] * own[2], D[8] * own[2]);
        for (int e = f->start[i]; e < f->start[i + 1]; ++e) {
            const double *L = f->value + 9 * (size_t)e;
            double *y = x + 3 * (size_t)f->column[e];
            y[0] -= L[0] * own[0] + L[3] * own[1] + L[6] * own[2];
            y[1] -= L[1] * own[0] + L[4] * own[1] + L[7] * own[2];
            y[2] -= L[2] * own[0] + L[5] * own[1] + L[8] * own[2];
        }
    }
}
